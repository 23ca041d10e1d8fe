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

Where costs can be counted, that is one kernel (`laconic.decode.branches`); where they are too great, it is done here.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int64
from laconic.decode.branches import LATER
from laconic.decode.contract import Frontier, Limit, Solution
from laconic.decode.path import PathDecoder
from laconic.errors import LaconicError
from laconic.systems.default.tie import PricedTies

_WIDEST = 50.0  # a search narrowed to what is worse by more than this is as slow as the whole
_WORTHWHILE = 1.0  # what a search narrowed again must gain


@dataclass(frozen=True, slots=True)
class TiedDecoder:
    """All compressions of a decoder, each less the prices of the ties it breaks.

    After so many `searches`, runs of the decoder, the best compression known is taken as it is. Probabilities
    and samples are those of the decoder, ties ignored.
    """

    decoder: PathDecoder
    ties: PricedTies
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
        asked = None if prices is None else np.asarray(prices, np.float64)
        counted = self.decoder.tied_best_first(self.ties.clauses(), self.searches, prices=asked, limit=limit)
        first = None if counted is None else next(counted, None)
        if counted is None or first is None:
            yield from _Search(self, asked, limit).solutions()
        else:
            yield first
            yield from counted

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """The best at every number of words with all ties ignored."""
        return self.decoder.frontier(prices=prices)

    def frontier(
        self,
        *,
        prices: ArrayLike | None = None,
        costs: Sequence[int] | None = None,
        gaps: Int64 | None = None,
    ) -> Frontier:
        """The best score at every total cost: one run for all, and a search where that tears a tie."""
        free = self.decoder.frontier(prices=prices, costs=costs, gaps=gaps)
        amounts = None if costs is None else tuple(costs)
        found: dict[int, Solution] = {}
        scores = np.full(len(free.scores), -np.inf)
        for cost in np.flatnonzero(free.scores > -np.inf).tolist():
            solution = free.solution(cost)
            if self.ties.broken(solution.kept)[0]:
                solution = self.best(prices=prices, limit=Limit(cost, cost, amounts, gaps))
            found[cost], scores[cost] = solution, solution.score
        return Frontier(scores, found.__getitem__)

    def log_partition(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> float:
        """The logarithm of the sum of exp(score) over all compressions."""
        return self.decoder.log_partition(prices=prices, limit=limit)

    def word_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Float64:
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


class _Node(NamedTuple):
    """A search space by its bound (negative, for the heap) and its age, which no two have in common.

    Pins are prices that are infinite; `waived` are the ties whose price is paid. `solution` is its best compression, if
    known, and `broken` the ties that it breaks.
    """

    bound: float
    age: int
    pins: Float64
    waived: tuple[int, ...]
    solution: Solution | None = None
    broken: tuple[int, ...] = ()


class _Search:
    """The compressions within a limit and under prices, as far as they have been looked at."""

    def __init__(self, tied: TiedDecoder, prices: Float64 | None, limit: Limit | None) -> None:
        self._most, self._ties = tied.searches, tied.ties
        self._chart = tied.decoder.search(prices=prices, limit=limit)
        self._in_chart = partial(tied.decoder.best, prices=prices, limit=limit)
        pins = np.zeros(len(tied.decoder)) if prices is None else prices
        self._pins = np.where(np.isinf(pins), pins, 0.0)
        self._ages = itertools.count()
        self._searches = 0
        self._find: Callable[[Float64], Solution | None] | None = None
        self._threshold = -np.inf  # what it was made to find

    def solutions(self) -> Iterator[Solution]:
        """The compressions, from the best down; `InfeasibleBudget` if there is none at all."""
        root = self._chart.best(self._pins) or self._in_chart()  # which says what is possible
        broken, price = self._ties.broken(root.kept)
        if np.isinf(self._pins).all():
            yield replace(root, score=root.score - price)
            return
        heap = [_Node(-root.score, next(self._ages), self._pins, (), root, broken)]
        while self._searches < self._most:
            if not heap:
                return
            node = heapq.heappop(heap)
            if node.solution is None:
                parts = self._in_full(node.pins, node.waived)
            else:
                open_ties = [tie for tie in node.broken if tie not in node.waived]
                if open_ties or node.age:
                    self._narrow_down(node.solution, self._ties.cost(node.broken))
                if open_ties:
                    parts = self._split_by_tie(node, min(open_ties, key=self._ties.sizes.__getitem__))
                else:
                    yield replace(node.solution, score=-node.bound)
                    parts = self._without_its_best(node, node.solution)
            for part in parts:
                heapq.heappush(heap, part)
        # Too many ties are torn whatever is done: take the best there is.
        charged = [
            replace(each.solution, score=each.solution.score - self._ties.cost(each.broken))
            for each in heap
            if each.solution is not None
        ]
        yield from sorted(charged, key=lambda solution: -solution.score)

    def _narrow_down(self, solution: Solution, price: float) -> None:
        """Look only for what is at least as good as a compression that pays for all it breaks."""
        if solution.score - price > self._threshold + _WORTHWHILE and price < _WIDEST:
            self._threshold = solution.score - price
            self._find = self._chart.above(self._threshold)

    def _split_by_tie(self, node: _Node, tie: int) -> Iterator[_Node]:
        # The compression at hand keeps all that is given and drops all that is needed.
        given, needed, _ = self._ties.ties[tie]
        pins = node.pins.copy()
        yield from self._parts(node, pins, [*given, *needed], given)
        # The compression at hand lies in this last part, and remains its best.
        bound = node.bound + self._ties.prices[tie]
        yield _Node(bound, next(self._ages), pins, (*node.waived, tie), node.solution, node.broken)

    def _without_its_best(self, node: _Node, best: Solution) -> Iterator[_Node]:
        # Lawler's partition: by the first free word on which a compression differs.
        return self._parts(node, node.pins.copy(), range(len(node.pins)), set(best.kept))

    def _parts(
        self, node: _Node, pins: Float64, words: Iterable[int], kept: Collection[int]
    ) -> Iterator[_Node]:
        """What differs from the kept ones on the first free word, on the second, …; at last all are pinned."""
        rows = []
        for word in words:
            if node.pins[word] == 0.0:
                fate = np.inf if word in kept else -np.inf
                pins[word] = -fate
                rows.append(pins.copy())
                pins[word] = fate
        for row in rows:
            if self._find is None:
                yield from self._in_full(row, node.waived)
                continue
            self._searches += 1
            found, age = self._find(row), next(self._ages)
            if found is not None:
                yield self._known(row, node.waived, found, age)
            else:
                # Nothing here is as good as the threshold; at equal bounds what is known comes first.
                bound = max(node.bound, self._ties.cost(node.waived) - self._threshold)
                yield _Node(bound, LATER + age, row, node.waived)

    def _in_full(self, pins: Float64, waived: tuple[int, ...]) -> Iterator[_Node]:
        self._searches += 1
        found = self._chart.best(pins)
        if found is not None:
            known = self._known(pins, waived, found, next(self._ages))
            self._narrow_down(found, self._ties.cost(known.broken))
            yield known

    def _known(self, pins: Float64, waived: tuple[int, ...], found: Solution, age: int) -> _Node:
        broken, _ = self._ties.broken(found.kept)
        return _Node(self._ties.cost(waived) - found.score, age, pins, waived, found, broken)
