"""Sums of exp(score) over all derivations, and the probabilities of parts that follow from them.

A sum is a pair of a float and an exponent: (m, x) stands for the number m · 2**(512 x). Such pairs neither overflow
nor underflow, and adding or multiplying them takes no logarithm: exp is taken once for each part, not for each edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.forest.shape import UNIT, Shape, Table, as_int64, frozen
from laconic.kernel import kernel

_STEP = 2.0**512
_HIGH, _LOW = 2.0**256, 2.0**-256  # floats of whole sums lie between, so that products of three are safe
_LOG_STEP = 512 * math.log(2)
# The same in two parts: multiples of the first are exact, so that large scores lose no precision.
_LOG_STEP_HIGH, _LOG_STEP_LOW = 354.875, 0.016356446691998422


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """For each cell of a table, the sum over the derivations of its item at its cost, as a pair.

    `shares` are the parts of the whole that the goal has at each of its costs.
    """

    shape: Shape
    costs: Int64
    cells: Table
    part_floats: Float64
    part_exponents: Int64
    floats: Float64
    exponents: Int64
    log_partition: float  # log Z, the logarithm of the sum over all derivations; -inf if there are none
    shares: Float64

    def posteriors(self) -> Float64:
        """The expected number of uses of every part under exp(score)/Z, which must not be 0."""
        return _posteriors(
            self.shape,
            self.part_floats,
            self.part_exponents,
            self.costs,
            self.cells,
            self.floats,
            self.exponents,
            self.shares,
        )

    def logs(self) -> Table:
        """The table of the logarithms of all sums."""
        return self.cells._replace(values=frozen(_logarithms(self.floats, self.exponents)))


def sums(shape: Shape, scores: Float64, costs: Int64, cells: Table) -> Sums:
    """The sums at the cells of a table, whose values are not read. O(edges) where nothing costs anything."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        part_floats: Float64 = np.exp(scores)  # many at once, which takes a kernel longer
    part_exponents = _lift(part_floats, scores)
    floats, exponents, total, shares = _inside_sums(shape, part_floats, part_exponents, costs, cells)
    return Sums(shape, costs, cells, part_floats, part_exponents, floats, exponents, total, shares)


@kernel
def _lift(floats: Float64, scores: Float64) -> Int64:
    """The exponents of exp(score), whose floats are given and brought into range; of +inf, which is not read, none."""
    exponents = np.zeros(len(scores), np.int64)
    for part in range(len(scores)):
        if _LOW <= floats[part] < _HIGH:
            continue
        if -np.inf < scores[part] < np.inf:
            floats[part], exponents[part] = _exponential(scores[part])
    return exponents


@kernel
def _exponential(score: float) -> tuple[float, int]:
    steps = np.rint(score / _LOG_STEP)
    return math.exp(score - steps * _LOG_STEP_HIGH - steps * _LOG_STEP_LOW), int(steps)


@kernel
def _logarithms(floats: Float64, exponents: Int64) -> Float64:
    logs = np.empty(len(floats))
    for cell in range(len(floats)):
        logs[cell] = math.log(floats[cell]) + _LOG_STEP * exponents[cell] if floats[cell] > 0.0 else -np.inf
    return logs


@kernel
def _shares(logs: Float64) -> tuple[float, Float64]:
    """The logarithm of a sum by those of its terms, and the share of each term in it; none in a sum of 0."""
    peak = -np.inf
    for log in logs:
        peak = max(peak, log)
    shares, total = np.zeros(len(logs)), 0.0
    if peak == -np.inf:
        return peak, shares
    for term in range(len(logs)):
        shares[term] = math.exp(logs[term] - peak)
        total += shares[term]
    for term in range(len(logs)):
        shares[term] /= total
    return peak + math.log(total), shares


@kernel
def _added(total: float, total_exponent: int, value: float, exponent: int) -> tuple[float, int]:
    """The sum of two pairs, neither of which need be whole."""
    if exponent == total_exponent:
        return total + value, exponent
    if value == 0.0:
        return total, total_exponent
    while total_exponent < exponent and total != 0.0:
        total /= _STEP
        total_exponent += 1
    if total == 0.0:
        return value, exponent
    while exponent < total_exponent and value != 0.0:
        value /= _STEP
        exponent += 1
    return total + value, total_exponent


@kernel
def _inside_sums(
    shape: Shape, part_floats: Float64, part_exponents: Int64, costs: Int64, cells: Table
) -> tuple[Float64, Int64, float, Float64]:
    # sum(item, c) = Σ exp(score) · sum(left, a) · sum(right, b) over its edges and over a + b = c - cost
    values, offset, low, high = cells
    free = len(values) == len(low)  # a cell for each item: nothing costs anything
    floats = np.zeros(len(values))
    exponents = np.zeros(len(values), np.int64)
    floats[offset[UNIT]] = 1.0
    for item in range(UNIT + 1, len(low)):
        if high[item] < low[item]:
            continue
        total, total_exponent = 0.0, as_int64(0)
        for edge in range(np.uint32(shape.first[item]), np.uint32(shape.first[item + 1])):
            left, right = np.uint32(shape.left[edge]), np.uint32(shape.right[edge])
            part = np.uint32(shape.part[edge])
            if free:
                value = part_floats[part] * floats[left] * floats[right]
                exponent = part_exponents[part] + exponents[left] + exponents[right]
                if exponent == total_exponent:
                    total += value
                else:
                    total, total_exponent = _added(total, total_exponent, value, exponent)
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
                    to = start + a + b
                    floats[to], exponents[to] = _added(
                        floats[to], exponents[to], partial * floats[cell], partial_exponent + exponents[cell]
                    )
        if free:
            floats[item], exponents[item] = total, total_exponent
        for cell in range(offset[item], offset[item] + high[item] - low[item] + 1):
            while floats[cell] >= _HIGH:
                floats[cell] /= _STEP
                exponents[cell] += 1
            while 0.0 < floats[cell] < _LOW:
                floats[cell] *= _STEP
                exponents[cell] -= 1
    begin = offset[-1]
    end = begin + max(0, high[-1] - low[-1] + 1)
    total, shares = _shares(_logarithms(floats[begin:end], exponents[begin:end]))
    return floats, exponents, total, shares


@kernel
def _share(value: float, exponent: int, whole: float, whole_exponent: int) -> float:
    """What part of a whole pair another one is; no step leaves the range of floats, as it is at most 1."""
    while exponent < whole_exponent and value >= _HIGH:
        value /= _STEP
        exponent += 1
    while exponent > whole_exponent:
        value *= _STEP
        exponent -= 1
    share = value / whole
    while exponent < whole_exponent and share != 0.0:
        share /= _STEP
        exponent += 1
    return share


@kernel
def _posteriors(
    shape: Shape,
    part_floats: Float64,
    part_exponents: Int64,
    costs: Int64,
    cells: Table,
    floats: Float64,
    exponents: Int64,
    shares: Float64,
) -> Float64:
    # p(edge, a, b) = p(item, c) exp(score) · sum(left, a) · sum(right, b) / sum(item, c) with c = cost + a + b;
    # p of a tail at a cost is the sum of p over the edges that use it there. What flows down stays below 1.
    _, offset, low, high = cells
    free = len(floats) == len(low)
    posterior = np.zeros(len(floats))
    expected = np.zeros(len(costs))
    for i in range(len(shares)):
        posterior[offset[-1] + i] = shares[i]
    for item in range(len(low) - 1, UNIT, -1):
        if high[item] < low[item] or (free and posterior[item] == 0.0):
            continue
        for edge in range(np.uint32(shape.first[item]), np.uint32(shape.first[item + 1])):
            left, right = np.uint32(shape.left[edge]), np.uint32(shape.right[edge])
            part = np.uint32(shape.part[edge])
            if free:
                value = part_floats[part] * floats[left] * floats[right]
                exponent = part_exponents[part] + exponents[left] + exponents[right]
                if exponent == exponents[item]:
                    share = posterior[item] * (value / floats[item])
                else:
                    share = posterior[item] * _share(value, exponent, floats[item], exponents[item])
                expected[part] += share
                posterior[left] += share
                posterior[right] += share
                continue
            start = offset[item] + costs[part] - low[item]
            for a in range(low[left], high[left] + 1):
                left_cell = offset[left] + a - low[left]
                partial = part_floats[part] * floats[left_cell]
                if partial == 0.0:
                    continue
                partial_exponent = part_exponents[part] + exponents[left_cell]
                least = max(low[right], low[item] - costs[part] - a)
                most = min(high[right], high[item] - costs[part] - a)
                for b in range(least, most + 1):
                    right_cell = offset[right] + b - low[right]
                    to = start + a + b
                    if posterior[to] > 0.0:
                        value, exponent = (
                            partial * floats[right_cell],
                            partial_exponent + exponents[right_cell],
                        )
                        share = posterior[to] * _share(value, exponent, floats[to], exponents[to])
                        expected[part] += share
                        posterior[left_cell] += share
                        posterior[right_cell] += share
    return expected
