"""Questions to a forest whose scores are fixed: the best derivation, at any cost or every one, and marginals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int32, Int64
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.best import best_derivation, parts_of_best
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.limits import best_parts_within, infeasible
from laconic.forest.shape import NEVER, Table, free_cells, free_costs, row_lengths
from laconic.forest.sums import sums
from laconic.forest.tables import cost_table


def best(forest: Hypergraph) -> Derivation:
    """The derivation of highest score (Viterbi); among equals, the one whose edges come first. O(size)."""
    score, parts = parts_of_best(forest.shape, forest.part_scores)
    if score == -np.inf:
        raise _impossible(forest)
    return Derivation(forest, score, forest.edges_in(parts))


def marginals(forest: Hypergraph) -> Marginals:
    """The distribution exp(score)/Z over derivations, by its edge marginals (inside-outside). O(size)."""
    cells, costs = free_cells(len(forest.shape.first) - 1), free_costs(len(forest.part_scores))
    totals = sums(forest.shape, forest.part_scores, costs, cells)
    if totals.log_partition == -np.inf:
        raise _impossible(forest)
    return Marginals(forest, totals.log_partition, totals.posteriors()[1 : forest.edge_count + 1])


@dataclass(frozen=True, slots=True, eq=False)
class BestByCost:
    """The best derivations of a forest by their total cost.

    `scores[c]` is the score of the best derivation of cost c; -inf where there is none.
    """

    forest: Hypergraph
    costs: Int64
    table: Table
    scores: Float64

    def derivation(self, cost: int) -> Derivation:
        """The best derivation of exactly this cost; among equals, the one whose edges come first."""
        forest, scores = self.forest, self.forest.part_scores
        if not 0 <= cost < len(self.scores) or self.scores[cost] == -np.inf:
            raise infeasible(forest.shape, scores, self.costs, cost, cost, what="derivation", unit="of cost")
        parts = best_derivation(forest.shape, scores, self.costs, self.table, cost)
        return Derivation(forest, float(self.scores[cost]), forest.edges_in(parts))


def best_by_cost(
    forest: Hypergraph, costs: ArrayLike, *, least: int = 0, most: int | None = None
) -> BestByCost:
    """The best derivation at every total cost from `least` to `most`, where edge e costs `costs[e]`.

    On a tree over n words O(edges · n²) at worst, and usually far less.
    """
    part_costs = checked_costs(forest, costs)
    ceiling = NEVER if most is None else most
    table = cost_table(forest.shape, forest.part_scores, part_costs, least, ceiling)
    scores = np.full(max(0, int(table.high[-1]) + 1), -np.inf)
    scores[int(table.low[-1]) :] = table.goal()
    return BestByCost(forest, part_costs, table, scores)


def best_within(forest: Hypergraph, costs: ArrayLike, least: int, most: int) -> Derivation:
    """The best derivation whose total cost lies between `least` and `most`."""
    shape, scores, part_costs = forest.shape, forest.part_scores, checked_costs(forest, costs)
    parts = best_parts_within(shape, scores, part_costs, least, most)
    if parts is None:
        raise infeasible(shape, scores, part_costs, least, most, what="derivation", unit="of cost")
    return Derivation(forest, float(scores[parts].sum()), forest.edges_in(parts))


def checked_costs(forest: Hypergraph, costs: ArrayLike) -> Int64:
    """The costs of parts, or an error that names the first edge whose cost is not an integer of at least 0."""
    values = np.asarray(costs)
    if values.shape != (forest.edge_count,):
        raise LaconicError(f"{forest.edge_count} edges but costs of shape {values.shape}")
    wrong = values < 0
    if values.dtype.kind not in "iu":
        wrong |= values != np.floor(values)
    if wrong.any():
        edge = int(wrong.argmax())
        raise LaconicError(f"costs are integers of at least 0; edge {edge} costs {values[edge]}")
    return forest.part_costs(values)


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """Expectations under a distribution over derivations.

    `edges[e]` is the expected number of times edge e is used: its probability, if no derivation uses it
    twice, and the derivative of log Z by its score.
    """

    forest: Hypergraph
    log_partition: float
    edges: Float64

    def features(self, count: int) -> Float64:
        """The expected feature vector, of length `count`: the gradient of log Z by the weights."""
        forest = self.forest
        needed = int(forest.feature_indices.max(initial=-1)) + 1
        if count < needed:
            raise LaconicError(f"the forest has {needed} features, not {count}")
        rows = _weighted_counts(forest.feature_rows, self.edges, len(forest.feature_starts) - 1)
        values = rows.repeat(row_lengths(forest.feature_starts)) * forest.feature_values
        return _weighted_counts(forest.feature_indices, values, count)


def expected_symbols(forest: Hypergraph, edges: Float64) -> Float64:
    """The expected number of times each symbol is emitted, if the edges are expected so often."""
    templates = _weighted_counts(forest.templates, edges, len(forest.item_starts) - 1)
    emissions = templates.repeat(row_lengths(forest.item_starts))
    emits = forest.items >= 0
    return _weighted_counts(forest.items[emits], emissions[emits], forest.symbol_count)


def expected_words(forest: Hypergraph, edges: Float64, count: int) -> Float64:
    """The expected number of times each of `count` words is copied, if the edges are expected so often."""
    copies = forest.symbol_words >= 0
    return _weighted_counts(forest.symbol_words[copies], expected_symbols(forest, edges)[copies], count)


def _weighted_counts(indices: Int32, weights: Float64, count: int) -> Float64:
    """For each index below `count`, the sum of the weights that go with it."""
    sums: Float64 = np.bincount(indices, weights=weights, minlength=count).astype(np.float64)
    return sums


def _impossible(forest: Hypergraph) -> InfeasibleBudget:
    costs = free_costs(len(forest.part_scores))
    return infeasible(forest.shape, forest.part_scores, costs, 0, 0, what="derivation", unit="of cost")
