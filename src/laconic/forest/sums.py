"""Sums of exp(score) over all derivations, and the probabilities of parts that follow from them.

A sum is a pair of a float and an exponent: (m, x) stands for the number m · 2**(512 x). Such pairs neither overflow
nor underflow, and adding or multiplying them takes no logarithm: exp is taken once for each part, not for each edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from laconic.forest.shape import UNIT, Floats, Integers, Shape, Table, frozen
from laconic.kernel import kernel

_STEP = 2.0**512
_HIGH, _LOW = 2.0**256, 2.0**-256  # floats of whole sums lie between, so that products of three are safe
_LOG_STEP = 512 * math.log(2)
# The same in two parts: multiples of the first are exact, so that large scores lose no precision.
_LOG_STEP_HIGH, _LOG_STEP_LOW = 354.875, 0.016356446691998422


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """For each cell of a table, the sum over the derivations of its item at its cost.

    The values of `logs` are the logarithms of these sums.
    """

    shape: Shape
    scores: Floats
    costs: Integers
    floats: Floats
    exponents: Integers
    logs: Table

    def log_partition(self) -> float:
        """log Z, the logarithm of the sum over all derivations; -inf if there are none."""
        goal = self.logs.goal()
        peak = float(goal.max(initial=-np.inf))
        return peak if peak == -np.inf else peak + math.log(float(np.exp(goal - peak).sum()))

    def posteriors(self) -> Floats:
        """The expected number of uses of every part under exp(score)/Z, which must not be 0."""
        shares = np.exp(self.logs.goal() - self.log_partition())
        return _posteriors(
            self.shape,
            *_lifted(self.scores),
            self.costs,
            self.logs,
            self.floats,
            self.exponents,
            shares / shares.sum(),
        )


def sums(shape: Shape, scores: Floats, costs: Integers, cells: Table) -> Sums:
    """The sums at the cells of a table, whose values are not read. O(edges) where nothing costs anything."""
    floats, exponents = _inside_sums(shape, *_lifted(scores), costs, cells)
    with np.errstate(divide="ignore"):
        logs = np.log(floats) + _LOG_STEP * exponents
    return Sums(shape, scores, costs, floats, exponents, cells._replace(values=frozen(logs)))


@kernel
def _lifted(scores: Floats) -> tuple[Floats, Integers]:
    """exp(score) as pairs."""
    floats = np.zeros(len(scores))
    exponents = np.zeros(len(scores), np.int64)
    for i in range(len(scores)):
        if scores[i] > -np.inf:
            exponent = np.rint(scores[i] / _LOG_STEP)
            floats[i] = math.exp(scores[i] - exponent * _LOG_STEP_HIGH - exponent * _LOG_STEP_LOW)
            exponents[i] = np.int64(exponent)
    return floats, exponents


@kernel
def _inside_sums(
    shape: Shape, part_floats: Floats, part_exponents: Integers, costs: Integers, cells: Table
) -> tuple[Floats, Integers]:
    # sum(item, c) = Σ exp(score) · sum(left, a) · sum(right, b) over its edges and over a + b = c - cost
    _, offset, low, high = cells
    floats = np.zeros(len(cells.values))
    exponents = np.zeros(len(cells.values), np.int64)
    floats[offset[UNIT]] = 1.0
    for item in range(UNIT + 1, len(low)):
        if high[item] < low[item]:
            continue
        for edge in range(shape.first[item], shape.first[item + 1]):
            left, right, part = shape.left[edge], shape.right[edge], shape.part[edge]
            if part_floats[part] == 0.0:
                continue
            start = offset[item] + costs[part] - low[item]
            for a in range(low[left], high[left] + 1):
                cell = offset[left] + a - low[left]
                partial = part_floats[part] * floats[cell]
                if partial == 0.0:
                    continue
                partial_exponent = part_exponents[part] + exponents[cell]
                least = max(low[right], low[item] - costs[part] - a)
                most = min(high[right], high[item] - costs[part] - a)
                for b in range(least, most + 1):
                    cell = offset[right] + b - low[right]
                    value = partial * floats[cell]
                    exponent = partial_exponent + exponents[cell]
                    to = start + a + b
                    if exponent == exponents[to]:
                        floats[to] += value
                    elif value != 0.0:
                        while exponents[to] < exponent and floats[to] != 0.0:
                            floats[to] /= _STEP
                            exponents[to] += 1
                        if floats[to] == 0.0:
                            exponents[to] = exponent
                        while exponent < exponents[to] and value != 0.0:
                            value /= _STEP
                            exponent += 1
                        floats[to] += value
        for cell in range(offset[item], offset[item] + high[item] - low[item] + 1):
            while floats[cell] >= _HIGH:
                floats[cell] /= _STEP
                exponents[cell] += 1
            while 0.0 < floats[cell] < _LOW:
                floats[cell] *= _STEP
                exponents[cell] -= 1
    return floats, exponents


@kernel
def _posteriors(
    shape: Shape,
    part_floats: Floats,
    part_exponents: Integers,
    costs: Integers,
    cells: Table,
    floats: Floats,
    exponents: Integers,
    shares: Floats,
) -> Floats:
    # p(edge, a, b) = p(item, c) exp(score) · sum(left, a) · sum(right, b) / sum(item, c) with c = cost + a + b;
    # p of a tail at a cost is the sum of p over the edges that use it there. What flows down stays below 1.
    _, offset, low, high = cells
    posterior = np.zeros(len(floats))
    expected = np.zeros(len(costs))
    for i in range(len(shares)):
        posterior[offset[-1] + i] = shares[i]
    for item in range(len(low) - 1, UNIT, -1):
        if high[item] < low[item]:
            continue
        for edge in range(shape.first[item], shape.first[item + 1]):
            left, right, part = shape.left[edge], shape.right[edge], shape.part[edge]
            if part_floats[part] == 0.0:
                continue
            start = offset[item] + costs[part] - low[item]
            for a in range(low[left], high[left] + 1):
                left_cell = offset[left] + a - low[left]
                partial = part_floats[part] * floats[left_cell]
                partial_exponent = part_exponents[part] + exponents[left_cell]
                least = max(low[right], low[item] - costs[part] - a)
                most = min(high[right], high[item] - costs[part] - a)
                for b in range(least, most + 1):
                    right_cell = offset[right] + b - low[right]
                    value = partial * floats[right_cell]
                    to = start + a + b
                    if value == 0.0 or posterior[to] == 0.0:
                        continue
                    exponent = partial_exponent + exponents[right_cell]
                    # No step may leave the range of floats: the quotient is at most 1 in the end.
                    while exponent < exponents[to] and value >= _HIGH:
                        value /= _STEP
                        exponent += 1
                    while exponent > exponents[to]:
                        value *= _STEP
                        exponent -= 1
                    share = posterior[to] * (value / floats[to])
                    while exponent < exponents[to] and share != 0.0:
                        share /= _STEP
                        exponent += 1
                    expected[part] += share
                    posterior[left_cell] += share
                    posterior[right_cell] += share
    return expected
