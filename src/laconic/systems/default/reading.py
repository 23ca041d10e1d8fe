"""One sentence as the default compressor sees it: potentials, ties, and searches under any limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from laconic.annotate.annotator import Analysis
from laconic.annotate.charts import best_heads
from laconic.compression import Compression
from laconic.decode.chart import ChartDecoder
from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit, Solution
from laconic.decode.path import PathDecoder
from laconic.sentence import Sentence
from laconic.systems.default.articles import clashing_articles
from laconic.systems.default.prices import EXACT, HARD, JUNCTION, NOTED, Prices
from laconic.systems.default.protection import ties
from laconic.systems.default.run_ons import run_ons
from laconic.systems.default.scoring import Weights, potentials
from laconic.systems.default.search import THOROUGH, Effort, Found, Pins, Search, prices_of
from laconic.systems.default.source_tree import SourceTree
from laconic.text.detokenise import broken_junctions, detokenise, space_between
from laconic.trees.transform import restrict

MOST_PARSED = 80
"""Longer sentences are searched for the best path alone, as the rules of a parser grow with the cube."""


class Reading:
    """A sentence with its scores, ready to be searched again and again."""

    def __init__(self, analysis: Analysis, weights: Weights, prices: Prices = EXACT) -> None:
        self.sentence: Sentence = analysis.sentence
        self._scores = analysis.scores
        self._weights = weights
        self._tree = SourceTree(analysis.sentence)
        self._ties = ties(self._tree)
        self._faults = prices
        self._tie_prices = prices.of(self._ties)
        self._decoder: ChartDecoder | None = None

    def __len__(self) -> int:
        return len(self.sentence)

    def decoder(self) -> ChartDecoder:
        """The search space of the sentence."""
        if self._decoder is None:
            arc, bigram = self._arc_and_bigram
            self._decoder = PathDecoder(bigram) if arc is None else CompressiveParser(arc, bigram)
        return self._decoder

    def best(
        self,
        *,
        pins: Pins,
        limit: Limit | None = None,
        spaced: bool = False,
        accepts: Callable[[tuple[int, ...]], bool] = lambda _: True,
        effort: Effort = THOROUGH,
    ) -> Found | None:
        """The best compression within the limit that tears nothing apart, if that can be had.

        None where none was accepted; `InfeasibleBudget` where there is none at all.
        """
        search = self._search(pins, limit, spaced, effort)
        return search.best(lambda solution: accepts(solution.kept))

    def best_first(
        self,
        *,
        pins: Pins,
        limit: Limit | None = None,
        spaced: bool = False,
        accepts: Callable[[tuple[int, ...]], bool] = lambda _: True,
    ) -> Iterator[Found]:
        """The compressions with different words, from the best down."""
        return self._search(pins, limit, spaced).all(lambda solution: accepts(solution.kept))

    def frontier(self, pins: Pins) -> dict[int, Found]:
        """The best compression at every number of words there can be.

        One run of the decoder finds them all, and each pays for what it tears apart; those that tear apart
        what must stay together are searched for again, for that alone.
        """
        frontier = self.decoder().frontier(prices=self.prices(pins))
        hard = [tie for tie in self._ties if self._tie_prices[tie] >= HARD]
        found = {}
        for count in np.flatnonzero(frontier.scores > -np.inf).tolist():
            solution = frontier.solution(count)
            kept = frozenset(solution.kept)
            if any(tie.broken_by(kept) for tie in hard):
                limit = Limit(count, count)
                better = Search(
                    self.decoder(), len(self), hard, self._tie_prices, pins=pins, limit=limit
                ).best()
                assert better is not None
                solution = better.solution
            found[count] = self._charged(solution)
        return found

    def compression(self, kept: Sequence[int], *, score: float, notes: tuple[str, ...] = ()) -> Compression:
        """The answer that keeps these words, with both of its trees."""
        tree = self.sentence.tree
        return Compression.by_deletion(
            self.sentence,
            kept,
            score=score,
            tree=restrict(tree, kept) if tree is not None and kept else None,
            heads=self._heads(kept),
            notes=notes,
        )

    def notes_on(self, found: Found) -> tuple[str, ...]:
        """What a compression tears apart of what should stay together."""
        words = self.sentence.words
        if not self.has_words(found.solution.kept):
            return ("no word is left",)
        return tuple(
            f"{tie.kind.value}: {', '.join(repr(words[word]) for word in tie.given)} "
            f"without {words[tie.needed[0]]!r}"
            for tie in found.broken
            if tie.kind in NOTED
        )

    def has_words(self, kept: Sequence[int]) -> bool:
        """Whether more than punctuation is kept."""
        return any(char.isalnum() for word in kept for char in self.sentence.words[word])

    def damage(self, found: Found) -> float:
        """The price of all that a compression tears apart and of its clashing articles; a lost comma is no damage."""
        clashes = sum(pair in self._clashes for pair in pairwise(found.solution.kept))
        return self._faults.article * clashes + sum(self._tie_prices[tie] for tie in found.broken)

    def found(self, kept: Sequence[int]) -> Found:
        """The compression that keeps exactly these words, at least one, with what it breaks."""
        pins = dict.fromkeys(range(len(self)), False) | dict.fromkeys(kept, True)
        return self._charged(self.decoder().best(prices=self.prices(pins)))

    def _charged(self, solution: Solution) -> Found:
        kept = frozenset(solution.kept)
        broken = tuple(tie for tie in self._ties if tie.broken_by(kept))
        return Found(solution, broken, solution.score - sum(self._tie_prices[tie] for tie in broken))

    def prices(self, pins: Pins) -> NDArray[np.float64]:
        """The pins as prices of words."""
        return prices_of(pins, len(self))

    def settled(self, kept: Sequence[int], keep: frozenset[int]) -> tuple[int, ...]:
        """The kept words without those that detokenising would take away, unless they must be kept."""
        while True:
            _, repairs = detokenise(self.sentence, kept)
            removed = {repair.where for repair in repairs if repair.kind != "capitalised"}
            if not removed or removed & keep or len(removed) == len(kept):
                return tuple(kept)
            kept = [word for word in kept if word not in removed]

    def probabilities(self) -> NDArray[np.float64]:
        """How likely each word is to be kept at the natural length."""
        return self.decoder().word_marginals()

    def _search(self, pins: Pins, limit: Limit | None, spaced: bool, effort: Effort = THOROUGH) -> Search:
        return Search(
            self.decoder(),
            len(self),
            self._ties,
            self._tie_prices,
            pins=pins,
            limit=replace(limit, gaps=self.gaps) if spaced and limit is not None else limit,
            effort=effort,
        )

    @cached_property
    def _arc_and_bigram(self) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]:
        found = potentials(self._scores, self._weights)
        # A price for each word, paid on leaving it, so that pins can take the decoder's own prices.
        bigram = found.bigram.copy()
        bigram[1:-1] += found.prices[:, None]
        for price, pairs in (
            (JUNCTION, broken_junctions(self.sentence)),
            (self._faults.article, self._clashes),
        ):
            for left, right in pairs:
                bigram[left + 1, right + 1] -= price
        bigram[1:-1, 1:] -= self._faults.run_on * run_ons(self._tree)
        parsed = self._weights.arc != 0.0 and len(self) <= MOST_PARSED
        return found.arc if parsed else None, bigram

    @cached_property
    def _clashes(self) -> frozenset[tuple[int, int]]:
        return frozenset(clashing_articles(self.sentence))

    @cached_property
    def gaps(self) -> NDArray[np.int64]:
        """The length of the white space between each two words that follow each other."""
        count, spaces = len(self), self.sentence.spaces
        gaps = np.zeros((count + 2, count + 2), np.int64)
        gaps[1:-1, 1:-1] = np.array([len(space) for space in spaces])[:, None]
        # Only where the author put no space is there a question.
        odd = [word for word in range(count) if not spaces[word]]
        after = ((word, right) for word in odd for right in range(word + 1, count))
        before = ((left, word + 1) for word in odd for left in range(word) if word + 1 < count)
        for left, right in {*after, *before}:
            gaps[left + 1, right + 1] = len(space_between(self.sentence, left, right))
        return np.triu(gaps, 1)

    def _heads(self, kept: Sequence[int]) -> tuple[int, ...]:
        # The best tree over exactly these words; where arcs take part in the search, it is the one found.
        places = np.array([0, *(word + 1 for word in kept)])
        arcs = np.ascontiguousarray(self._scores.kept_arcs[np.ix_(places, places)])
        return tuple(int(head) for head in best_heads(arcs))
