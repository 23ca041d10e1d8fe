"""One derivation of a forest: its edges, and what they say together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from laconic.forest.hypergraph import Hypergraph, Indices
from laconic.kernel import kernel

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Derivation:
    """The edges of one derivation in preorder (an edge, then those below each of its tails in turn).

    `score` is what the query that found it maximised or drew from; it may include prices.
    """

    forest: Hypergraph = field(repr=False, compare=False)
    score: float
    edges: tuple[int, ...]

    def symbols(self) -> tuple[int, ...]:
        """The yield: the emitted symbols in target order."""
        forest = self.forest
        edges = np.array(self.edges, dtype=np.int32)
        emitted = _emitted(edges, forest.tail_starts, forest.templates, forest.item_starts, forest.items)
        return tuple(emitted.tolist())

    def words(self) -> tuple[int, ...]:
        """The source words that are copied, ascending, each once."""
        words = self.forest.symbol_words[np.array(self.symbols(), dtype=np.int64)]
        return tuple(np.unique(words[words >= 0]).tolist())

    def features(self) -> dict[int, float]:
        """The sum of the feature vectors of the edges."""
        sums: dict[int, float] = {}
        for edge in self.edges:
            for index, value in self.forest.features_of(edge).items():
                sums[index] = sums.get(index, 0.0) + value
        return sums

    def fold(self, combine: Callable[[int, tuple[T, ...]], T]) -> T:
        """Build a value bottom-up by `combine(edge, values of its tails)`; the root's is the answer."""
        waiting: list[T] = []  # values without a parent yet, the leftmost on top
        starts = self.forest.tail_starts
        for edge in reversed(self.edges):
            below = tuple(waiting.pop() for _ in range(starts[edge + 1] - starts[edge]))
            waiting.append(combine(edge, below))
        return waiting[0]


@kernel
def _children(edges: Indices, tail_starts: Indices) -> tuple[Indices, Indices]:
    starts = np.zeros(len(edges) + 1, dtype=np.int32)
    for position in range(len(edges)):
        edge = edges[position]
        starts[position + 1] = starts[position] + tail_starts[edge + 1] - tail_starts[edge]
    positions = np.empty(starts[-1], dtype=np.int32)
    waiting = np.empty(len(edges), dtype=np.int32)  # positions without a parent yet, the leftmost on top
    depth = 0
    for position in range(len(edges) - 1, -1, -1):
        for i in range(starts[position], starts[position + 1]):
            depth -= 1
            positions[i] = waiting[depth]
        waiting[depth] = position
        depth += 1
    return starts, positions


@kernel
def _emitted(
    edges: Indices, tail_starts: Indices, templates: Indices, item_starts: Indices, items: Indices
) -> Indices:
    starts, positions = _children(edges, tail_starts)
    length = 0
    for edge in edges:
        template = templates[edge]
        length += (
            item_starts[template + 1] - item_starts[template] - tail_starts[edge + 1] + tail_starts[edge]
        )
    emitted = np.empty(length, dtype=np.int32)
    stack = np.empty(len(edges), dtype=np.int32)
    next_item = np.empty(len(edges), dtype=np.int32)
    depth, size = 1, 0
    stack[0] = 0
    next_item[0] = item_starts[templates[edges[0]]]
    while depth:
        position = stack[depth - 1]
        cursor = next_item[depth - 1]
        if cursor == item_starts[templates[edges[position]] + 1]:
            depth -= 1
            continue
        next_item[depth - 1] += 1
        item = items[cursor]
        if item >= 0:
            emitted[size] = item
            size += 1
        else:
            child = positions[starts[position] + ~item]
            stack[depth] = child
            next_item[depth] = item_starts[templates[edges[child]]]
            depth += 1
    return emitted
