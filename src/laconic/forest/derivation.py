"""One derivation of a forest: its edges, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from laconic.arrays import Int32, Int64
from laconic.forest.hypergraph import Hypergraph
from laconic.kernel import kernel

S = TypeVar("S")
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
        forest, edges = self.forest, np.array(self.edges, np.int64)
        emitted = _emitted(edges, forest.tail_starts, forest.templates, forest.item_starts, forest.items)
        return tuple(emitted.tolist())

    def words(self) -> tuple[int, ...]:
        """The source words that are copied, ascending, each once."""
        forest = self.forest
        edges = np.array(self.edges, np.int64)
        copied = _copied(edges, forest.templates, forest.item_starts, forest.items, forest.symbol_words)
        return tuple(copied.tolist())

    def fold(self, combine: Callable[[int, tuple[T, ...]], T]) -> T:
        """Build a value bottom-up by `combine(edge, values of its tails)`; the root's is the answer."""
        starts = self.forest.tail_starts
        return folded(self.edges, [int(starts[edge + 1] - starts[edge]) for edge in self.edges], combine)


def folded(steps: Sequence[S], arities: Sequence[int], combine: Callable[[S, tuple[T, ...]], T]) -> T:
    """A value built bottom-up by `combine(step, values below it)`, of steps in preorder with so many below each."""
    waiting: list[T] = []  # values without a parent yet, the leftmost on top
    for step, arity in zip(reversed(steps), reversed(arities), strict=True):
        below = tuple([waiting.pop() for _ in range(arity)])
        waiting.append(combine(step, below))
    return waiting[0]


@kernel
def _emitted(edges: Int64, tail_starts: Int32, templates: Int32, item_starts: Int32, items: Int32) -> Int64:
    """The symbols that the edges of a derivation, in preorder, emit in target order."""
    count = len(edges)
    after = np.empty(count, np.int64)  # where the edges end that are below an edge
    total = 0
    for place in range(count - 1, -1, -1):
        edge = edges[place]
        end = place + 1
        for _ in range(tail_starts[edge + 1] - tail_starts[edge]):
            end = after[end]
        after[place] = end
        template = templates[edge]
        for item in range(item_starts[template], item_starts[template + 1]):
            total += items[item] >= 0
    symbols = np.empty(total, np.int64)
    # The edges that are being written, from the root down, and the next item of each one's template.
    open_places, next_items = np.empty(count, np.int64), np.empty(count, np.int64)
    open_places[0], next_items[0] = 0, item_starts[templates[edges[0]]]
    depth, written = 1, 0
    while depth > 0:
        place = open_places[depth - 1]
        item = next_items[depth - 1]
        if item == item_starts[templates[edges[place]] + 1]:
            depth -= 1
            continue
        next_items[depth - 1] += 1
        if items[item] >= 0:
            symbols[written] = items[item]
            written += 1
            continue
        below = place + 1
        for _ in range(~items[item]):
            below = after[below]
        open_places[depth], next_items[depth] = below, item_starts[templates[edges[below]]]
        depth += 1
    return symbols


@kernel
def _copied(
    edges: Int64,
    templates: Int32,
    item_starts: Int32,
    items: Int32,
    symbol_words: Int32,
) -> Int64:
    """The words that the symbols of the edges copy, ascending."""
    count = 0
    for word in symbol_words:
        count = max(count, word + 1)
    copied = np.zeros(count, np.bool_)
    total = 0
    for edge in edges:
        template = templates[edge]
        for place in range(item_starts[template], item_starts[template + 1]):
            if items[place] >= 0 and symbol_words[items[place]] >= 0:
                total += not copied[symbol_words[items[place]]]
                copied[symbol_words[items[place]]] = True
    words = np.empty(total, np.int64)
    total = 0
    for word in range(count):
        if copied[word]:
            words[total] = word
            total += 1
    return words
