"""What a system makes of one sentence: a decoder, what its scores are worth, and how it writes what is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from laconic.arrays import Float64
from laconic.budgets.counting import Counting
from laconic.compression import Compression
from laconic.decode.contract import Decoder, Frontier, Limit, Lister, Selections, Solution
from laconic.decode.decoder import ShapeDecoder
from laconic.errors import InfeasibleBudget
from laconic.sentence import Sentence
from laconic.text.detokenise import standing
from laconic.trees.transform import restrict

Value = Callable[[float, int], float]
"""What a compression of so much score and so many words is worth; it rises with the score."""

_MANY = 600  # of a short sentence, all


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """The compressions of a sentence, and what each is worth.

    `word_price` is added for every kept word. A `value` is for systems that weigh length themselves. Where the
    system `rewrites`, its decoder alone knows which texts there are, and may put in `new_words`. All others can keep
    any of the words, unless they are `selective`: then some selections are none of their compressions, and the decoder
    lists those that are. Where it takes long to `write` a compression, a `draft` has its text alone.
    """

    sentence: Sentence
    decoder: Decoder
    word_price: float = 0.0
    value: Value | None = None
    rewrites: bool = False
    selective: bool = False
    new_words: tuple[str, ...] = ()
    write: Callable[[Solution], Compression] | None = None
    draft: Callable[[Solution], Compression] | None = None

    def written(self, solution: Solution) -> Compression:
        """The compression of a solution: text, trees and score; marks kept in vain are not among its words."""
        if self.write is not None:
            return self.write(solution)
        tree, kept = self.sentence.tree, standing(self.sentence, solution.kept)
        return Compression.by_deletion(
            self.sentence,
            kept,
            score=solution.score,
            tree=restrict(tree, kept) if tree is not None and kept else None,
            heads=_heads_among(solution, kept),
        )

    def drafted(self, solution: Solution) -> Compression:
        """The same, perhaps without trees: enough to be measured."""
        return self.written(solution) if self.draft is None else self.draft(solution)

    def worth(self, solution: Solution) -> float:
        """What a solution is worth."""
        if self.value is None:
            return solution.score
        return self.value(solution.score, max(1, len(solution.kept)))

    def counting(self, counting: Counting) -> Counting:
        """What the decoder can add up of it."""
        return counting if self.decoder.counts_gaps else counting.without_gaps()

    def only(self, kept: tuple[int, ...]) -> Solution | None:
        """The compression that keeps exactly these words, at least one; None if there is none."""
        others = frozenset(range(len(self.sentence))).difference(kept)
        return next(self.best_first(frozenset(kept), others, None), None)

    def best_first(
        self, keep: frozenset[int], drop: frozenset[int], limit: Limit | None
    ) -> Iterator[Solution]:
        """The compressions within a limit, of the highest score first; each once, but not all of them."""
        prices, owed = self._prices(keep, drop)
        try:
            for solution in self.decoder.best_first(prices=prices, limit=limit):
                yield replace(solution, score=solution.score + owed)
        except InfeasibleBudget:
            return

    def frontier(
        self,
        keep: frozenset[int],
        drop: frozenset[int],
        counting: Counting,
        totals: tuple[int, float] = (0, np.inf),
    ) -> dict[int, Solution]:
        """The best compression at every total that there is, from the first of `totals` to the last."""
        decoder = self._shape_decoder()
        return self._every(
            keep,
            drop,
            lambda prices: decoder.frontier(prices=prices, costs=counting.costs, gaps=counting.gaps),
            totals,
        )

    def outlines(self, keep: frozenset[int], drop: frozenset[int]) -> dict[int, Solution]:
        """For every number of words a compression that scores no less than the best of them."""
        return self._every(keep, drop, lambda prices: self.decoder.outline(prices=prices))

    def _every(
        self,
        keep: frozenset[int],
        drop: frozenset[int],
        search: Callable[[Float64 | None], Frontier],
        totals: tuple[int, float] = (0, np.inf),
    ) -> dict[int, Solution]:
        prices, owed = self._prices(keep, drop)
        try:
            found = search(prices)
        except InfeasibleBudget:
            return {}
        costs = (
            cost for cost in np.flatnonzero(found.scores > -np.inf).tolist() if totals[0] <= cost <= totals[1]
        )
        solutions = ((cost, found.solution(cost)) for cost in costs)
        return {cost: replace(each, score=each.score + owed) for cost, each in solutions}

    def most(self, keep: frozenset[int], drop: frozenset[int]) -> Iterator[Solution]:
        """As many compressions as can be had in little time, of the highest score first."""
        prices, owed = self._prices(keep, drop)
        try:
            for solution in self._shape_decoder().k_best(_MANY, prices=prices):
                yield replace(solution, score=solution.score + owed)
        except InfeasibleBudget:
            return

    def selections(self, keep: frozenset[int], drop: frozenset[int], limit: Limit | None) -> Selections:
        """Of a selective system the words of as many compressions within a limit as can be had in little time."""
        return self.lister.selections(prices=self._prices(keep, drop)[0], limit=limit)

    @property
    def lister(self) -> Lister:
        """The decoder of a selective system."""
        assert self.selective
        return cast(Lister, self.decoder)

    def probabilities(
        self, keep: frozenset[int] = frozenset(), drop: frozenset[int] = frozenset()
    ) -> Float64:
        """How likely each word is to be kept, over all compressions."""
        return self.decoder.word_marginals(prices=self._prices(keep, drop)[0])

    def _shape_decoder(self) -> ShapeDecoder:
        assert isinstance(self.decoder, ShapeDecoder), "who weighs length or rewrites answers every question"
        return self.decoder

    def _prices(self, keep: frozenset[int], drop: frozenset[int]) -> tuple[Float64 | None, float]:
        """The price of each word, infinite where it is pinned, and what the words to be kept owe all the same."""
        if not keep and not drop and self.word_price == 0.0:
            return None, 0.0
        prices = np.full(len(self.sentence), float(self.word_price))
        prices[list(keep)] = np.inf
        prices[list(drop)] = -np.inf
        return prices, self.word_price * len(keep)


def _heads_among(solution: Solution, kept: tuple[int, ...]) -> tuple[int, ...] | None:
    """The heads of some of a solution's words: the nearest above each that is among them."""
    if solution.heads is None or len(kept) == len(solution.kept):
        return solution.heads
    places = {word: place for place, word in enumerate(kept)}
    found = []
    for word in kept:
        head = solution.heads[solution.kept.index(word)]
        while head >= 0 and solution.kept[head] not in places:
            head = solution.heads[head]
        found.append(places[solution.kept[head]] if head >= 0 else -1)
    return tuple(found)
