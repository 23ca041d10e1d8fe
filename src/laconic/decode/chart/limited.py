"""The best derivation within a limit on its cost, exactly: relaxed first, then searched where it must be.

The relaxation (see `bisection`) often lands on the limit and so proves its answer. Where it does not, it
still bounds from above all derivations that use a given rule, or a given item at a given cost. What is
bounded below a derivation already known cannot improve on it, so the chart over costs is computed over
the little that remains. Nothing is lost: what is pruned is proven worse.
"""

from __future__ import annotations

import numpy as np

from laconic.decode.bisection import TOLERANCE, Relaxation, relax
from laconic.decode.chart.derivations import derive
from laconic.decode.chart.free import as_table, inside, outside_best, through_rules
from laconic.decode.chart.lengths import NEVER, best_by_cost, convolution_work, cost_ranges
from laconic.decode.chart.rules import Float64, Int64, Rules, Table

# With fewer sums than this for each rule, the chart over costs is cheaper than the passes of the relaxation.
_CHEAP_SUMS_PER_RULE = 60.0
# The shares of all rules to search in turn, until what is found is proven best.
_SHARES = (1 / 64, 1 / 8, 1.0)
_NO_NUMBERS = np.empty(0)


def best_derivation(rules: Rules, weights: Float64) -> Int64 | None:
    """The best derivation at any cost; None if there is none."""
    values = inside(rules, weights, False)
    if values[-1] == -np.inf:
        return None
    return derive(rules, weights, np.zeros(len(weights), np.int64), as_table(values), 0, _NO_NUMBERS)


def best_within(rules: Rules, weights: Float64, costs: Int64, least: int, most: int) -> Int64 | None:
    """The best derivation whose cost lies between least and most; None if there is none."""
    low, high = cost_ranges(rules, weights, costs, least, most)
    if high[-1] < low[-1]:
        return None
    if convolution_work(rules, weights, low, high) <= _CHEAP_SUMS_PER_RULE * len(weights):
        return _best_of(rules, weights, costs, exact_table(rules, weights, costs, low, high))
    priced = costs.astype(np.float64)

    def solve(multiplier: float) -> tuple[float, int, Int64]:
        derivation = best_derivation(rules, weights - multiplier * priced)
        assert derivation is not None
        return float(weights[derivation].sum()), int(costs[derivation].sum()), derivation

    relaxation = relax(solve, least, most)
    if relaxation.certified:
        return relaxation.answer
    return _search(rules, weights, costs, least, most, relaxation)


def exact_table(rules: Rules, weights: Float64, costs: Int64, low: Int64, high: Int64) -> Table:
    """The best score of every item at every cost, with nothing pruned."""
    return best_by_cost(rules, weights, costs, low, high, 0.0, np.full(len(low), -np.inf))


def nearest_costs(
    rules: Rules, weights: Float64, costs: Int64, least: int, most: int
) -> tuple[int, int] | None:
    """What can be had instead of a limit that no derivation meets; None if there is no derivation at all.

    Where the limit lies outside of everything possible, the least and the greatest cost there are; where
    it falls between two costs that are possible, these two.
    """
    low, high = cost_ranges(rules, weights, costs, 0, NEVER)
    if high[-1] < low[-1]:
        return None
    if low[-1] > most or high[-1] < least:
        return int(low[-1]), int(high[-1])
    table = exact_table(rules, weights, costs, low, high)
    possible = np.flatnonzero(table.goal() > -np.inf) + table.low[-1]
    return int(possible[possible < least].max()), int(possible[possible > most].min())


def _best_of(rules: Rules, weights: Float64, costs: Int64, table: Table) -> Int64 | None:
    goal = table.goal()
    if goal.max(initial=-np.inf) == -np.inf:
        return None
    return derive(rules, weights, costs, table, int(table.low[-1]) + int(np.argmax(goal)), _NO_NUMBERS)


def _search(
    rules: Rules, weights: Float64, costs: Int64, least: int, most: int, relaxation: Relaxation[Int64]
) -> Int64 | None:
    # For a derivation within the limit, score <= score - λ·(cost - target). The best of the right hand side
    # over the derivations with a rule, or with an item at cost c, bounds them all:
    #   bound(rule)    = outside(item) + weight - λ·cost + inside(left) + inside(right) + λ·target
    #   bound(item, c) = outside(item) + best(item, c) - λ·c + λ·target
    # with inside and outside taken over the weights less λ·cost.
    multiplier = relaxation.multiplier
    constant = multiplier * relaxation.target
    priced = weights - multiplier * costs
    values = inside(rules, priced, False)
    outside = outside_best(rules, priced, values)
    bounds = through_rules(rules, priced, values, outside) + constant
    slack = TOLERANCE * max(1.0, abs(relaxation.bound))

    def search(threshold: float) -> Int64 | None:
        kept = np.where(bounds >= threshold - slack, weights, -np.inf)
        low, high = cost_ranges(rules, kept, costs, least, most)
        needed = threshold - slack - constant - outside  # +inf where an item completes to nothing
        return _best_of(rules, kept, costs, best_by_cost(rules, kept, costs, low, high, multiplier, needed))

    finite = bounds[bounds > -np.inf]
    for share in _SHARES:
        count = max(1, int(share * len(finite)))
        threshold = max(relaxation.score, float(np.partition(finite, -count)[-count]))
        found = search(threshold)
        if found is not None:
            score = float(weights[found].sum())
            # All that reaches the threshold was searched. What was found may lie below it, where the limit
            # is a range; it is then the next threshold.
            return found if score >= threshold - slack else search(score)
    return relaxation.answer
