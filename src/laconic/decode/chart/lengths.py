"""The chart at every total cost: the best score, the sum of all, and posterior probabilities.

The value of an item is a vector over the total cost of its kept words, and a rule with two premises is
a convolution of their vectors. Each vector spans only the costs that the item can have and that some
complete derivation within the limit can use: with words as costs and an exact length of m out of n, an
item that spans w words keeps between m - (n - w) and min(m, w) of them. Short and long compressions are
therefore equally cheap, and no choice between counting kept and counting dropped words is needed.
"""

from __future__ import annotations

import numpy as np

from laconic.decode.chart.rules import NEGLIGIBLE, UNIT, Float64, Int64, Rules, Table
from laconic.errors import LaconicError
from laconic.kernel import kernel

NEVER = 1 << 60  # above every cost
_LARGEST_TABLE = 1 << 27  # values: one gibibyte


def best_scores_within(rules: Rules, scores: Float64, costs: Int64, least: int, most: int) -> Table:
    """The best score of every item at every cost that the limit leaves possible."""
    return pruned_scores_within(
        rules, scores, costs, least, most, 0.0, np.full(len(rules.first) - 1, -np.inf)
    )


def pruned_scores_within(
    rules: Rules, scores: Float64, costs: Int64, least: int, most: int, multiplier: float, needed: Float64
) -> Table:
    """The same without the cells whose score less multiplier·cost is below what their item needs."""
    low, high = _checked_ranges(rules, scores, costs, least, most)
    return _best_by_cost(rules, scores, costs, low, high, multiplier, needed)


def sums_within(rules: Rules, scores: Float64, costs: Int64, least: int, most: int) -> Table:
    """The log of the sum of exp(score) over all derivations of every item at every cost, within the limit."""
    low, high = _checked_ranges(rules, scores, costs, least, most)
    return _log_sums_by_cost(rules, scores, costs, low, high)


def _checked_ranges(
    rules: Rules, scores: Float64, costs: Int64, least: int, most: int
) -> tuple[Int64, Int64]:
    low, high = _cost_ranges(rules, scores, costs, least, most)
    size = int(np.maximum(high - low + 1, 0).sum())
    if size > _LARGEST_TABLE:
        raise LaconicError(
            f"costs of up to {high[-1]} need a chart of {size} values: use a coarser unit of cost"
        )
    return low, high


@kernel
def _cost_ranges(rules: Rules, scores: Float64, costs: Int64, least: int, most: int) -> tuple[Int64, Int64]:
    # The least and the greatest cost of every item among the derivations of the goal that meet the limit.
    # The ranges are necessary, not sufficient: not every cost within them need be possible. An item that
    # takes part in no such derivation has an empty range.
    first, left, right, part = rules
    count = len(first) - 1
    low = np.full(count, NEVER, np.int64)
    high = np.full(count, -1, np.int64)
    low[UNIT] = high[UNIT] = 0
    for item in range(UNIT + 1, count):
        # low(item) = min over its rules of cost + low(left) + low(right); high likewise, with max
        lowest, highest = NEVER, -1
        for rule in range(first[item], first[item + 1]):
            one, other = left[rule], right[rule]
            if scores[part[rule]] > -np.inf and high[one] >= 0 and high[other] >= 0:
                lowest = min(lowest, costs[part[rule]] + low[one] + low[other])
                highest = max(highest, costs[part[rule]] + high[one] + high[other])
        low[item], high[item] = lowest, highest

    # The same from the goal down: what the rest of a derivation costs at least and at most.
    rest_low = np.full(count, NEVER, np.int64)
    rest_high = np.full(count, -1, np.int64)
    rest_low[-1] = rest_high[-1] = 0
    for item in range(count - 1, UNIT, -1):
        low[item] = max(low[item], least - rest_high[item])
        high[item] = min(high[item], most - rest_low[item])
        if high[item] < low[item]:
            continue
        for rule in range(first[item], first[item + 1]):
            one, other = left[rule], right[rule]
            if scores[part[rule]] > -np.inf and high[one] >= 0 and high[other] >= 0:
                cost = costs[part[rule]]
                rest_low[one] = min(rest_low[one], rest_low[item] + cost + low[other])
                rest_high[one] = max(rest_high[one], rest_high[item] + cost + high[other])
                rest_low[other] = min(rest_low[other], rest_low[item] + cost + low[one])
                rest_high[other] = max(rest_high[other], rest_high[item] + cost + high[one])
    return low, high


@kernel
def _best_by_cost(
    rules: Rules, scores: Float64, costs: Int64, low: Int64, high: Int64, multiplier: float, needed: Float64
) -> Table:
    # best(item, c) = max over its rules and over a + b = c - cost of score + best(left, a) + best(right, b)
    # Cells with best(item, c) - multiplier·c < needed(item) become -inf; those at the ends leave the range.
    table = _empty_table(low, high)
    values, offset, low, high = table
    for item in range(UNIT + 1, len(low)):
        if high[item] < low[item]:
            continue
        _over_rules(rules, scores, costs, table, item, values, False)
        cells = values[offset[item] : offset[item] + high[item] - low[item] + 1]
        for cell in range(len(cells)):
            if cells[cell] - multiplier * (low[item] + cell) < needed[item]:
                cells[cell] = -np.inf
        begin, end = 0, len(cells)
        while begin < end and cells[begin] == -np.inf:
            begin += 1
        while begin < end and cells[end - 1] == -np.inf:
            end -= 1
        high[item] = low[item] + end - 1
        low[item] += begin
        offset[item] += begin
    return table


@kernel
def _log_sums_by_cost(rules: Rules, scores: Float64, costs: Int64, low: Int64, high: Int64) -> Table:
    # sum(item, c) = log Σ exp(score + sum(left, a) + sum(right, b)) over its rules and over a + b = c - cost,
    # taken around the largest term, which a first pass finds.
    table = _empty_table(low, high)
    values, offset, low, high = table
    total = np.empty(max(1, (high - low + 1).max()))
    for item in range(UNIT + 1, len(low)):
        if high[item] < low[item]:
            continue
        _over_rules(rules, scores, costs, table, item, values, False)
        total[:] = 0.0
        _over_rules(rules, scores, costs, table, item, total, True)
        for cell in range(high[item] - low[item] + 1):
            if total[cell] > 0.0:
                values[offset[item] + cell] += np.log(total[cell])
    return table


@kernel
def _empty_table(low: Int64, high: Int64) -> Table:
    offset = np.empty(len(low), np.int64)
    size = 0
    for item in range(len(low)):
        offset[item] = size
        size += max(0, high[item] - low[item] + 1)
    values = np.full(size, -np.inf)
    values[offset[UNIT]] = 0.0
    return Table(values, offset, low.copy(), high.copy())


@kernel
def _over_rules(
    rules: Rules, scores: Float64, costs: Int64, table: Table, item: int, total: Float64, adding: bool
) -> None:
    # One pass over the rules of an item: the maxima into the table or, around these, the sums into `total`.
    values, offset, low, high = table
    out = values[offset[item] : offset[item] + high[item] - low[item] + 1]
    for rule in range(rules.first[item], rules.first[item + 1]):
        left, right, part = rules.left[rule], rules.right[rule], rules.part[rule]
        if scores[part] == -np.inf or high[left] < low[left] or high[right] < low[right]:
            continue
        one = values[offset[left] : offset[left] + high[left] - low[left] + 1]
        other = values[offset[right] : offset[right] + high[right] - low[right] + 1]
        start = low[left] + low[right] + costs[part] - low[item]
        if adding:
            _add_sums(total, out, start, scores[part], one, other)
        elif len(one) <= len(other):
            _raise_to_sums(out, start, scores[part], one, other)
        else:
            _raise_to_sums(out, start, scores[part], other, one)


@kernel
def _raise_to_sums(out: Float64, start: int, score: float, left: Float64, right: Float64) -> None:
    # out(start + a + b) = max(itself, left(a) + right(b) + score). The longer vector is innermost, contiguous
    # and without branches, so that the compiler makes vector instructions of it.
    for a in range(len(left)):
        begin = max(0, -start - a)
        end = min(len(right), len(out) - start - a)
        if begin < end and left[a] > -np.inf:
            base = left[a] + score
            row = out[start + a + begin : start + a + end]
            column = right[begin:end]
            for b in range(len(row)):
                value = base + column[b]
                row[b] = value if value > row[b] else row[b]


@kernel
def _add_sums(total: Float64, peak: Float64, start: int, score: float, left: Float64, right: Float64) -> None:
    # total(start + a + b) += exp(left(a) + right(b) + score - peak(start + a + b))
    for a in range(len(left)):
        base = left[a] + score
        for b in range(max(0, -start - a), min(len(right), len(peak) - start - a)):
            place = start + a + b
            below = base + right[b] - peak[place]
            if below > NEGLIGIBLE:  # false for nan, which -inf minus -inf makes
                total[place] += np.exp(below)


@kernel
def part_posteriors_by_cost(
    rules: Rules, scores: Float64, costs: Int64, table: Table, log_partition: float
) -> Float64:
    """The expected number of uses of every part, by one pass from the goal down over a table of log sums.

    p(rule, a, b) = p(item, c) exp(score + sum(left, a) + sum(right, b) - sum(item, c)) with c = cost + a + b;
    the probability of a premise at a cost is the sum of p over the rules that use it there.
    """
    values, offset, low, high = table
    count = len(low)
    posterior = np.zeros(len(values))
    expected = np.zeros(len(scores))
    for place in range(offset[count - 1], offset[count - 1] + high[count - 1] - low[count - 1] + 1):
        posterior[place] = np.exp(values[place] - log_partition)
    for item in range(count - 1, UNIT, -1):
        if high[item] < low[item]:
            continue
        for rule in range(rules.first[item], rules.first[item + 1]):
            left, right, part = rules.left[rule], rules.right[rule], rules.part[rule]
            for a in range(low[left], high[left] + 1):
                left_place = offset[left] + a - low[left]
                begin = max(low[right], low[item] - costs[part] - a)
                end = min(high[right], high[item] - costs[part] - a)
                for b in range(begin, end + 1):
                    place = offset[item] + costs[part] + a + b - low[item]
                    right_place = offset[right] + b - low[right]
                    below = scores[part] + values[left_place] + values[right_place] - values[place]
                    if posterior[place] > 0.0 and below > NEGLIGIBLE:
                        share = posterior[place] * np.exp(below)
                        expected[part] += share
                        posterior[left_place] += share
                        posterior[right_place] += share
    return expected
