"""The chart regardless of cost: best derivations, the sum over all of them, posterior probabilities."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from laconic.decode.chart.rules import NEGLIGIBLE, Float64, Rules, Table
from laconic.kernel import kernel

Number = TypeVar("Number", np.float64, np.int64)


@kernel
def weigh(rules: Rules, by_part: NDArray[Number]) -> NDArray[Number]:
    """The score, or the cost, of every rule: that of the part it introduces."""
    by_rule = np.empty(len(rules.part), by_part.dtype)
    for rule in range(len(by_rule)):
        by_rule[rule] = by_part[rules.part[rule]]
    return by_rule


@kernel
def inside(rules: Rules, weights: Float64, soft: bool) -> Float64:
    """The score of the best derivation of every item, or (`soft`) the log of the sum over all of them.

    inside(item) = ⊕ over its rules of weight + inside(left) + inside(right), with ⊕ the maximum or the
    log of the sum of exponentials; the sum is taken around the maximum.
    """
    count = len(rules.first) - 1
    values = np.empty(count)
    for item in range(count):
        begin, end = rules.first[item], rules.first[item + 1]
        best = -np.inf
        for rule in range(begin, end):
            value = weights[rule]
            if rules.left[rule] >= 0:
                value += values[rules.left[rule]]
            if rules.right[rule] >= 0:
                value += values[rules.right[rule]]
            if value > best:
                best = value
        if soft and best > -np.inf:
            total = 0.0
            for rule in range(begin, end):
                value = weights[rule] - best
                if rules.left[rule] >= 0:
                    value += values[rules.left[rule]]
                if rules.right[rule] >= 0:
                    value += values[rules.right[rule]]
                if value > NEGLIGIBLE:
                    total += np.exp(value)
            best += np.log(total)
        values[item] = best
    return values


@kernel
def outside_best(rules: Rules, weights: Float64, values: Float64) -> Float64:
    """The score of the best completion of every item to a derivation of the goal.

    outside(premise) = max over the rules that use it of outside(item) + weight + inside(other premise).
    """
    count = len(values)
    outside = np.full(count, -np.inf)
    outside[count - 1] = 0.0
    for item in range(count - 1, -1, -1):
        above = outside[item]
        if above == -np.inf:
            continue
        for rule in range(rules.first[item], rules.first[item + 1]):
            left = rules.left[rule]
            right = rules.right[rule]
            value = above + weights[rule]
            if left >= 0:
                beside = value + values[right] if right >= 0 else value
                if beside > outside[left]:
                    outside[left] = beside
            if right >= 0 and value + values[left] > outside[right]:
                outside[right] = value + values[left]
    return outside


@kernel
def through_rules(rules: Rules, weights: Float64, values: Float64, outside: Float64) -> Float64:
    """The score of the best derivation of the goal that uses each rule; -inf where there is none."""
    through = np.empty(len(weights))
    for item in range(len(values)):
        for rule in range(rules.first[item], rules.first[item + 1]):
            score = outside[item] + weights[rule]
            if rules.left[rule] >= 0:
                score += values[rules.left[rule]]
            if rules.right[rule] >= 0:
                score += values[rules.right[rule]]
            through[rule] = score
    return through


@kernel
def part_posteriors(rules: Rules, weights: Float64, values: Float64, parts: int) -> Float64:
    """The expected number of uses of every part, by one pass from the goal down over `soft` values.

    p(rule) = p(item) exp(weight + inside(left) + inside(right) - inside(item)); the probability of a premise
    is the sum of p over the rules that use it. Probabilities stay within [0, 1], so nothing overflows.
    """
    count = len(values)
    posterior = np.zeros(count)
    posterior[count - 1] = 1.0
    expected = np.zeros(parts)
    for item in range(count - 1, -1, -1):
        if posterior[item] == 0.0:
            continue
        for rule in range(rules.first[item], rules.first[item + 1]):
            left = rules.left[rule]
            right = rules.right[rule]
            value = weights[rule] - values[item]
            if left >= 0:
                value += values[left]
            if right >= 0:
                value += values[right]
            if value > NEGLIGIBLE:
                share = posterior[item] * np.exp(value)
                expected[rules.part[rule]] += share
                if left >= 0:
                    posterior[left] += share
                if right >= 0:
                    posterior[right] += share
    return expected


def as_table(values: Float64) -> Table:
    """Values regardless of cost, as a table in which everything costs 0."""
    count = len(values)
    zeros = np.zeros(count, np.int64)
    return Table(values, np.arange(count, dtype=np.int64), zeros, zeros)
