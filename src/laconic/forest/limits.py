"""The best derivation within a limit on its cost, exactly: relaxed first, then searched where it must be.

Walking the hull (see `hull`) often lands on the limit and so proves its answer. Where it does not, it still bounds from
above all derivations that use a given edge, or a given item at a given cost. What is bounded below a derivation
already known cannot improve on it, so the table over costs is computed over the little that remains. Nothing is lost:
what is pruned is proven worse.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.errors import InfeasibleBudget, nearest_possible
from laconic.forest.best import best_derivation, inside_best, outside_best, parts_of_best, shape_above
from laconic.forest.hull import Relaxation, walk_hull
from laconic.forest.shape import UNIT, Shape, Table, frozen
from laconic.forest.tables import cost_spans, cost_table

# Up to this many sums in a table over costs, roughly, it is cheaper than the passes of the relaxation.
_CHEAP_TABLE = 300_000
# The shares of all items to search in turn, until what is found is proven best; then all that may be better.
_SHARES = (1 / 16, 1 / 4)
# How far below the bound to search in turn where nothing within the limit is known: the best is seldom far.
_GAPS = (1.0, 4.0, 16.0)
_FEW = 1 / 8  # the share of the edges up to which the table over costs is cheaper than the relaxation
_ROUNDING = 1e-12  # of sums, relative to the largest; more only searches more


def best_parts(shape: Shape, scores: Float64) -> Int64 | None:
    """The parts of the best derivation at any cost; None if there is none. O(edges)."""
    _, parts = parts_of_best(shape, scores)
    return parts if len(parts) else None


def best_parts_within(shape: Shape, scores: Float64, costs: Int64, least: int, most: int) -> Int64 | None:
    """The parts of the best derivation whose cost lies between least and most; None if there is none."""
    extremes = cost_extremes(shape, scores, costs)
    if extremes is None or extremes[0] > most or extremes[1] < least:
        return None
    greatest = min(extremes[1], most)
    joins = np.count_nonzero(shape.right != UNIT)
    if greatest * (len(shape.part) + joins * greatest / 16) <= _CHEAP_TABLE:
        return best_of(shape, scores, costs, cost_table(shape, scores, costs, least, most))
    relaxation = relaxed(shape, scores, costs, least, most)
    if relaxation.certified:
        return relaxation.answer
    return _search(shape, scores, costs, least, most, relaxation)


def best_of(shape: Shape, scores: Float64, costs: Int64, table: Table) -> Int64 | None:
    """The parts of the best derivation of the goal in a table, among equals the cheapest; None if there is none."""
    goal = table.goal()
    if goal.max(initial=-np.inf) == -np.inf:
        return None
    return best_derivation(shape, scores, costs, table, int(table.low[-1]) + int(np.argmax(goal)))


def best_parts_above(
    shape: Shape, scores: Float64, costs: Int64, least: int, most: int, threshold: float
) -> Int64 | None:
    """The parts of the best derivation within the limit, if it scores at least the threshold; else None.

    Made for a finite threshold and scores of which so many are -inf that few derivations reach it.
    """
    inside = inside_best(shape, scores)
    least_bound = threshold - _ROUNDING * (1.0 + abs(threshold))
    if inside[-1] < least_bound:
        return None
    outside = outside_best(shape, scores, inside)
    least_bound -= _slack(inside, outside, 0.0)
    few = shape_above(shape, scores, inside, outside, least_bound)
    if len(few.part) > _FEW * len(shape.part):
        found = best_parts_within(shape, scores, costs, least, most)
        return found if found is not None and scores[found].sum() >= threshold else None
    return best_of(
        few, scores, costs, cost_table(few, scores, costs, least, most, needed=least_bound - outside)
    )


def bounds_within(shape: Shape, scores: Float64, costs: Int64, least: int, most: int) -> Float64 | None:
    """For each part, what no derivation with it within the limit scores more than; None if all cost more or less."""
    extremes = cost_extremes(shape, scores, costs)
    if extremes is None or extremes[0] > most or extremes[1] < least:
        return None
    relaxation = relaxed(shape, scores, costs, least, most)
    constant = relaxation.multiplier * relaxation.target
    bounds = best_through(shape, frozen(scores - relaxation.multiplier * costs)) + constant
    return bounds + _ROUNDING * (1.0 + abs(constant))


def best_through(shape: Shape, scores: Float64) -> Float64:
    """For each part, the score of the best derivation that uses it. O(edges)."""
    inside = inside_best(shape, scores)
    around = np.repeat(outside_best(shape, scores, inside), np.diff(shape.first))
    through = np.full(len(scores), -np.inf)
    np.maximum.at(through, shape.part, around + scores[shape.part] + inside[shape.left] + inside[shape.right])
    return through


def relaxed(shape: Shape, scores: Float64, costs: Int64, least: int, most: int) -> Relaxation[Int64]:
    """The walk over the hull of (cost, score) towards the limit."""

    def solve(multiplier: float) -> tuple[float, int, Int64]:
        parts = best_parts(shape, frozen(scores - multiplier * costs))
        assert parts is not None
        return float(scores[parts].sum()), int(costs[parts].sum()), parts

    return walk_hull(solve, least, most)


def _slack(inside: Float64, outside: Float64, constant: float) -> float:
    """What rounding may do to a bound; a wider margin only searches more."""
    reachable = np.isfinite(inside) & np.isfinite(outside)
    largest = np.abs(inside[reachable]).max() + np.abs(outside[reachable]).max()
    return float(_ROUNDING * (1.0 + abs(constant) + largest))


def cost_extremes(shape: Shape, scores: Float64, costs: Int64) -> tuple[int, int] | None:
    """The least and the greatest cost of any derivation; None if there is no derivation."""
    low, high = cost_spans(shape, scores, costs)
    return None if high[-1] < 0 else (int(low[-1]), int(high[-1]))


def infeasible(
    shape: Shape, scores: Float64, costs: Int64, least: int, most: int, *, what: str, unit: str
) -> InfeasibleBudget:
    """The error for a limit that no derivation meets, which says what can be had instead: the nearest costs."""
    extremes = cost_extremes(shape, scores, costs)
    if extremes is None:
        return InfeasibleBudget(f"scores and prices rule out all {what}s")
    found = [*extremes]
    if extremes[0] <= most and extremes[1] >= least:
        table = cost_table(shape, scores, costs)
        found = (np.flatnonzero(table.goal() > -np.inf) + table.low[-1]).tolist()
    asked = f"{least}" if least == most else f"{least} to {most}"
    return InfeasibleBudget(f"no {what} has {asked} {unit}", possible=nearest_possible(found, least, most))


def _search(
    shape: Shape, scores: Float64, costs: Int64, least: int, most: int, relaxation: Relaxation[Int64]
) -> Int64 | None:
    # For a derivation within the limit, score <= score - λ·(cost - target). The best of the right hand side
    # over the derivations with an edge, or with an item at cost c, bounds them all:
    #   bound(edge)    = outside(item) + score - λ·cost + inside(left) + inside(right) + λ·target
    #   bound(item, c) = outside(item) + best(item, c) - λ·c + λ·target
    # with inside and outside taken over scores less λ·cost.
    multiplier = relaxation.multiplier
    constant = multiplier * relaxation.target
    priced = frozen(scores - multiplier * costs)
    inside = inside_best(shape, priced)
    outside = outside_best(shape, priced, inside)
    reachable = np.isfinite(inside) & np.isfinite(outside)
    bounds = inside[reachable] + outside[reachable] + constant
    slack = _slack(inside, outside, constant)

    def search(threshold: float) -> Int64 | None:
        least_bound = threshold - slack - constant
        kept = shape_above(shape, priced, inside, outside, least_bound)
        needed = least_bound - outside
        table = cost_table(kept, scores, costs, least, most, multiplier=multiplier, needed=needed)
        return best_of(kept, scores, costs, table)

    counts = (max(1, int(share * len(bounds))) for share in _SHARES)
    shared = (max(relaxation.score, float(np.partition(bounds, -count)[-count])) for count in counts)
    # What lies within the limit may be worse than the best derivation through any of its items.
    below = (relaxation.bound - gap for gap in _GAPS if relaxation.answer is None)
    for threshold in chain(shared, below):
        found = search(threshold)
        if found is not None:
            score = float(scores[found].sum())
            # All that may reach the threshold was searched. Where the limit is a range, what was found may
            # lie below it; it is then the next threshold.
            return found if score >= threshold - slack else search(score)
    if relaxation.answer is None:
        return best_of(shape, scores, costs, cost_table(shape, scores, costs, least, most))
    better = search(relaxation.score)
    return relaxation.answer if better is None else better
