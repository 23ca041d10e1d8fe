"""The best compression that tears nothing apart: branch and bound over broken ties, each node one exact search.

A search space is the set of compressions that agree with some pins. Its best compression, ties ignored, is
one run of the decoder and bounds all of it from above. Where that compression breaks a tie, the space is
split into disjoint parts: one of the given words is dropped; or all are kept and one of the needed words
too; or the tie stays broken, at its price. Nodes are opened from the highest bound down, so the first
compression without an open tie is the best of all. Then it alone is taken out of its space, and the search
goes on to the next best.

Any compression, less the price of all it breaks, bounds the best from below. So most parts need not be
searched in full: the decoder is narrowed to what can reach that bound, and a part in which nothing does is
put off until nothing better is left.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from laconic.decode.chart import ChartDecoder
from laconic.decode.contract import Floats, Frontier, Integers, Limit, Solution
from laconic.errors import LaconicError
from laconic.systems.default.tie import Tie, bits

_WIDEST = 50.0  # a decoder narrowed to what is worse by more than this is as slow as the whole
_WORTHWHILE = 1.0  # narrowing takes time: it must gain this much on the last time
_LATER = 1 << 40  # above every age


@dataclass(frozen=True, slots=True)
class TiedDecoder:
    """All compressions of a decoder, each less the prices of the ties it breaks.

    After so many `searches`, runs of the decoder, the best compression known is taken as it is. Probabilities
    and samples are those of the decoder, ties ignored.
    """

    decoder: ChartDecoder
    prices: Mapping[Tie, float]
    searches: int = 600
    counts_gaps: ClassVar[bool] = True

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score."""
        return next(self.best_first(prices=prices, limit=limit))

    def k_best(
        self, k: int, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Sequence[Solution]:
        """The k compressions of highest score, best first; fewer if fewer are found."""
        if k < 1:
            raise LaconicError(f"k best needs a k of at least 1, not {k}")
        return list(itertools.islice(self.best_first(prices=prices, limit=limit), k))

    def best_first(
        self, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Iterator[Solution]:
        """The compressions from the best down, until so many searches are made."""
        asked = np.zeros(len(self.decoder)) if prices is None else np.asarray(prices, dtype=np.float64)
        return _Search(self, asked, limit).solutions()

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """The best at every number of words with all ties ignored."""
        return self.decoder.frontier(prices=prices)

    def frontier(
        self,
        *,
        prices: ArrayLike | None = None,
        costs: Sequence[int] | None = None,
        gaps: Integers | None = None,
    ) -> Frontier:
        """The best score at every total cost: one run for all, and a search where that tears a tie."""
        free = self.decoder.frontier(prices=prices, costs=costs, gaps=gaps)
        amounts = None if costs is None else tuple(costs)
        found: dict[int, Solution] = {}
        scores = np.full(len(free.scores), -np.inf)
        for cost in np.flatnonzero(free.scores > -np.inf).tolist():
            solution = free.solution(cost)
            if self.broken(solution.kept):
                solution = self.best(prices=prices, limit=Limit(cost, cost, amounts, gaps))
            found[cost], scores[cost] = solution, solution.score
        return Frontier(scores, found.__getitem__)

    def log_partition(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> float:
        """The logarithm of the sum of exp(score) over all compressions."""
        return self.decoder.log_partition(prices=prices, limit=limit)

    def word_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Floats:
        """The probability that each word is kept."""
        return self.decoder.word_marginals(prices=prices, limit=limit)

    def samples(
        self,
        count: int,
        generator: np.random.Generator,
        *,
        prices: ArrayLike | None = None,
        limit: Limit | None = None,
    ) -> Sequence[Solution]:
        """Independent compressions drawn from exp(score)/Z."""
        return self.decoder.samples(count, generator, prices=prices, limit=limit)

    def broken(self, kept: Sequence[int]) -> tuple[Tie, ...]:
        """The ties that keeping these words breaks."""
        words = bits(kept)
        return tuple(
            tie
            for tie in self.prices
            if not tie.needed_bits & words and tie.given_bits & words == tie.given_bits
        )

    def charge(self, kept: Sequence[int]) -> float:
        """The price of the ties that keeping these words breaks."""
        return sum(self.prices[tie] for tie in self.broken(kept))


@dataclass(frozen=True, slots=True, order=True)
class _Node:
    """A search space by its bound (negative, for the heap) and its age, with its best compression if known."""

    key: tuple[float, int]
    pins: dict[int, bool] = field(compare=False)
    waived: tuple[Tie, ...] = field(compare=False)
    solution: Solution | None = field(compare=False)


class _Search:
    """The compressions within a limit and under prices, as far as they have been looked at."""

    def __init__(self, tied: TiedDecoder, prices: Floats, limit: Limit | None) -> None:
        self._decoder, self._words = tied.decoder, len(tied.decoder)
        self._tied, self._prices = tied, tied.prices
        self._word_prices, self._limit = prices, limit
        self._pins = {int(word): bool(prices[word] > 0) for word in np.flatnonzero(np.isinf(prices))}
        # A word that is pinned pays nothing to the decoder, so that what it owes is added here.
        self._owed = {
            word: price for word, price in enumerate(prices.tolist()) if price and np.isfinite(price)
        }
        self._ages = itertools.count()
        self._searches = 0
        self._find: Callable[[Floats], Solution | None] | None = None
        self._threshold = -np.inf  # what it was made to find

    def solutions(self) -> Iterator[Solution]:
        """The compressions, from the best down; `InfeasibleBudget` if there is none at all."""
        root = self._decoder.best(prices=self._word_prices, limit=self._limit)
        if len(self._pins) == self._words:
            yield replace(root, score=root.score - self._paid(self._broken(root)))
            return
        heap = [_Node((-root.score, next(self._ages)), self._pins, (), root)]
        while self._searches < self._tied.searches:
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
                    yield replace(node.solution, score=-node.key[0])
                    parts = self._without_its_best(node, node.solution)
            for part in parts:
                heapq.heappush(heap, part)
        # Too many ties are torn whatever is done: take the best there is.
        known = [node.solution for node in heap if node.solution is not None]
        charged = [replace(each, score=each.score - self._paid(self._broken(each))) for each in known]
        yield from sorted(charged, key=lambda solution: -solution.score)

    def _narrow_down(self, solution: Solution) -> None:
        """Look only for what is at least as good as a compression that pays for all it breaks."""
        price = self._paid(self._broken(solution))
        if not self._owed and solution.score - price > self._threshold + _WORTHWHILE and price < _WIDEST:
            self._threshold = solution.score - price
            self._find = self._decoder.finder(self._threshold, prices=self._word_prices, limit=self._limit)

    def _broken(self, solution: Solution) -> tuple[Tie, ...]:
        return self._tied.broken(solution.kept)

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
            found = self._find(self._with_pins(pins))
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
        found = self._decoder.find(prices=self._with_pins(node.pins), limit=self._limit)
        if found is not None:
            owed = sum(self._owed.get(word, 0.0) for word, kept in node.pins.items() if kept)
            found = replace(found, score=found.score + owed)
            self._narrow_down(found)
            key = (self._paid(node.waived) - found.score, next(self._ages))
            yield replace(node, key=key, solution=found)

    def _with_pins(self, pins: Mapping[int, bool]) -> Floats:
        prices = self._word_prices.copy()
        for word, kept in pins.items():
            prices[word] = np.inf if kept else -np.inf
        return prices
