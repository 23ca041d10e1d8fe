"""A packed forest over one sentence: every derivation at once, as flat arrays that never change."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int32, Int64
from laconic.errors import LaconicError
from laconic.forest.lazy import Emissions
from laconic.forest.shape import Shape, frozen, row_lengths


def slot(tail: int) -> int:
    """The template item that stands for the yield of an edge's tail number `tail`: -1, -2, …"""
    return ~tail


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """A packed forest: a directed acyclic hypergraph whose edges score, emit and carry features.

    Nodes are numbered bottom-up, so that an edge's tails come before its head and the last node is the
    root; every node and edge takes part in some derivation. Edges are numbered by head, in the order in
    which they were added, and the first wins ties. A *derivation* chooses one edge for the root, then
    one for each tail, and so on; it scores the sum of the scores of its edges (an edge as often as it is
    used). Minus infinity is the score of what cannot be.

    Edge e rewrites node `heads[e]` as `tails[tail_starts[e]:tail_starts[e + 1]]` and emits template
    `templates[e]`: a sequence of items, each a symbol (an integer of at least 0) or, as `slot(i)`, the
    yield of tail i; every tail stands in the template exactly once, in any order. Symbol s copies source
    word `symbol_words[s]`, or none if that is -1. The features of edge e are row `feature_rows[e]` of a
    sparse matrix. `origins[e]` is a number of the caller's own, such as that of the rule it came from.

    Templates and feature rows are pools: edges may share them. `keys` names the nodes, or is empty.
    Build one with `ForestBuilder`, or from arrays with `assemble`.

    All questions are asked over `shape`, in which edges of more than two tails are cut into steps: part e + 1 is
    that of edge e, parts beyond those of the edges are steps; `part_scores` scores them all.
    """

    keys: tuple[Hashable, ...]
    edge_starts: Int32  # node v has the edges edge_starts[v]:edge_starts[v + 1]
    heads: Int32
    tail_starts: Int32
    tails: Int32
    templates: Int32
    item_starts: Int32
    items: Int32
    feature_rows: Int32
    feature_starts: Int32
    feature_indices: Int32
    feature_values: Float64
    symbol_words: Int32
    origins: Int32
    shape: Shape
    emissions: Emissions
    reorders: bool  # whether an edge that was cut emits its tails in another order
    part_scores: Float64

    @property
    def scores(self) -> Float64:
        """The scores of the edges."""
        return self.part_scores[1 : len(self.heads) + 1]

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.edge_starts) - 1

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return len(self.heads)

    @property
    def root(self) -> int:
        """The node that every derivation starts from: the last one."""
        return len(self.edge_starts) - 2

    @property
    def symbol_count(self) -> int:
        """The number of symbols that may be emitted."""
        return len(self.symbol_words)

    def name(self, node: int) -> str:
        """The key of a node as text, or its number if the forest keeps no keys."""
        return node_name(node, self.keys)

    def tails_of(self, edge: int) -> tuple[int, ...]:
        """The nodes that an edge rewrites its head as."""
        return tuple(self.tails[self.tail_starts[edge] : self.tail_starts[edge + 1]].tolist())

    def template_of(self, edge: int) -> tuple[int, ...]:
        """What an edge emits: symbols, and `slot(i)` for the yield of its tail i."""
        template = self.templates[edge]
        return tuple(self.items[self.item_starts[template] : self.item_starts[template + 1]].tolist())

    def scored(self, weights: ArrayLike) -> Hypergraph:
        """The same forest with every edge scored by its features: one sparse product, all else shared."""
        dense = np.asarray(weights, dtype=np.float64)
        needed = int(self.feature_indices.max(initial=-1)) + 1
        if dense.ndim != 1 or len(dense) < needed:
            raise LaconicError(
                f"the forest has features up to {needed - 1} but the weights have shape {dense.shape}"
            )
        products = np.bincount(
            self._rows_of_features,
            weights=self.feature_values * dense[self.feature_indices],
            minlength=len(self.feature_starts) - 1,
        )
        return self.rescored(products[self.feature_rows])

    def rescored(self, scores: ArrayLike) -> Hypergraph:
        """The same forest with these scores of its edges; all else is shared."""
        values = np.asarray(scores, dtype=np.float64)
        if values.shape != self.heads.shape:
            raise LaconicError(f"{len(values)} scores for a forest of {self.edge_count} edges")
        parts = np.zeros(len(self.part_scores))
        parts[1 : len(values) + 1] = values
        check_scores(values, self.heads, self.keys)
        other = object.__new__(Hypergraph)
        other.__dict__.update(self.__dict__, part_scores=frozen(parts))
        return other

    def part_costs(self, edge_costs: Int64) -> Int64:
        """The costs of all parts, given those of the edges."""
        costs = np.zeros(len(self.part_scores), np.int64)
        costs[1 : len(self.heads) + 1] = edge_costs
        return frozen(costs)

    def edges_in(self, parts: Int64) -> tuple[int, ...]:
        """The edges of a derivation in preorder, from the parts of one of `shape`."""
        count = self.edge_count
        edges = [part - 1 for part in parts.tolist() if 0 < part <= count]
        if not self.reorders:
            return tuple(edges)
        # An edge that was cut has its tails in the order of its template.
        waiting: list[list[int]] = []
        for edge in reversed(edges):
            arity = len(self.tails_of(edge))
            below = [waiting.pop() for _ in range(arity)]
            if arity > 2:
                order = [~item for item in self.template_of(edge) if item < 0]
                below = [below[order.index(tail)] for tail in range(arity)]
            waiting.append([edge, *(inner for part in below for inner in part)])
        return tuple(waiting[0])

    def edge_sums(self, symbol_values: ArrayLike) -> Float64:
        """For each edge, the sum of the values of the symbols it emits itself (its tails' not counted)."""
        values = np.asarray(symbol_values, dtype=np.float64)
        if values.shape != (self.symbol_count,):
            raise LaconicError(
                f"the forest has {self.symbol_count} symbols, the values have shape {values.shape}"
            )
        rows, symbols = self._emitting
        sums = np.bincount(rows, weights=values[symbols], minlength=len(self.item_starts) - 1)
        by_edge: Float64 = sums[self.templates].astype(np.float64)
        return by_edge

    @cached_property
    def _emitting(self) -> tuple[Int64, Int32]:
        """The symbols in all templates, and the templates they are in."""
        emits = self.items >= 0
        templates = _row_numbers(self.item_starts)
        return templates[emits], self.items[emits]

    @cached_property
    def _rows_of_features(self) -> Int64:
        return _row_numbers(self.feature_starts)

    @cached_property
    def _emitted(self) -> Int64:
        """For each edge, how many symbols it emits itself."""
        return frozen(self.edge_sums(np.ones(self.symbol_count)).astype(np.int64))

    def edge_costs(self, symbol_costs: ArrayLike | None = None) -> Int64:
        """For each edge, the total cost of the symbols it emits itself; without costs, their number."""
        if symbol_costs is None:
            return self._emitted
        costs = np.asarray(symbol_costs)
        if np.any(costs != np.floor(costs)) or np.any(costs < 0):
            place = int(np.flatnonzero((costs != np.floor(costs)) | (costs < 0))[0])
            raise LaconicError(f"costs are integers of at least 0; symbol {place} has {costs[place]}")
        return self.edge_sums(costs).astype(np.int64)


def node_name(node: int, keys: tuple[Hashable, ...]) -> str:
    """A node as messages call it."""
    return str(keys[node]) if keys else f"#{node}"


def check_scores(scores: Float64, heads: Int32, keys: tuple[Hashable, ...]) -> None:
    """Raise an error that names the first edge whose score is not a number or plus infinity."""
    below = scores < np.inf
    if not below.all():
        edge = int(np.flatnonzero(~below)[0])
        head = node_name(int(heads[edge]), keys)
        raise LaconicError(f"edge {edge} of node {head} scores {scores[edge]}; scores are finite or -inf")


def _row_numbers(starts: Int32) -> Int64:
    """For everything in rows that start there, the number of its row."""
    return np.arange(len(starts) - 1).repeat(row_lengths(starts))
