"""The best derivation within a limit on its cost, exactly: relaxed first, then searched where it must be.

The relaxation (see `bisection`) often lands on the limit and so proves its answer. Where it does not, it
still bounds from above all derivations that use a given rule, or a given item at a given cost. What is
bounded below a derivation already known cannot improve on it, so the chart over costs is computed over
the little that remains. Nothing is lost: what is pruned is proven worse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from laconic.decode.bisection import Relaxation, relax
from laconic.decode.chart.derivations import derive
from laconic.decode.chart.free import as_table, cost_extremes, inside, outside_best, rules_above
from laconic.decode.chart.lengths import best_scores_within, pruned_scores_within
from laconic.decode.chart.rules import Float64, Int64, Rules, Table

# Up to this greatest cost, the chart over costs is cheaper than the passes of the relaxation.
_CHEAP_COST = 24
# The shares of all items to search in turn, until what is found is proven best; then all that may be better.
_SHARES = (1 / 16, 1 / 4)
_FEW = 1 / 8  # the share of the rules up to which the chart over costs is cheaper than the relaxation
_MARGIN = 1e-12  # relative to the largest sums
_NO_NUMBERS = np.empty(0)


def best_derivation(rules: Rules, scores: Float64) -> Int64 | None:
    """The parts of the best derivation at any cost; None if there is none."""
    values = inside(rules, scores, False)
    if values[-1] == -np.inf:
        return None
    return derive(rules, scores, np.zeros(len(scores), np.int64), as_table(values), 0, _NO_NUMBERS)


def best_within(rules: Rules, scores: Float64, costs: Int64, least: int, most: int) -> Int64 | None:
    """The parts of the best derivation whose cost lies between least and most; None if there is none."""
    extremes = cost_extremes(rules, scores, costs)
    if extremes is None or extremes[0] > most or extremes[1] < least:
        return None
    if extremes[1] <= _CHEAP_COST:
        return _best_of(rules, scores, costs, best_scores_within(rules, scores, costs, least, most))
    relaxation = _relaxed(rules, scores, costs, least, most)
    if relaxation.certified:
        return relaxation.answer
    return _search(rules, scores, costs, least, most, relaxation)


def rules_reaching(rules: Rules, scores: Float64, threshold: float) -> tuple[Rules, Float64] | None:
    """The rules of the derivations that score at least the threshold at any cost, and what each item must score.

    The threshold is finite. None where there is no such derivation.
    """
    values = inside(rules, scores, False)
    least_bound = threshold - _MARGIN * (1.0 + abs(threshold))
    if values[-1] < least_bound:
        return None
    outside = outside_best(rules, scores, values)
    least_bound -= _slack(values, outside, 0.0)
    return rules_above(rules, scores, values, outside, least_bound), least_bound - outside


def best_above(
    rules: Rules, scores: Float64, costs: Int64, least: int, most: int, threshold: float
) -> Int64 | None:
    """The parts of the best derivation within the limit, if it scores at least the threshold; else None.

    Made for scores of which so many are -inf that few derivations reach the threshold.
    """
    if threshold == -np.inf:
        return best_within(rules, scores, costs, least, most)
    reaching = rules_reaching(rules, scores, threshold)
    if reaching is None:
        return None
    few, needed = reaching
    if len(few.part) > _FEW * len(rules.part):
        found = best_within(rules, scores, costs, least, most)
        return found if found is not None and scores[found].sum() >= threshold else None
    table = pruned_scores_within(few, scores, costs, least, most, 0.0, needed)
    return _best_of(few, scores, costs, table)


@dataclass(frozen=True, slots=True)
class Reach:
    """What can score at least a threshold within a limit: its rules, and the price of cost that shows it."""

    rules: Rules
    least: int
    most: int
    threshold: float
    multiplier: float
    target: int

    @classmethod
    def of(
        cls, rules: Rules, scores: Float64, costs: Int64, least: int, most: int, threshold: float
    ) -> Reach:
        """The reach of all derivations; there must be one within the limit."""
        relaxation = _relaxed(rules, scores, costs, least, most)
        whole = cls(rules, least, most, threshold, relaxation.multiplier, relaxation.target)
        narrow = whole._narrowed(scores - relaxation.multiplier * costs)
        return whole if narrow is None else replace(whole, rules=narrow[0])

    def best(self, scores: Float64, costs: Int64) -> Int64 | None:
        """The parts of the best derivation, if it scores at least the threshold; else None.

        No score may be higher than those the reach was made for.
        """
        narrow = self._narrowed(scores - self.multiplier * costs)
        if narrow is None:
            return None
        rules, needed = narrow
        table = pruned_scores_within(rules, scores, costs, self.least, self.most, self.multiplier, needed)
        found = _best_of(rules, scores, costs, table)
        # At less than the target cost, what is below the threshold may be left, and better may not be.
        missed = found is None or scores[found].sum() < self.threshold - _MARGIN * (1.0 + abs(self.threshold))
        return None if missed else found

    def _narrowed(self, priced: Float64) -> tuple[Rules, Float64] | None:
        # The bounds are those of `_search`.
        constant = self.multiplier * self.target
        values = inside(self.rules, priced, False)
        least_bound = self.threshold - constant - _MARGIN * (1.0 + abs(constant) + abs(self.threshold))
        if values[-1] < least_bound:
            return None
        outside = outside_best(self.rules, priced, values)
        least_bound -= _slack(values, outside, constant)
        return rules_above(self.rules, priced, values, outside, least_bound), least_bound - outside


def _relaxed(rules: Rules, scores: Float64, costs: Int64, least: int, most: int) -> Relaxation[Int64]:
    paying = np.flatnonzero(costs)
    priced = scores.copy()

    def solve(multiplier: float) -> tuple[float, int, Int64]:
        priced[paying] = scores[paying] - multiplier * costs[paying]
        parts = best_derivation(rules, priced)
        assert parts is not None
        return float(scores[parts].sum()), int(costs[parts].sum()), parts

    return relax(solve, least, most)


def _slack(values: Float64, outside: Float64, constant: float) -> float:
    """What rounding may do to a bound; a wider margin only searches more."""
    reachable = np.isfinite(values) & np.isfinite(outside)
    largest = np.abs(values[reachable]).max() + np.abs(outside[reachable]).max()
    return float(_MARGIN * (1.0 + abs(constant) + largest))


def nearest_costs(
    rules: Rules, scores: Float64, costs: Int64, least: int, most: int
) -> tuple[int, int] | None:
    """What can be had instead of a limit that no derivation meets; None if there is no derivation at all.

    Where the limit lies outside of everything possible, the least and the greatest cost there are; where
    it falls between two costs that are possible, these two.
    """
    extremes = cost_extremes(rules, scores, costs)
    if extremes is None or extremes[0] > most or extremes[1] < least:
        return extremes
    table = best_scores_within(rules, scores, costs, *extremes)
    possible = np.flatnonzero(table.goal() > -np.inf) + table.low[-1]
    return int(possible[possible < least].max()), int(possible[possible > most].min())


def _best_of(rules: Rules, scores: Float64, costs: Int64, table: Table) -> Int64 | None:
    goal = table.goal()
    if goal.max(initial=-np.inf) == -np.inf:
        return None
    return derive(rules, scores, costs, table, int(table.low[-1]) + int(np.argmax(goal)), _NO_NUMBERS)


def _search(
    rules: Rules, scores: Float64, costs: Int64, least: int, most: int, relaxation: Relaxation[Int64]
) -> Int64 | None:
    # For a derivation within the limit, score <= score - λ·(cost - target). The best of the right hand side
    # over the derivations with a rule, or with an item at cost c, bounds them all:
    #   bound(rule)    = outside(item) + score - λ·cost + inside(left) + inside(right) + λ·target
    #   bound(item, c) = outside(item) + best(item, c) - λ·c + λ·target
    # with inside and outside taken over scores less λ·cost.
    multiplier = relaxation.multiplier
    constant = multiplier * relaxation.target
    priced = scores - multiplier * costs
    values = inside(rules, priced, False)
    outside = outside_best(rules, priced, values)
    reachable = np.isfinite(values) & np.isfinite(outside)
    bounds = values[reachable] + outside[reachable] + constant
    slack = _slack(values, outside, constant)

    def search(threshold: float) -> Int64 | None:
        least_bound = threshold - slack - constant
        kept = rules_above(rules, priced, values, outside, least_bound)
        needed = least_bound - outside
        table = pruned_scores_within(kept, scores, costs, least, most, multiplier, needed)
        return _best_of(kept, scores, costs, table)

    for share in _SHARES:
        count = max(1, int(share * len(bounds)))
        threshold = max(relaxation.score, float(np.partition(bounds, -count)[-count]))
        found = search(threshold)
        if found is not None:
            score = float(scores[found].sum())
            # All that may reach the threshold was searched. Where the limit is a range, what was found may
            # lie below it; it is then the next threshold.
            return found if score >= threshold - slack else search(score)
    # What lies within the limit may be worse than the best derivation through any of its items.
    if relaxation.answer is None:
        return _best_of(rules, scores, costs, best_scores_within(rules, scores, costs, least, most))
    better = search(relaxation.score)
    return relaxation.answer if better is None else better
