"""The best compression that tears nothing apart: branch and bound over broken ties, each node one exact search.

A search space is the set of compressions that agree with some pins. Its best compression, ties ignored, is
one run of the decoder and bounds all of it from above. Where that compression breaks a tie, the space is
split into disjoint parts: one of the given words is dropped; or all are kept and one of the needed words
too; or the tie stays broken, at its price. Nodes are opened from the highest bound down, so the first
compression without an open tie is the best of all. Where the caller does not accept it, it alone is taken
out of its space and the search goes on.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from laconic.decode.chart.decoder import ChartDecoder
from laconic.decode.contract import Limit, Solution
from laconic.systems.default.tie import Tie

MOST_SEARCHES = 600
"""Runs of the decoder on 30 words after which the best accepted compression known is taken as it is."""

Pins = Mapping[int, bool]
"""Words that are kept (True) or dropped."""


@dataclass(frozen=True, slots=True)
class Found:
    """A compression and the ties it breaks."""

    solution: Solution
    broken: tuple[Tie, ...]
    score: float


@dataclass(frozen=True, slots=True, order=True)
class _Node:
    """A search space by its bound (negative, for the heap) and its age, with its best compression."""

    key: tuple[float, int]
    pins: dict[int, bool] = field(compare=False)
    waived: frozenset[Tie] = field(compare=False)
    solution: Solution = field(compare=False)


class Search:
    """All compressions of a decoder within a limit and under pins, with prices on broken ties."""

    def __init__(
        self,
        decoder: ChartDecoder,
        words: int,
        ties: Sequence[Tie],
        prices: Mapping[Tie, float],
        *,
        pins: Pins | None = None,
        limit: Limit | None = None,
        most_searches: int = MOST_SEARCHES,
    ) -> None:
        self._decoder, self._words = decoder, words
        self._ties, self._prices = ties, prices
        self._pins, self._limit = dict(pins or {}), limit
        self._most_searches = max(10, most_searches * 30 // max(30, words))
        self._ages = itertools.count()
        self._searches = 0

    def best(self, accepts: Callable[[Solution], bool] = lambda _: True) -> Found | None:
        """The best accepted compression; None if none was found.

        Raises `InfeasibleBudget` where no compression at all agrees with the pins and the limit.
        """
        return next(self.all(accepts), None)

    def all(self, accepts: Callable[[Solution], bool] = lambda _: True) -> Iterator[Found]:
        """The accepted compressions, from the best down, until so many searches are made."""
        root = self._decoder.best(prices=prices_of(self._pins, self._words), limit=self._limit)
        heap = [_Node((-root.score, next(self._ages)), self._pins, frozenset(), root)]
        while self._searches < self._most_searches:
            if not heap:
                return
            node = heapq.heappop(heap)
            kept = frozenset(node.solution.kept)
            open_tie = next((t for t in self._ties if t not in node.waived and t.broken_by(kept)), None)
            if open_tie is not None:
                parts = self._split_by_tie(node, open_tie)
            else:
                if accepts(node.solution):
                    yield Found(node.solution, tuple(node.waived), -node.key[0])
                parts = self._without_its_best(node)
            for part in parts:
                heapq.heappush(heap, part)
        # Too many ties are torn whatever is done: take the best there is, and say what it breaks.
        for node in sorted(heap):
            if accepts(node.solution):
                kept = frozenset(node.solution.kept)
                broken = tuple(tie for tie in self._ties if tie.broken_by(kept))
                yield Found(node.solution, broken, -node.key[0])

    def _split_by_tie(self, node: _Node, tie: Tie) -> Iterator[_Node]:
        pins = dict(node.pins)
        for word in tie.given:
            yield from self._child(node, pins | {word: False})
            pins[word] = True
        for word in tie.needed:
            yield from self._child(node, pins | {word: True})
            pins[word] = False
        # The compression at hand lies in this last part, and remains its best.
        paid = -node.key[0] - self._prices[tie]
        yield replace(node, key=(-paid, next(self._ages)), pins=pins, waived=node.waived | {tie})

    def _without_its_best(self, node: _Node) -> Iterator[_Node]:
        # Lawler's partition: by the first free word on which a compression differs.
        pins = dict(node.pins)
        kept = set(node.solution.kept)
        for word in range(self._words):
            if word not in node.pins:
                yield from self._child(node, pins | {word: word not in kept})
                pins[word] = word in kept

    def _child(self, node: _Node, pins: dict[int, bool]) -> Iterator[_Node]:
        if any(pins.get(word, fate) != fate for word, fate in node.pins.items()):
            return  # asks for both of a word's fates
        self._searches += 1
        solution = self._decoder.find(prices=prices_of(pins, self._words), limit=self._limit)
        if solution is None:
            return
        paid = sum(self._prices[tie] for tie in node.waived)
        yield _Node((paid - solution.score, next(self._ages)), pins, node.waived, solution)


def prices_of(pins: Pins, words: int) -> NDArray[np.float64]:
    """The pins as prices: infinite where a word is pinned."""
    prices = np.zeros(words)
    for word, kept in pins.items():
        prices[word] = np.inf if kept else -np.inf
    return prices


def pins_of(keep: Collection[int], drop: Collection[int]) -> dict[int, bool]:
    """The pins of words to keep and words to drop."""
    return dict.fromkeys(keep, True) | dict.fromkeys(drop, False)
