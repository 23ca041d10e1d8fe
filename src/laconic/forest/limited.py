"""The forest of the derivations within a limit on their cost, for searches that need one of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int64
from laconic.forest.assembly import ordered_forest
from laconic.forest.derivation import Derivation
from laconic.forest.edges import EdgeArrays, Pools
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import checked_costs
from laconic.forest.limits import infeasible
from laconic.forest.shape import NEVER, UNIT, Shape, Table
from laconic.forest.tables import cost_table
from laconic.kernel import inner_kernel, kernel

_MANY_EDGES = 600_000  # of more, only the best are kept: some of every edge of the base
_MOST_EDGES = 1_000_000  # as many as can be searched at once; of more, only the best of every cell
_WAYS = 3
_EQUAL = 1e-6  # what sums in another order may differ by


@dataclass(frozen=True, slots=True, eq=False)
class LimitedForest:
    """The derivations of `base` within a limit, as a forest of their own with the same scores and yields.

    Derivations of `forest` and those of `base` within the limit correspond one to one. Its edges have the part of
    `base` that they stand for as origin, or 0 at the root, whose edges lead, in ascending order, to the possible
    total costs.
    """

    base: Hypergraph
    forest: Hypergraph

    def project(self, derivation: Derivation) -> Derivation:
        """A derivation of `forest` as the derivation of `base` that it stands for."""
        parts = self.forest.origins[list(derivation.edges)].astype(np.int64)
        return Derivation(self.base, derivation.score, self.base.edges_in(parts))


def limited(
    forest: Hypergraph, costs: ArrayLike, *, least: int = 0, most: int | None = None
) -> LimitedForest:
    """The forest of the derivations of total cost `least` to `most`, where edge e costs `costs[e]`.

    Its nodes are the cells of the table by cost, pairs (v, c) of an item and what the derivation below it costs: the
    intersection of the forest with an automaton that counts. Over a tree of n words there are O(edges · n²) edges at
    worst, so of a very long sentence only some: each edge then has the few ways of sharing a cost out among its tails
    that score highest; and where these are too many still, as in a list of hundreds, each cell has the best way alone.
    Derivations that score -inf are left out.
    """
    shape, scores, part_costs = forest.shape, forest.part_scores, checked_costs(forest, costs)
    ceiling = NEVER if most is None else most
    table = cost_table(shape, scores, part_costs, least, ceiling)
    if not (table.goal() > -np.inf).any():
        raise infeasible(shape, scores, part_costs, least, ceiling, what="derivation", unit="of cost")
    ways = _WAYS if _most_edges(shape, table) > _MANY_EDGES else 0
    rows, root = _product_edges(shape, scores, part_costs, table, ways, np.inf, _MOST_EDGES)
    if not len(rows):
        rows, root = _product_edges(shape, scores, part_costs, table, ways, _EQUAL, NEVER)
    possible = np.count_nonzero(table.goal() > -np.inf)
    goal = np.arange(root - possible, root, dtype=np.int32)
    joins = np.ones(len(goal), np.int32)
    # Edges score and have the features of their part; steps and the joins of the root score 0 and have none.
    emissions, parts = forest.emissions, rows[:, _PART]
    pools, join_template, no_row = Pools(
        emissions.item_starts,
        emissions.items,
        forest.feature_starts,
        forest.feature_indices,
        forest.feature_values,
        forest.symbol_words,
    ).with_join()
    is_edge = parts <= forest.edge_count
    feature_rows = np.where(is_edge, forest.feature_rows[np.where(is_edge, parts - 1, 0)], no_row)
    tails = rows[:, _LEFT:]
    product = ordered_forest(
        node_count=root + 1,
        edges=EdgeArrays(
            heads=np.concatenate((rows[:, _HEAD], root * joins)).astype(np.int32),
            tail_starts=np.cumsum(
                np.concatenate(([0], (tails != _NO_TAIL).sum(axis=1), joins)), dtype=np.int32
            ),
            tails=np.concatenate((tails[tails != _NO_TAIL], goal)).astype(np.int32),
            scores=np.concatenate((scores[parts], np.zeros(len(goal)))),
            templates=np.concatenate((emissions.templates[parts], join_template * joins)).astype(np.int32),
            feature_rows=np.concatenate((feature_rows, no_row * joins)).astype(np.int32),
            origins=np.concatenate((parts, 0 * joins)).astype(np.int32),
        ),
        pools=pools,
    )
    return LimitedForest(forest, product)


_HEAD, _PART, _LEFT, _RIGHT = range(4)
_NO_TAIL = -1


@kernel
def _product_edges(
    shape: Shape, scores: Float64, costs: Int64, table: Table, ways: int, slack: float, most: int
) -> tuple[Int64, int]:
    """The edges between the cells that derivations of the goal use, by head, and how many cells these are.

    First, from the goal down, they are found and counted; then, from the bottom up, the cells are numbered and the
    edges written, if they are no more than `most`: else there are none. With `ways`, of those of one edge only so many
    that score highest, and what scores as much, is looked at; and none that scores less than the best of its cell by
    more than the `slack`.
    """
    values, offset, low, high = table
    used = np.zeros(len(values), np.bool_)
    goal = len(low) - 1
    for cell in range(offset[goal], offset[goal] + high[goal] - low[goal] + 1):
        used[cell] = values[cell] > -np.inf
    rows = np.empty((0, 4), np.int64)
    # There are many more cells than are used, so that only those are looked at again.
    number = np.empty(len(values), np.int32)
    number[offset[UNIT]] = _NO_TAIL
    best = np.empty(ways)
    size = cells = 0
    for writing in range(2):
        for place in range(UNIT + 1, len(low)):
            item = place if writing else len(low) - place
            for cost in range(low[item], high[item] + 1):
                head = offset[item] + cost - low[item]
                if not used[head]:
                    continue
                if size > most:
                    return rows, 0
                number[head] = cells
                cells += 1
                for edge in range(shape.first[item], shape.first[item + 1]):
                    left, right, part = shape.left[edge], shape.right[edge], shape.part[edge]
                    if scores[part] == -np.inf:
                        continue
                    rest, lowest = cost - costs[part], values[head] - slack - scores[part]
                    begin, end = max(low[left], rest - high[right]), min(high[left], rest - low[right]) + 1
                    floor = -np.inf
                    if 0 < ways < end - begin:
                        first, last = (
                            offset[left] + begin - low[left],
                            offset[right] + rest - begin - low[right],
                        )
                        floor = _nth(values, first, last, end - begin, best)
                    for a in range(begin, end):
                        one, other = offset[left] + a - low[left], offset[right] + rest - a - low[right]
                        if values[one] == -np.inf or values[other] == -np.inf:
                            continue
                        if values[one] + values[other] < max(floor, lowest):
                            continue
                        if writing:
                            rows[size, _HEAD], rows[size, _PART] = number[head], part
                            rows[size, _LEFT], rows[size, _RIGHT] = number[one], number[other]
                        else:
                            used[one] = used[other] = True
                        size += 1
        if not writing:
            if size > most:
                break
            rows = np.empty((size, 4), np.int64)
            size = cells = 0
    return rows, cells


@inner_kernel
def _nth(values: Float64, first: int, last: int, count: int, best: Float64) -> float:
    """The last of the best sums values[first + i] + values[last - i], i < count: of so many as `best` has places."""
    best[:] = -np.inf
    for i in range(count):
        value = values[first + i] + values[last - i]
        place = len(best) - 1
        if value > best[place]:
            while place > 0 and value > best[place - 1]:
                best[place] = best[place - 1]
                place -= 1
            best[place] = value
    return float(best[-1])


def _most_edges(shape: Shape, table: Table) -> int:
    """How many edges a limited forest has if every way to share a cost out among the tails of an edge is possible."""
    sizes = (table.high - table.low + 1).clip(0)
    return int((sizes[shape.left] * sizes[shape.right]).sum())
