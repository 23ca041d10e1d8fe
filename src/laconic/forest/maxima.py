"""Best scores regardless of cost: below every item, around it, and what is left above a threshold."""

from __future__ import annotations

import numpy as np

from laconic.arrays import Float64, Int32
from laconic.forest.shape import UNIT, Shape, shape_of
from laconic.kernel import kernel


@kernel
def inside_best(shape: Shape, scores: Float64) -> Float64:
    """The score of the best derivation of every item.

    inside(item) = max over its edges of score + inside(left) + inside(right).
    """
    first, left, right, part = shape
    inside = np.empty(len(first) - 1)
    inside[UNIT] = 0.0
    for item in range(UNIT + 1, len(inside)):
        best = -np.inf
        for edge in range(np.uint32(first[item]), np.uint32(first[item + 1])):
            value = scores[np.uint32(part[edge])]
            value += inside[np.uint32(left[edge])]
            value += inside[np.uint32(right[edge])]
            best = value if value > best else best
        inside[item] = best
    return inside


@kernel
def outside_best(shape: Shape, scores: Float64, inside: Float64) -> Float64:
    """The score of the best completion of every item to a derivation of the goal.

    outside(tail) = max over the edges that use it of outside(item) + score + inside(other tail).
    """
    first, left, right, part = shape
    outside = np.full(len(inside), -np.inf)
    outside[-1] = 0.0
    for item in range(len(inside) - 1, UNIT, -1):
        if outside[item] == -np.inf:
            continue
        for edge in range(first[item], first[item + 1]):
            value = outside[item] + scores[part[edge]]
            if value + inside[right[edge]] > outside[left[edge]]:
                outside[left[edge]] = value + inside[right[edge]]
            if value + inside[left[edge]] > outside[right[edge]]:
                outside[right[edge]] = value + inside[left[edge]]
    return outside


def shape_above(shape: Shape, scores: Float64, inside: Float64, outside: Float64, threshold: float) -> Shape:
    """The edges whose best derivation of the goal scores at least the threshold; items keep their numbers."""
    return shape_of(*_edges_above(shape, scores, inside, outside, threshold))


@kernel
def _edges_above(
    shape: Shape, scores: Float64, inside: Float64, outside: Float64, threshold: float
) -> tuple[Int32, Int32, Int32, Int32]:
    first, left, right, part = shape
    bounds = np.zeros(len(first), np.int32)
    lefts, rights, parts = (
        np.empty(len(part), np.int32),
        np.empty(len(part), np.int32),
        np.empty(len(part), np.int32),
    )
    size = 0
    for item in range(UNIT + 1, len(inside)):
        if outside[item] + inside[item] >= threshold:
            for edge in range(first[item], first[item + 1]):
                through = outside[item] + scores[part[edge]] + inside[left[edge]] + inside[right[edge]]
                if through >= threshold:
                    lefts[size], rights[size], parts[size] = left[edge], right[edge], part[edge]
                    size += 1
        bounds[item + 1] = size
    return bounds, lefts[:size].copy(), rights[:size].copy(), parts[:size].copy()
