"""The best derivation at every total cost, in one bottom-up run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.derivation import Derivation
from laconic.forest.growth import grown
from laconic.forest.hypergraph import Floats, Hypergraph, Indices, Integers
from laconic.kernel import kernel

_NEVER = np.iinfo(np.int64).max // 4  # more than any cost; sums of a few do not overflow


class CostTables(NamedTuple):
    """For each node v and cost c in `least[v]..most[v]`, the best derivation below v of exactly that cost.

    Its score is `scores[starts[v] + c - least[v]]` (-inf if there is none), its edge lies in `edges`.
    """

    least: Integers
    most: Integers
    starts: Integers
    scores: Floats
    edges: Indices


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
        edges = _trace(
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
    ceiling = _NEVER if most is None else most
    tables = _tables(
        edge_costs, least, ceiling, forest.edge_starts, forest.tail_starts, forest.tails, forest.scores
    )
    root = forest.root
    scores = np.full(max(0, int(tables.most[root]) + 1), -np.inf)
    scores[tables.least[root] :] = tables.scores[tables.starts[root] :]
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
    below, above = possible[possible < least], possible[possible > (_NEVER if most is None else most)]
    nearest = [str(side) for side in (*below[-1:], *above[:1])]
    return InfeasibleBudget(
        f"no derivation costs {asked} (nearest: {' and '.join(nearest)})",
        possible=(int(possible[0]), int(possible[-1])),
    )


@kernel
def _bounds(
    costs: Integers,
    floor: int,
    ceiling: int,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    scores: Floats,
) -> tuple[Integers, Integers]:
    """The least and the most that each node can cost within derivations of total cost `floor..ceiling`.

    First what is possible below each node, then what the least and the most around it leave of the limit.
    """
    node_count = len(edge_starts) - 1
    least = np.full(node_count, _NEVER)
    most = np.full(node_count, np.int64(-1))
    usable = np.zeros(len(scores), dtype=np.bool_)
    for node in range(node_count):
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            low, high = costs[edge], costs[edge]
            usable[edge] = scores[edge] > -np.inf
            for i in range(tail_starts[edge], tail_starts[edge + 1]):
                usable[edge] &= most[tails[i]] >= 0
                low += least[tails[i]]
                high += most[tails[i]]
            if usable[edge]:
                least[node] = min(least[node], low)
                most[node] = max(most[node], high)

    least_around = np.full(node_count, _NEVER)
    most_around = np.full(node_count, np.int64(-1))
    least_around[-1], most_around[-1] = 0, 0
    for node in range(node_count - 1, -1, -1):
        if most_around[node] < 0:
            continue
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            if not usable[edge]:
                continue
            low, high = least_around[node] + costs[edge], most_around[node] + costs[edge]
            for i in range(tail_starts[edge], tail_starts[edge + 1]):
                low += least[tails[i]]
                high += most[tails[i]]
            for i in range(tail_starts[edge], tail_starts[edge + 1]):
                tail = tails[i]
                least_around[tail] = min(least_around[tail], low - least[tail])
                most_around[tail] = max(most_around[tail], high - most[tail])

    for node in range(node_count):
        if most_around[node] < 0:
            most[node] = -1
        least[node] = max(least[node], floor - most_around[node])
        most[node] = min(most[node], ceiling - least_around[node])
    return least, most


@kernel
def _convolve(
    edge: int,
    ceiling: int,
    costs: Integers,
    least: Integers,
    most: Integers,
    starts: Integers,
    table: Floats,
    tail_starts: Indices,
    tails: Indices,
    edge_scores: Floats,
    prefixes: Floats,
) -> tuple[int, int]:
    """P₀(cost(e)) = score(e); Pᵢ(c) = max over d of Pᵢ₋₁(c - d) + B(tᵢ, d), into the rows of `prefixes`.

    Row i starts at cost(e) + the least cost of the first i tails. Returns the least cost of the whole
    and the size of the last row, cut off where the whole would exceed `ceiling`; size 0: no derivation.
    """
    bottom = costs[edge]
    for i in range(tail_starts[edge], tail_starts[edge + 1]):
        if least[tails[i]] > most[tails[i]]:
            return 0, 0
        bottom += least[tails[i]]
    room = ceiling - bottom + 1
    if room <= 0 or edge_scores[edge] == -np.inf:
        return 0, 0
    prefixes[0, 0] = edge_scores[edge]
    size = 1
    for row in range(tail_starts[edge + 1] - tail_starts[edge]):
        tail = tails[tail_starts[edge] + row]
        width = most[tail] - least[tail] + 1
        below = table[starts[tail] : starts[tail] + width]
        new_size = min(size + width - 1, room)
        before, after = prefixes[row], prefixes[row + 1]
        after[:new_size] = -np.inf
        for left in range(min(size, new_size)):
            score = before[left]
            if score > -np.inf:
                for right in range(min(width, new_size - left)):
                    after[left + right] = max(after[left + right], score + below[right])
        size = new_size
    return bottom, size


@kernel
def _tables(
    costs: Integers,
    floor: int,
    ceiling: int,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    edge_scores: Floats,
) -> CostTables:
    """B(v, c) for every node and cost, bottom-up."""
    least, most = _bounds(costs, floor, ceiling, edge_starts, tail_starts, tails, edge_scores)
    node_count = len(edge_starts) - 1
    starts = np.zeros(node_count + 1, dtype=np.int64)
    for node in range(node_count):
        starts[node + 1] = starts[node] + max(0, most[node] - least[node] + 1)
    scores = np.full(starts[-1], -np.inf)
    winners = np.full(starts[-1], -1, dtype=np.int32)
    prefixes = _prefix_rows(least, most, tail_starts, tails)
    for node in range(node_count):
        if least[node] > most[node]:
            continue
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            bottom, size = _convolve(
                edge,
                most[node],
                costs,
                least,
                most,
                starts,
                scores,
                tail_starts,
                tails,
                edge_scores,
                prefixes,
            )
            row = prefixes[tail_starts[edge + 1] - tail_starts[edge]]
            shift = starts[node] + bottom - least[node]
            for i in range(max(0, least[node] - bottom), size):
                if row[i] > scores[shift + i]:
                    scores[shift + i] = row[i]
                    winners[shift + i] = edge
    return CostTables(least, most, starts, scores, winners)


@kernel
def _prefix_rows(least: Integers, most: Integers, tail_starts: Indices, tails: Indices) -> Floats:
    """Room for the prefixes of any edge."""
    arity, width = 0, 1
    for edge in range(len(tail_starts) - 1):
        needed = 1
        for i in range(tail_starts[edge], tail_starts[edge + 1]):
            needed += max(0, most[tails[i]] - least[tails[i]])
        arity = max(arity, tail_starts[edge + 1] - tail_starts[edge])
        width = max(width, needed)
    return np.empty((arity + 1, width))


@kernel
def _trace(
    cost: int,
    costs: Integers,
    tables: CostTables,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    edge_scores: Floats,
) -> Indices:
    """The edges of the root's derivation of this cost, in preorder; the splits are found again."""
    least, most, starts, scores, winners = tables
    prefixes = _prefix_rows(least, most, tail_starts, tails)
    edges = np.empty(64, dtype=np.int32)
    stack = np.empty(64, dtype=np.int32)
    amounts = np.empty(64, dtype=np.int64)
    stack[0], amounts[0] = len(edge_starts) - 2, cost
    depth, size = 1, 0
    while depth:
        depth -= 1
        node, amount = stack[depth], amounts[depth]
        edge = winners[starts[node] + amount - least[node]]
        edges = grown(edges, size)
        edges[size] = edge
        size += 1
        prefixes[:] = -np.inf  # what other edges left there must not look like a split
        bottom, _ = _convolve(
            edge, most[node], costs, least, most, starts, scores, tail_starts, tails, edge_scores, prefixes
        )
        place = amount - bottom  # in row `i`, counted from the row's own least cost
        for i in range(tail_starts[edge + 1] - tail_starts[edge], 0, -1):
            tail = tails[tail_starts[edge] + i - 1]
            extra = 0
            while prefixes[i - 1, place - extra] + scores[starts[tail] + extra] != prefixes[i, place]:
                extra += 1
            stack, amounts = grown(stack, depth), grown(amounts, depth)
            stack[depth], amounts[depth] = tail, least[tail] + extra
            depth += 1
            place -= extra
    return edges[:size].copy()
