"""The best derivation at every total cost, in one bottom-up run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.cost_tables import UNLIMITED, CostTables, cost_tables, trace_cost
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Floats, Hypergraph, Integers


@dataclass(frozen=True, slots=True, eq=False)
class BestByCost:
    """The best derivations of a forest by their total cost.

    `scores[c]` is the score of the best derivation of cost c; -inf where there is none.
    """

    forest: Hypergraph
    costs: Integers
    tables: CostTables
    scores: Floats

    def derivation(self, cost: int) -> Derivation:
        """The best derivation of exactly this cost; among equals, the one whose edges come first."""
        if not 0 <= cost < len(self.scores) or self.scores[cost] == -np.inf:
            raise infeasible(self.forest, self.costs, cost, cost)
        forest = self.forest
        edges = trace_cost(
            cost, self.costs, self.tables, forest.edge_starts, forest.tail_starts, forest.tails, forest.scores
        )
        return Derivation(forest, float(self.scores[cost]), tuple(edges.tolist()))


def best_by_cost(
    forest: Hypergraph, costs: ArrayLike, *, least: int = 0, most: int | None = None
) -> BestByCost:
    """The best derivation at every total cost from `least` to `most`, where edge e costs `costs[e]`.

    B(v, c) = max over the edges e of v of score(e) + max over c₁ + … + cₖ = c - cost(e) of Σ B(tᵢ, cᵢ),
    a max-plus convolution over the tails, each bounded by the least and the most its node can cost.
    On a tree over n words O(edges · n²) at worst, and usually far less.
    """
    edge_costs = checked_costs(forest, costs)
    ceiling = UNLIMITED if most is None else most
    tables = cost_tables(
        edge_costs, least, ceiling, forest.edge_starts, forest.tail_starts, forest.tails, forest.scores
    )
    low, high = int(tables.least[-1]), int(tables.most[-1])
    scores = np.full(max(0, high + 1), -np.inf)
    scores[low:] = tables.scores[tables.starts[-2] :][: max(0, high - low + 1)]
    return BestByCost(forest, edge_costs, tables, scores)


def best_within(forest: Hypergraph, costs: ArrayLike, least: int, most: int) -> Derivation:
    """The best derivation whose total cost lies between `least` and `most`; among equals, the cheapest."""
    table = best_by_cost(forest, costs, least=least, most=most)
    if not np.any(table.scores > -np.inf):
        raise infeasible(forest, table.costs, least, most)
    return table.derivation(int(np.argmax(table.scores)))


def best_with_length_term(forest: Hypergraph, costs: ArrayLike, term: ArrayLike) -> Derivation:
    """The derivation that maximises score + term[total cost]; costs beyond the term are excluded.

    So losses that also depend on the length of the whole output can be searched exactly: the Hamming
    loss of Cohn and Lapata (2009), equation 12, is a price for each false token plus
    `term[m] = max(length of the reference - m, 0)`. Among equals, the cheapest.
    """
    terms = np.asarray(term, dtype=np.float64)
    if terms.ndim != 1 or not len(terms) or np.any(~(terms < np.inf)):
        raise LaconicError("the term must be a non-empty array of numbers below +inf")
    table = best_by_cost(forest, costs, most=len(terms) - 1)
    scores = table.scores + terms[: len(table.scores)]
    if not np.any(scores > -np.inf):
        allowed = np.flatnonzero(terms > -np.inf)
        raise infeasible(forest, table.costs, int(allowed.min(initial=0)), int(allowed.max(initial=0)))
    cost = int(np.argmax(scores))
    return Derivation(forest, float(scores[cost]), table.derivation(cost).edges)


def checked_costs(forest: Hypergraph, costs: ArrayLike) -> Integers:
    """The costs as integers, or an error that names the first edge whose cost is not one of at least 0."""
    values = np.asarray(costs)
    if values.shape != (forest.edge_count,):
        raise LaconicError(f"{forest.edge_count} edges but costs of shape {values.shape}")
    bad = np.flatnonzero((values != np.floor(values)) | (values < 0))
    if len(bad):
        raise LaconicError(f"costs are integers of at least 0; edge {bad[0]} costs {values[bad[0]]}")
    return values.astype(np.int64)


def infeasible(forest: Hypergraph, costs: Integers, least: int, most: int | None) -> InfeasibleBudget:
    """The error for a limit that no derivation meets; it says which costs are possible."""
    possible = np.flatnonzero(best_by_cost(forest, costs).scores > -np.inf)
    if not len(possible):
        return InfeasibleBudget("no derivation of the forest scores above -inf")
    asked = f"at least {least}" if most is None else f"{least}" if least == most else f"{least} to {most}"
    below, above = possible[possible < least], possible[possible > (UNLIMITED if most is None else most)]
    nearest = [str(side) for side in (*below[-1:], *above[:1])]
    return InfeasibleBudget(
        f"no derivation costs {asked} (nearest: {' and '.join(nearest)})",
        possible=(int(possible[0]), int(possible[-1])),
    )
