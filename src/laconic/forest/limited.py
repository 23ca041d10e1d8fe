"""The forest of the derivations within a limit on their cost, for searches that need one of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.forest.assembly import Pools, assemble
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import checked_costs
from laconic.forest.limits import infeasible
from laconic.forest.shape import NEVER, UNIT, Indices, Integers, Shape, Table
from laconic.forest.tables import best_by_cost
from laconic.kernel import kernel


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
    worst. Derivations that score -inf are left out.
    """
    shape, scores, part_costs = forest.shape, forest.part_scores, checked_costs(forest, costs)
    ceiling = NEVER if most is None else most
    table = best_by_cost(shape, scores, part_costs, least, ceiling)
    root_start = int(table.offset[-1])
    cells = np.flatnonzero(table.goal() > -np.inf) + root_start
    if not len(cells):
        raise infeasible(shape, scores, part_costs, least, ceiling, what="derivation", unit="of cost")
    heads, lefts, rights, parts = _product_edges(shape, part_costs, table)
    emissions = forest.emissions
    arities = (lefts >= 0).astype(np.int32) + (rights >= 0)
    both = np.column_stack((lefts, rights)).ravel()
    # Edges score and have the features of their part; steps and the joins of the root score 0 and have none.
    emitting = Pools(
        emissions.item_starts,
        emissions.items,
        forest.feature_starts,
        forest.feature_indices,
        forest.feature_values,
        forest.symbol_words,
    )
    pools, join_template, no_row = emitting.with_join()
    is_edge = (parts > 0) & (parts <= forest.edge_count)
    edges = np.where(is_edge, parts - 1, 0)
    rows = np.where(is_edge, forest.feature_rows[edges], no_row).astype(np.int32)
    root, joins = len(table.values), np.ones(len(cells), np.int32)
    product = assemble(
        root,
        node_count=root + 1,
        heads=np.concatenate((heads, root * joins)),
        tail_starts=np.cumsum(np.concatenate(([0], arities, joins)), dtype=np.int32),
        tails=np.concatenate((both[both >= 0], cells.astype(np.int32))),
        scores=np.concatenate((scores[parts], np.zeros(len(cells)))),
        templates=np.concatenate((emissions.templates[parts], join_template * joins)),
        feature_rows=np.concatenate((rows, no_row * joins)),
        origins=np.concatenate((parts, 0 * joins)),
        pools=pools,
    )
    return LimitedForest(forest, product)


@kernel
def _product_edges(
    shape: Shape, costs: Integers, table: Table
) -> tuple[Indices, Indices, Indices, Indices]:
    """For each edge and each cost of its tails that adds up to one of its head, an edge between cells.

    Returns heads, left and right tails (-1 for none) and parts. First they are counted, then written.
    """
    values, offset, low, high = table
    heads = np.empty(0, np.int32)
    lefts, rights, parts = heads, heads, heads
    for writing in range(2):
        made = 0
        for item in range(UNIT + 1, len(low)):
            for edge in range(shape.first[item], shape.first[item + 1]):
                left, right, part = shape.left[edge], shape.right[edge], shape.part[edge]
                for a in range(low[left], high[left] + 1):
                    left_cell = offset[left] + a - low[left]
                    if values[left_cell] == -np.inf:
                        continue
                    spent = costs[part] + a
                    for b in range(max(low[right], low[item] - spent), min(high[right], high[item] - spent) + 1):
                        right_cell = offset[right] + b - low[right]
                        if values[right_cell] > -np.inf:
                            if writing:
                                heads[made] = offset[item] + spent + b - low[item]
                                lefts[made] = -1 if left == UNIT else left_cell
                                rights[made] = -1 if right == UNIT else right_cell
                                parts[made] = part
                            made += 1
        if not writing:
            heads, lefts = np.empty(made, np.int32), np.empty(made, np.int32)
            rights, parts = np.empty(made, np.int32), np.empty(made, np.int32)
    return heads, lefts, rights, parts
