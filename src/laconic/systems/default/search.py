"""The best compression that tears nothing apart: branch and bound over broken ties, each node one exact search.

A search space is the set of compressions that agree with some pins. Its best compression, ties ignored, is
one run of the decoder and bounds all of it from above. Where that compression breaks a tie, the space is
split into disjoint parts: one of the given words is dropped; or all are kept and one of the needed words
too; or the tie stays broken, at its price. Nodes are opened from the highest bound down, so the first
compression without an open tie is the best of all. Where the caller does not accept it, it alone is taken
out of its space and the search goes on.

Any compression, less the price of all it breaks, bounds the best from below. So most parts need not be
searched in full: the decoder is narrowed to what can reach that bound, and a part in which nothing does is
put off until nothing better is left.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from laconic.decode.chart import ChartDecoder
from laconic.decode.contract import Limit, Solution
from laconic.systems.default.tie import Tie


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to look: so many times the price of ties, so many runs of the decoder on 30 words.

    After them, or fewer on longer sentences, the best accepted compression known is taken as it is.
    """

    harshness: float = 1.0
    searches: int = 600


THOROUGH, FEW, HARSH = Effort(), Effort(searches=60), Effort(harshness=4.0, searches=60)

_WIDEST = 50.0  # a decoder narrowed to what is worse by more than this is as slow as the whole
_WORTHWHILE = 1.0  # narrowing takes time: it must gain this much on the last time
_LATER = 1 << 40  # above every age

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
    """A search space by its bound (negative, for the heap) and its age, with its best compression if known."""

    key: tuple[float, int]
    pins: dict[int, bool] = field(compare=False)
    waived: tuple[Tie, ...] = field(compare=False)
    solution: Solution | None = field(compare=False)


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
        effort: Effort = THOROUGH,
    ) -> None:
        self._decoder, self._words = decoder, words
        self._ties = ties
        self._prices = {tie: effort.harshness * price for tie, price in prices.items()}
        self._pins, self._limit = dict(pins or {}), limit
        self._most_searches = max(5, effort.searches * 900 // max(30, words) ** 2)
        self._ages = itertools.count()
        self._searches = 0
        self._find: Callable[[NDArray[np.float64]], Solution | None] | None = None
        self._threshold = -np.inf  # what it was made to find

    def best(self, accepts: Callable[[Solution], bool] = lambda _: True) -> Found | None:
        """The best accepted compression; None if none was found.

        Raises `InfeasibleBudget` where no compression at all agrees with the pins and the limit.
        """
        return next(self.all(accepts), None)

    def all(self, accepts: Callable[[Solution], bool] = lambda _: True) -> Iterator[Found]:
        """The accepted compressions, from the best down, until so many searches are made."""
        root = self._decoder.best(prices=prices_of(self._pins, self._words), limit=self._limit)
        heap = [_Node((-root.score, next(self._ages)), self._pins, (), root)]
        while self._searches < self._most_searches:
            if not heap:
                return
            node = heapq.heappop(heap)
            if node.solution is None:
                parts = self._in_full(node)
            else:
                open_ties = [tie for tie in self._broken(node.solution) if tie not in node.waived]
                if open_ties:
                    self._narrow_down(node.solution)
                    fewest_parts = min(open_ties, key=lambda tie: len(tie.given) + len(tie.needed))
                    parts = self._split_by_tie(node, fewest_parts)
                else:
                    if accepts(node.solution):
                        yield Found(node.solution, node.waived, -node.key[0])
                    parts = self._without_its_best(node, node.solution)
            for part in parts:
                heapq.heappush(heap, part)
        # Too many ties are torn whatever is done: take the best there is, and say what it breaks.
        for node in sorted(heap):
            if node.solution is not None and accepts(node.solution):
                yield Found(node.solution, self._broken(node.solution), -node.key[0])

    def _narrow_down(self, solution: Solution) -> None:
        """Look only for what is at least as good as a compression that pays for all it breaks."""
        price = self._paid(self._broken(solution))
        if solution.score - price > self._threshold + _WORTHWHILE and price < _WIDEST:
            self._threshold = solution.score - price
            prices = prices_of(self._pins, self._words)
            self._find = self._decoder.finder(self._threshold, prices=prices, limit=self._limit)

    def _broken(self, solution: Solution) -> tuple[Tie, ...]:
        kept = frozenset(solution.kept)
        return tuple(tie for tie in self._ties if tie.broken_by(kept))

    def _paid(self, ties: tuple[Tie, ...]) -> float:
        return sum(self._prices[tie] for tie in ties)

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
        yield replace(node, key=(-paid, next(self._ages)), pins=pins, waived=(*node.waived, tie))

    def _without_its_best(self, node: _Node, best: Solution) -> Iterator[_Node]:
        # Lawler's partition: by the first free word on which a compression differs.
        pins = dict(node.pins)
        kept = set(best.kept)
        for word in range(self._words):
            if word not in node.pins:
                yield from self._child(node, pins | {word: word not in kept})
                pins[word] = word in kept

    def _child(self, node: _Node, pins: dict[int, bool]) -> Iterator[_Node]:
        if any(pins.get(word, fate) != fate for word, fate in node.pins.items()):
            return  # asks for both of a word's fates
        if self._find is not None:
            self._searches += 1
            found = self._find(prices_of(pins, self._words))
            if found is not None:
                self._narrow_down(found)
                yield _Node(
                    (self._paid(node.waived) - found.score, next(self._ages)), pins, node.waived, found
                )
            else:
                # Nothing here is as good as the threshold; at equal bounds what is known comes first.
                bound = min(-node.key[0], self._threshold - self._paid(node.waived))
                yield _Node((-bound, _LATER + next(self._ages)), pins, node.waived, None)
        else:
            yield from self._in_full(replace(node, pins=pins))

    def _in_full(self, node: _Node) -> Iterator[_Node]:
        self._searches += 1
        found = self._decoder.find(prices=prices_of(node.pins, self._words), limit=self._limit)
        if found is not None:
            self._narrow_down(found)
            key = (self._paid(node.waived) - found.score, next(self._ages))
            yield replace(node, key=key, solution=found)


def prices_of(pins: Pins, words: int) -> NDArray[np.float64]:
    """The pins as prices: infinite where a word is pinned."""
    prices = np.zeros(words)
    for word, kept in pins.items():
        prices[word] = np.inf if kept else -np.inf
    return prices


def pins_of(keep: Collection[int], drop: Collection[int]) -> dict[int, bool]:
    """The pins of words to keep and words to drop."""
    return dict.fromkeys(keep, True) | dict.fromkeys(drop, False)
