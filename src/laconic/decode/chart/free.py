"""The chart regardless of cost: best derivations, the sum over all of them, posterior probabilities."""

from __future__ import annotations

import numpy as np

from laconic.decode.chart.rules import NEGLIGIBLE, UNIT, Float64, Int64, Rules, Table
from laconic.kernel import kernel


@kernel
def inside(rules: Rules, scores: Float64, soft: bool) -> Float64:
    """The score of the best derivation of every item, or (`soft`) the log of the sum over all of them.

    inside(item) = ⊕ over its rules of score + inside(left) + inside(right), with ⊕ the maximum or the
    log of the sum of exponentials; the sum is taken around the maximum.
    """
    first, left, right, part = rules
    values = np.empty(len(first) - 1)
    values[UNIT] = 0.0
    for item in range(UNIT + 1, len(values)):
        best = -np.inf
        for rule in range(first[item], first[item + 1]):
            value = scores[part[rule]] + values[left[rule]] + values[right[rule]]
            if value > best:
                best = value
        if soft and best > -np.inf:
            total = 0.0
            for rule in range(first[item], first[item + 1]):
                below = scores[part[rule]] + values[left[rule]] + values[right[rule]] - best
                if below > NEGLIGIBLE:
                    total += np.exp(below)
            best += np.log(total)
        values[item] = best
    return values


@kernel
def outside_best(rules: Rules, scores: Float64, values: Float64) -> Float64:
    """The score of the best completion of every item to a derivation of the goal.

    outside(premise) = max over the rules that use it of outside(item) + score + inside(other premise).
    """
    first, left, right, part = rules
    outside = np.full(len(values), -np.inf)
    outside[-1] = 0.0
    for item in range(len(values) - 1, UNIT, -1):
        if outside[item] == -np.inf:
            continue
        for rule in range(first[item], first[item + 1]):
            value = outside[item] + scores[part[rule]]
            if value + values[right[rule]] > outside[left[rule]]:
                outside[left[rule]] = value + values[right[rule]]
            if value + values[left[rule]] > outside[right[rule]]:
                outside[right[rule]] = value + values[left[rule]]
    return outside


@kernel
def rules_above(rules: Rules, scores: Float64, values: Float64, outside: Float64, threshold: float) -> Rules:
    """The rules whose best derivation of the goal scores at least the threshold; items keep their numbers."""
    first, left, right, part = rules
    kept = np.empty(len(part), np.int32)
    bounds = np.zeros(len(first), np.int32)
    size = 0
    for item in range(UNIT + 1, len(values)):
        if outside[item] + values[item] >= threshold:
            for rule in range(first[item], first[item + 1]):
                through = outside[item] + scores[part[rule]] + values[left[rule]] + values[right[rule]]
                if through >= threshold:
                    kept[size] = rule
                    size += 1
        bounds[item + 1] = size
    chosen = kept[:size]
    return Rules(bounds, left[chosen], right[chosen], part[chosen])


@kernel
def part_posteriors(rules: Rules, scores: Float64, values: Float64) -> Float64:
    """The expected number of uses of every part, by one pass from the goal down over `soft` values.

    p(rule) = p(item) exp(score + inside(left) + inside(right) - inside(item)); the probability of a premise
    is the sum of p over the rules that use it. Probabilities stay within [0, 1], so nothing overflows.
    """
    first, left, right, part = rules
    posterior = np.zeros(len(values))
    posterior[-1] = 1.0
    expected = np.zeros(len(scores))
    for item in range(len(values) - 1, UNIT, -1):
        if posterior[item] == 0.0:
            continue
        for rule in range(first[item], first[item + 1]):
            below = scores[part[rule]] + values[left[rule]] + values[right[rule]] - values[item]
            if below > NEGLIGIBLE:
                share = posterior[item] * np.exp(below)
                expected[part[rule]] += share
                posterior[left[rule]] += share
                posterior[right[rule]] += share
    return expected


def as_table(values: Float64) -> Table:
    """Values regardless of cost, as a table in which everything costs 0."""
    zeros = np.zeros(len(values), np.int64)
    return Table(values, np.arange(len(values), dtype=np.int64), zeros, zeros)


def cost_extremes(rules: Rules, scores: Float64, costs: Int64) -> tuple[int, int] | None:
    """The least and the greatest cost of any derivation; None if there is no derivation."""
    least = inside(rules, np.where(scores > -np.inf, -costs, -np.inf), False)[-1]
    if least == -np.inf:
        return None
    return int(-least), int(inside(rules, np.where(scores > -np.inf, costs, -np.inf), False)[-1])
