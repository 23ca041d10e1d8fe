"""The best score at every total cost, in one bottom-up run.

The value of an item is a row over the costs of its derivations, and an edge with two tails a convolution of their rows.
A row spans only the costs that the item can have and that some derivation within the limit can use: with words as
costs and exactly m out of n, an item over w words keeps between m - (n - w) and min(m, w) of them. So short and long
compressions are equally cheap.
"""

from __future__ import annotations

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.errors import LARGEST_TABLE, check_size
from laconic.forest.shape import NEVER, UNIT, Shape, Table, frozen
from laconic.kernel import kernel

_NONE = np.empty(0)
_PAD = 3  # cells of -inf before and after each row, for `_raise_to_sums`


def cells_within(shape: Shape, scores: Float64, costs: Int64, least: int, most: int) -> Table:
    """The cells that derivations within the limit may use, without values: every number is -inf."""
    low, high, _ = _cost_ranges(shape, scores, costs, min(least, NEVER), min(most, NEVER))
    offset, size = _offsets(low, high)
    check_size(size, int(high[-1]))
    return Table(frozen(np.full(size, -np.inf)), frozen(offset), frozen(low), frozen(high))


def cost_table(
    shape: Shape,
    scores: Float64,
    costs: Int64,
    least: int = 0,
    most: int = NEVER,
    *,
    multiplier: float = 0.0,
    needed: Float64 | None = None,
) -> Table:
    """The best score of every item at every cost that the limit leaves possible.

    With `needed`, without the cells whose score less multiplier · cost is below what their item needs.
    """
    bounds = _NONE if needed is None else needed
    values, offset, low, high = _cost_table(
        shape, scores, costs, min(least, NEVER), min(most, NEVER), multiplier, bounds
    )
    if not len(values):
        check_size(_offsets(low, high)[1], int(high[-1]))
    return Table(frozen(values), frozen(offset), frozen(low), frozen(high))


@kernel
def _offsets(low: Int64, high: Int64) -> tuple[Int64, int]:
    """Where the row of each item begins, and how many cells there are in all."""
    offset = np.empty(len(low), np.int64)
    size = _PAD
    for item in range(len(low)):
        offset[item] = size
        size += max(high[item] - low[item] + 1, 0) + _PAD
    return offset, size


@kernel
def cost_spans(shape: Shape, scores: Float64, costs: Int64) -> tuple[Int64, Int64]:
    """The least and the greatest cost of the derivations of every item; NEVER and -NEVER where it has none."""
    first, left, right, part = shape
    count = len(first) - 1
    cheap, dear = np.full(len(costs), NEVER), np.full(len(costs), -NEVER)
    for i in range(len(costs)):
        if scores[i] > -np.inf:
            cheap[i] = dear[i] = costs[i]
    low, high = np.empty(count, np.int64), np.empty(count, np.int64)
    low[UNIT] = high[UNIT] = 0
    for item in range(UNIT + 1, count):
        # low(item) = min over its edges of cost + low(left) + low(right); high likewise, with max
        lowest, highest = NEVER, -NEVER
        for edge in range(np.uint32(first[item]), np.uint32(first[item + 1])):
            one, other = np.uint32(left[edge]), np.uint32(right[edge])
            own = np.uint32(part[edge])
            lowest = min(lowest, cheap[own] + low[one] + low[other])
            highest = max(highest, dear[own] + high[one] + high[other])
        low[item], high[item] = lowest, highest if highest >= 0 else -NEVER
    return low, high


@kernel
def _cost_ranges(
    shape: Shape, scores: Float64, costs: Int64, least: int, most: int
) -> tuple[Int64, Int64, Int64]:
    # The least and the greatest cost of every item among the derivations of the goal that meet the limit, and the
    # least among all. The ranges are necessary, not sufficient: not every cost within them need be possible. An
    # item that takes part in no such derivation has an empty range.
    first, left, right, part = shape
    count = len(first) - 1
    low, high = cost_spans(shape, scores, costs)
    bottom = low.copy()

    # From the goal down: what the rest of a derivation costs at least and at most.
    rest_low, rest_high = np.full(count, NEVER), np.full(count, -1)
    rest_low[-1] = rest_high[-1] = 0
    for item in range(count - 1, UNIT, -1):
        if rest_high[item] < 0:
            high[item] = -1
        else:
            low[item] = max(low[item], least - rest_high[item])
            high[item] = min(high[item], most - rest_low[item])
        if high[item] < low[item]:
            continue
        for edge in range(np.uint32(first[item]), np.uint32(first[item + 1])):
            one, other = np.uint32(left[edge]), np.uint32(right[edge])
            if scores[part[edge]] > -np.inf and high[one] >= 0 and high[other] >= 0:
                cost = costs[part[edge]]
                rest_low[one] = min(rest_low[one], rest_low[item] + cost + low[other])
                rest_high[one] = max(rest_high[one], rest_high[item] + cost + high[other])
                rest_low[other] = min(rest_low[other], rest_low[item] + cost + low[one])
                rest_high[other] = max(rest_high[other], rest_high[item] + cost + high[one])
    return low, high, bottom


@kernel
def _cost_table(
    shape: Shape,
    scores: Float64,
    costs: Int64,
    least: int,
    most: int,
    multiplier: float,
    needed: Float64,
) -> tuple[Float64, Int64, Int64, Int64]:
    low, high, bottom = _cost_ranges(shape, scores, costs, least, most)
    offset, size = _offsets(low, high)
    if size > LARGEST_TABLE:
        return np.empty(0), offset, low, high
    # best(item, c) = max over its edges and over a + b = c - cost of score + best(left, a) + best(right, b)
    # Cells with best(item, c) - multiplier · c < needed(item) become -inf; those at the ends leave the range.
    bounded = len(needed) > 0
    values = np.full(size, -np.inf)
    values[offset[UNIT]] = 0.0
    widest = 0
    for item in range(len(low)):
        widest = max(widest, high[item] - bottom[item] + 1)
    row = np.empty(widest + 2 * _PAD)  # best(item, ·) from its least cost of all on, while edges are added
    for item in range(UNIT + 1, len(low)):
        if high[item] < low[item]:
            continue
        width = high[item] - bottom[item] + 1
        for i in range(width + 2 * _PAD):
            row[i] = -np.inf
        for edge in range(shape.first[item], shape.first[item + 1]):
            narrow, wide, part = shape.left[edge], shape.right[edge], shape.part[edge]
            score = scores[part]
            narrow_width, wide_width = high[narrow] - low[narrow] + 1, high[wide] - low[wide] + 1
            if score == -np.inf or narrow_width <= 0 or wide_width <= 0:
                continue
            start = costs[part] + low[narrow] + low[wide] - bottom[item]
            if narrow_width > wide_width:
                narrow, wide, narrow_width, wide_width = wide, narrow, wide_width, narrow_width
            # Unsigned indices need no test for negative ones, which would keep the inner loops from becoming
            # vector instructions.
            begin = np.uint64(offset[wide])
            if narrow_width == 1:
                score += values[offset[narrow]]
                to = np.uint64(_PAD + start)
                for j in range(np.uint64(max(0, min(wide_width, width - start)))):
                    value = values[begin + j] + score
                    row[to + j] = value if value > row[to + j] else row[to + j]
                continue
            # Four costs of the narrower row at a time, to load and store `row` less often; the -inf around rows
            # stands for what is outside them.
            for i in range(0, narrow_width, 4):
                one, two = values[offset[narrow] + i] + score, values[offset[narrow] + i + 1] + score
                three, four = values[offset[narrow] + i + 2] + score, values[offset[narrow] + i + 3] + score
                to = np.uint64(_PAD + start + i)
                second, third, fourth = begin - np.uint64(1), begin - np.uint64(2), begin - np.uint64(3)
                for j in range(np.uint64(max(0, min(wide_width + 3, width - start - i)))):
                    even = max(one + values[begin + j], three + values[third + j])
                    odd = max(two + values[second + j], four + values[fourth + j])
                    row[to + j] = max(row[to + j], max(even, odd))
        # Only what the limit and the bound leave is kept.
        first_cost, last_cost = NEVER, -1
        for cost in range(low[item], high[item] + 1):
            value = row[_PAD + cost - bottom[item]]
            if value > -np.inf and (not bounded or value - multiplier * cost >= needed[item]):
                values[offset[item] + cost - low[item]] = value
                first_cost, last_cost = min(first_cost, cost), cost
        if last_cost < 0:
            high[item] = low[item] - 1
        else:
            offset[item] += first_cost - low[item]
            low[item], high[item] = first_cost, last_cost
    return values, offset, low, high
