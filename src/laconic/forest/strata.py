"""The forest times a counter, so that queries under a limit on the total cost are ordinary queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.forest.assembly import Pools, assemble
from laconic.forest.binary import binarised
from laconic.forest.by_cost import best_by_cost, checked_costs, infeasible
from laconic.forest.cost_tables import CostTables
from laconic.forest.derivation import Derivation
from laconic.forest.growth import grown
from laconic.forest.hypergraph import Floats, Hypergraph, Indices, Integers, slot
from laconic.forest.inference import Marginals, marginals, weighted_counts
from laconic.kernel import kernel


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """The derivations of `base` within a limit, as a forest of their own with the same scores and yields.

    Derivations of `forest` and those of `base` within the limit correspond one to one. Its edges have
    the edge of `base` that they stand for as origin, or -1 if they only join parts; the edges of its
    root lead, in ascending order, to the possible total costs: `totals`.
    """

    base: Hypergraph
    forest: Hypergraph
    totals: Integers

    def project(self, derivation: Derivation) -> Derivation:
        """A derivation of `forest` as the derivation of `base` that it stands for."""

        def pieces(edge: int, below: tuple[list[list[int]], ...]) -> list[list[int]]:
            parts = [part for piece in below for part in piece]
            origin = int(self.forest.origins[edge])
            if origin < 0:
                return parts
            if len(parts) > 2:  # joined in the order of the template
                slots = [~item for item in self.base.template_of(origin) if item < 0]
                parts = [parts[slots.index(tail)] for tail in range(len(slots))]
            return [[origin, *(inner for part in parts for inner in part)]]

        (edges,) = derivation.fold(pieces)
        return Derivation(self.base, derivation.score, tuple(edges))

    def marginals(self) -> Marginals:
        """Expectations on the edges of `base`, under exp(score)/Z over the derivations within the limit."""
        joint = marginals(self.forest)
        stands = self.forest.origins >= 0
        edges = weighted_counts(self.forest.origins[stands], joint.edges[stands], self.base.edge_count)
        return Marginals(self.base, joint.log_partition, edges, joint.entropy)

    def total_probabilities(self) -> Floats:
        """The probability of each of `totals` under exp(score)/Z."""
        joint = marginals(self.forest)
        return joint.edges[self.forest.edge_starts[-2] :]


def stratify(forest: Hypergraph, costs: ArrayLike, *, least: int = 0, most: int | None = None) -> Strata:
    """The forest of the derivations of total cost `least` to `most`, where edge e costs `costs[e]`.

    Its nodes are the pairs (v, c) of a node and what the derivation below it costs: the intersection of
    the forest with an automaton that counts. Edges of more than two tails are cut into steps first, so
    that over a tree of n words there are O(edges · n²) edges at worst. Derivations that score -inf are
    left out.
    """
    edge_costs = checked_costs(forest, costs)
    binary = binarised(forest)
    binary_costs = np.where(binary.origins >= 0, edge_costs[binary.origins], 0)
    tables = best_by_cost(binary, binary_costs, least=least, most=most).tables
    root_start = int(tables.starts[-2])
    cells = np.flatnonzero(tables.scores[root_start:] > -np.inf) + root_start
    if not len(cells):
        raise infeasible(forest, edge_costs, least, most)

    heads, tail_starts, tails, origins = _product_edges(
        binary_costs, tables, binary.edge_starts, binary.tail_starts, binary.tails, binary.scores
    )
    # The root joins the strata of the old one: score 0, no features, and a template of its own.
    root = len(tables.scores)
    root_template, root_row = len(binary.item_starts) - 1, len(binary.feature_starts) - 1
    joins = np.ones(len(cells), dtype=np.int32)
    product = assemble(
        root,
        node_count=root + 1,
        heads=np.concatenate((heads, root * joins)),
        tail_starts=np.concatenate((tail_starts, len(tails) + np.cumsum(joins, dtype=np.int32))),
        tails=np.concatenate((tails, cells.astype(np.int32))),
        scores=np.concatenate((binary.scores[origins], np.zeros(len(cells)))),
        templates=np.concatenate((binary.templates[origins], root_template * joins)),
        feature_rows=np.concatenate((binary.feature_rows[origins], root_row * joins)),
        origins=np.concatenate((binary.origins[origins], -joins)),
        pools=Pools(
            item_starts=np.append(binary.item_starts, np.int32(len(binary.items) + 1)),
            items=np.append(binary.items, np.int32(slot(0))),
            feature_starts=np.append(binary.feature_starts, binary.feature_starts[-1]),
            feature_indices=binary.feature_indices,
            feature_values=binary.feature_values,
            symbol_words=binary.symbol_words,
        ),
    )
    return Strata(forest, product, cells - root_start + int(tables.least[-1]))


@kernel
def _product_edges(
    costs: Integers,
    tables: CostTables,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    scores: Floats,
) -> tuple[Indices, Indices, Indices, Indices]:
    """For each edge and each cost of its tails that adds up to one of its head, an edge of the product.

    Node (v, c) has the number of its cell in the tables.
    """
    least, most, starts, cells = tables
    heads = np.empty(1024, dtype=np.int32)
    new_tail_starts = np.zeros(1024, dtype=np.int32)
    new_tails = np.empty(2048, dtype=np.int32)
    origins = np.empty(1024, dtype=np.int32)
    made, size = 0, 0
    for node in range(len(edge_starts) - 1):
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            if scores[edge] == -np.inf:
                continue
            first, stop = tail_starts[edge], tail_starts[edge + 1]
            left_least, left_start, left_count = _strata_of_tail(tables, tails, first, stop)
            right_least, right_start, right_count = _strata_of_tail(tables, tails, first + 1, stop)
            for i in range(left_count):
                if left_start >= 0 and cells[left_start + i] == -np.inf:
                    continue
                for j in range(right_count):
                    if right_start >= 0 and cells[right_start + j] == -np.inf:
                        continue
                    cost = costs[edge] + left_least + i + right_least + j
                    if not least[node] <= cost <= most[node]:
                        continue
                    heads, origins = grown(heads, made), grown(origins, made)
                    heads[made], origins[made] = starts[node] + cost - least[node], edge
                    made += 1
                    new_tails = grown(new_tails, size + 1)
                    if left_start >= 0:
                        new_tails[size] = left_start + i
                        size += 1
                    if right_start >= 0:
                        new_tails[size] = right_start + j
                        size += 1
                    new_tail_starts = grown(new_tail_starts, made)
                    new_tail_starts[made] = size
    return heads[:made], new_tail_starts[: made + 1], new_tails[:size], origins[:made]


@kernel
def _strata_of_tail(tables: CostTables, tails: Indices, place: int, stop: int) -> tuple[int, int, int]:
    """The least cost, the first cell and the number of strata of a tail; one, free, if there is no tail."""
    if place >= stop:
        return 0, -1, 1
    tail = tails[place]
    return tables.least[tail], tables.starts[tail], tables.most[tail] - tables.least[tail] + 1
