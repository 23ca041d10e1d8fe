"""The chart at every total cost: the best score, the sum of all, and posterior probabilities.

The value of an item is a vector over the total cost of its kept words, and a rule with two premises is
a convolution of their vectors. Each vector spans only the costs that the item can have and that some
complete derivation within the limit can use: with words as costs and an exact length of m out of n, an
item that spans w words keeps between m - (n - w) and min(m, w) of them. Short and long compressions are
therefore equally cheap, and no choice between counting kept and counting dropped words is needed.
"""

from __future__ import annotations

import numpy as np

from laconic.decode.chart.rules import NEGLIGIBLE, Float64, Int64, Rules, Table
from laconic.kernel import kernel

NEVER = 1 << 60  # above every cost


@kernel
def cost_ranges(rules: Rules, weights: Float64, costs: Int64, least: int, most: int) -> tuple[Int64, Int64]:
    """The least and the greatest cost of every item among derivations of the goal that meet the limit.

    Rules of weight -inf do not exist. The ranges are necessary, not sufficient, save for the goal's,
    whose ends before clipping are met: `least` = 0 and `most` = NEVER give what is possible at all.
    """
    count = len(rules.first) - 1
    low = np.empty(count, np.int64)
    high = np.empty(count, np.int64)
    for item in range(count):
        # low(item) = min over its rules of cost + low(left) + low(right); high with max
        low[item] = NEVER
        high[item] = -1
        for rule in range(rules.first[item], rules.first[item + 1]):
            left = rules.left[rule]
            right = rules.right[rule]
            if weights[rule] == -np.inf or (left >= 0 and high[left] < 0) or (right >= 0 and high[right] < 0):
                continue
            cheapest = costs[rule] + (low[left] if left >= 0 else 0) + (low[right] if right >= 0 else 0)
            dearest = costs[rule] + (high[left] if left >= 0 else 0) + (high[right] if right >= 0 else 0)
            low[item] = min(low[item], cheapest)
            high[item] = max(high[item], dearest)

    # The same from above: what the rest of a derivation costs at least and at most.
    rest_low = np.full(count, NEVER, np.int64)
    rest_high = np.full(count, -1, np.int64)
    rest_low[count - 1] = 0
    rest_high[count - 1] = 0
    for item in range(count - 1, -1, -1):
        if rest_high[item] < 0 or high[item] < 0:
            low[item] = NEVER
            high[item] = -1
            continue
        low[item] = max(low[item], least - rest_high[item])
        high[item] = min(high[item], most - rest_low[item])
        if high[item] < low[item]:
            continue
        for rule in range(rules.first[item], rules.first[item + 1]):
            left = rules.left[rule]
            right = rules.right[rule]
            if weights[rule] == -np.inf or (left >= 0 and high[left] < 0) or (right >= 0 and high[right] < 0):
                continue
            if left >= 0:
                beside_low = low[right] if right >= 0 else 0
                beside_high = high[right] if right >= 0 else 0
                rest_low[left] = min(rest_low[left], rest_low[item] + costs[rule] + beside_low)
                rest_high[left] = max(rest_high[left], rest_high[item] + costs[rule] + beside_high)
            if right >= 0:
                rest_low[right] = min(rest_low[right], rest_low[item] + costs[rule] + low[left])
                rest_high[right] = max(rest_high[right], rest_high[item] + costs[rule] + high[left])
    return low, high


@kernel
def convolution_work(rules: Rules, weights: Float64, low: Int64, high: Int64) -> float:
    """How many sums a table over these ranges takes."""
    work = 0.0
    for item in range(len(low)):
        if high[item] < low[item]:
            continue
        for rule in range(rules.first[item], rules.first[item + 1]):
            if weights[rule] > -np.inf:
                left = rules.left[rule]
                right = rules.right[rule]
                sums = max(0, high[left] - low[left] + 1) if left >= 0 else 1
                work += sums * max(0, high[right] - low[right] + 1) if right >= 0 else sums
    return work


@kernel
def best_by_cost(
    rules: Rules, weights: Float64, costs: Int64, low: Int64, high: Int64, multiplier: float, needed: Float64
) -> Table:
    """The best score of every item at every cost in its range.

    best(item, c) = max over its rules and over a + b = c - cost of weight + best(left, a) + best(right, b).

    Cells with best(item, c) - multiplier·c < needed(item) are known to be of no use: they become -inf, and
    ranges shrink by those at their ends. Where `needed` is -inf, everything is kept.
    """
    table = _empty_table(low, high)
    values, offset, low, high = table
    for item in range(len(low)):
        if high[item] < low[item]:
            continue
        _over_rules(rules, weights, costs, table, item, values, False)
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
def log_sums_by_cost(rules: Rules, weights: Float64, costs: Int64, low: Int64, high: Int64) -> Table:
    """The log of the sum of exp(score) over the derivations of every item at every cost in its range.

    sum(item, c) = log Σ exp(weight + sum(left, a) + sum(right, b)) over its rules and over a + b = c - cost, taken
    around the largest term, which a first pass finds.
    """
    table = _empty_table(low, high)
    values, offset, low, high = table
    total = np.empty(max(1, (high - low + 1).max()))
    for item in range(len(low)):
        if high[item] < low[item]:
            continue
        _over_rules(rules, weights, costs, table, item, values, False)
        total[:] = 0.0
        _over_rules(rules, weights, costs, table, item, total, True)
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
    return Table(np.full(size, -np.inf), offset, low.copy(), high.copy())


@kernel
def _over_rules(
    rules: Rules, weights: Float64, costs: Int64, table: Table, item: int, total: Float64, adding: bool
) -> None:
    # One pass over the rules of an item: the maxima into the table or, around these, the sums into `total`.
    values, offset, low, high = table
    out = values[offset[item] : offset[item] + high[item] - low[item] + 1]
    unit = np.zeros(1)  # no premise: score 0 at cost 0
    for rule in range(rules.first[item], rules.first[item + 1]):
        left = rules.left[rule]
        right = rules.right[rule]
        if weights[rule] == -np.inf:
            continue
        first = second = unit
        start = costs[rule] - low[item]
        if left >= 0:
            first = values[offset[left] : offset[left] + max(0, high[left] - low[left] + 1)]
            start += low[left]
        if right >= 0:
            second = values[offset[right] : offset[right] + max(0, high[right] - low[right] + 1)]
            start += low[right]
        if adding:
            _add_sums(total, out, start, weights[rule], first, second)
        elif len(first) <= len(second):
            _raise_to_sums(out, start, weights[rule], first, second)
        else:
            _raise_to_sums(out, start, weights[rule], second, first)


@kernel
def _raise_to_sums(out: Float64, start: int, weight: float, left: Float64, right: Float64) -> None:
    # out(start + a + b) = max(itself, left(a) + right(b) + weight). The longer vector is innermost, contiguous
    # and without branches, so that the compiler makes vector instructions of it.
    for a in range(len(left)):
        begin = max(0, -start - a)
        end = min(len(right), len(out) - start - a)
        if begin < end and left[a] > -np.inf:
            base = left[a] + weight
            row = out[start + a + begin : start + a + end]
            column = right[begin:end]
            for b in range(len(row)):
                value = base + column[b]
                row[b] = value if value > row[b] else row[b]


@kernel
def _add_sums(
    total: Float64, peak: Float64, start: int, weight: float, left: Float64, right: Float64
) -> None:
    # total(start + a + b) += exp(left(a) + right(b) + weight - peak(start + a + b))
    for a in range(len(left)):
        base = left[a] + weight
        for b in range(max(0, -start - a), min(len(right), len(peak) - start - a)):
            place = start + a + b
            below = base + right[b] - peak[place]
            if below > NEGLIGIBLE:  # false for nan, which -inf minus -inf makes
                total[place] += np.exp(below)


@kernel
def part_posteriors_by_cost(
    rules: Rules, weights: Float64, costs: Int64, table: Table, log_partition: float, parts: int
) -> Float64:
    """The expected number of uses of every part, by one pass from the goal down over a `soft` table.

    p(rule, a, b) = p(item, c) exp(weight + inside(left, a) + inside(right, b) - inside(item, c)); the
    probability of a premise at a cost is the sum of p over the rules that use it. Probabilities never
    leave [0, 1], so nothing underflows that matters.
    """
    values, offset, low, high = table
    count = len(rules.first) - 1
    posterior = np.zeros(len(values))
    expected = np.zeros(parts)
    for cell in range(high[count - 1] - low[count - 1] + 1):
        place = offset[count - 1] + cell
        posterior[place] = np.exp(values[place] - log_partition)
    for item in range(count - 1, -1, -1):
        if high[item] < low[item]:
            continue
        for rule in range(rules.first[item], rules.first[item + 1]):
            if weights[rule] == -np.inf:
                continue
            left = rules.left[rule]
            right = rules.right[rule]
            mass = 0.0
            for a in range(low[left] if left >= 0 else 0, (high[left] if left >= 0 else 0) + 1):
                left_place = offset[left] + a - low[left] if left >= 0 else 0
                base = weights[rule] + (values[left_place] if left >= 0 else 0.0)
                # c = cost + a + b must lie within the range of the item
                begin = max(low[right] if right >= 0 else 0, low[item] - costs[rule] - a)
                end = min(high[right] if right >= 0 else 0, high[item] - costs[rule] - a)
                for b in range(begin, end + 1):
                    place = offset[item] + costs[rule] + a + b - low[item]
                    right_place = offset[right] + b - low[right] if right >= 0 else 0
                    below = base + (values[right_place] if right >= 0 else 0.0) - values[place]
                    if posterior[place] > 0.0 and below > NEGLIGIBLE:
                        share = posterior[place] * np.exp(below)
                        mass += share
                        if left >= 0:
                            posterior[left_place] += share
                        if right >= 0:
                            posterior[right_place] += share
            expected[rules.part[rule]] += mass
    return expected
