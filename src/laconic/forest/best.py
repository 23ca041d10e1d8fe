"""The best regardless of cost: scores below every item and around it, what is left above a threshold, a derivation.

A derivation is traced through a table from the goal down; through one of sums it is a sample.
"""

from __future__ import annotations

import numpy as np

from laconic.arrays import Float64, Int32, Int64
from laconic.forest.shape import UNIT, Shape, Table, longer, shape_of
from laconic.kernel import kernel

_BEST = -1
_NEGLIGIBLE = -50.0  # nats below the whole, where probabilities are lost in its rounding


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


def best_derivation(shape: Shape, scores: Float64, costs: Int64, table: Table, cost: int) -> Int64:
    """The parts, in preorder, of the best derivation of the goal at a cost; ties go to the first edge."""
    return _derivation(shape, scores, costs, table, cost, _BEST)


def drawn_derivation(shape: Shape, scores: Float64, costs: Int64, logs: Table, cost: int, seed: int) -> Int64:
    """The parts, in preorder, of a derivation of the goal at a cost, drawn in proportion to exp(score).

    `logs` are the logarithms of sums; the seed, of at least 0, decides.
    """
    return _derivation(shape, scores, costs, logs, cost, seed)


@kernel
def parts_of_best(shape: Shape, scores: Float64) -> tuple[float, Int64]:
    """The score and the parts, in preorder, of the best derivation of the goal at any cost; -inf where there is none.

    Without costs and splits of them it is traced in half the time that a table takes.
    """
    inside = inside_best(shape, scores)
    parts, items = np.empty(64, np.int64), np.empty(64, np.int64)
    items[0] = len(inside) - 1
    height, size = int(inside[-1] > -np.inf), 0
    while height > 0:
        height -= 1
        item = items[height]
        chosen, best = -1, -np.inf
        for edge in range(shape.first[item], shape.first[item + 1]):
            value = scores[np.uint32(shape.part[edge])]
            value += inside[np.uint32(shape.left[edge])]
            value += inside[np.uint32(shape.right[edge])]
            if value > best:
                chosen, best = edge, value
        if size + 2 > len(parts):
            parts, items = longer(parts), longer(items)
        parts[size] = shape.part[chosen]
        size += 1
        if shape.right[chosen] != UNIT:
            items[height] = shape.right[chosen]
            height += 1
        if shape.left[chosen] != UNIT:
            items[height] = shape.left[chosen]
            height += 1
    return inside[-1], parts[:size]


@kernel
def _derivation(shape: Shape, scores: Float64, costs: Int64, table: Table, cost: int, seed: int) -> Int64:
    values, offset, low, high = table
    parts = np.empty(64, np.int64)
    items = np.empty(64, np.int64)
    amounts = np.empty(64, np.int64)
    items[0], amounts[0] = len(low) - 1, cost
    height, size = 1, 0
    state = np.uint64(seed)
    while height > 0:
        height -= 1
        item, amount = items[height], amounts[height]
        whole, remaining = -np.inf, 0.0
        if seed >= 0:
            # The next number of SplitMix64 (Steele, Lea and Flood, 2014), as a fraction of the whole.
            state += np.uint64(0x9E3779B97F4A7C15)
            mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
            remaining = np.float64(mixed >> np.uint64(11)) * 2.0**-53
            whole = values[offset[item] + amount - low[item]]
        chosen, split, best = -1, 0, -np.inf
        for edge in range(shape.first[item], shape.first[item + 1]):
            left, right, part = shape.left[edge], shape.right[edge], shape.part[edge]
            rest = amount - costs[part]
            for a in range(max(low[left], rest - high[right]), min(high[left], rest - low[right]) + 1):
                value = scores[part] + values[offset[left] + a - low[left]]
                value += values[offset[right] + rest - a - low[right]]
                if seed < 0:
                    if value > best:
                        chosen, split, best = edge, a, value
                elif value - whole > _NEGLIGIBLE and remaining >= 0.0:
                    # Rounding may leave a little probability after the last: it takes it.
                    chosen, split = edge, a
                    remaining -= np.exp(value - whole)
            if remaining < 0.0:
                break
        if size + 2 > len(parts):
            parts, items, amounts = longer(parts), longer(items), longer(amounts)
        part = shape.part[chosen]
        parts[size] = part
        size += 1
        if shape.right[chosen] != UNIT:
            items[height], amounts[height] = shape.right[chosen], amount - costs[part] - split
            height += 1
        if shape.left[chosen] != UNIT:
            items[height], amounts[height] = shape.left[chosen], split
            height += 1
    return parts[:size].copy()
