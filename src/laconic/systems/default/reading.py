"""One sentence as the default compressor sees it: scores, ties, and the search space they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from laconic.annotate.annotator import Analysis
from laconic.budgets import SearchSpace
from laconic.decode.contract import Solution
from laconic.decode.path import PathDecoder
from laconic.sentence import Sentence
from laconic.systems.default.answers import Answers
from laconic.systems.default.learnt_ties import SMALL_WORD_LOSSES, LearntTies
from laconic.systems.default.prices import EXACT, JUNCTION, NOTED, Prices
from laconic.systems.default.protections import declared_losses
from laconic.systems.default.punctuation import last_stop, run_ons
from laconic.systems.default.reader import Opinion, Reader
from laconic.systems.default.scoring import Weights, bigrams
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tied_decoder import TiedDecoder
from laconic.systems.reasons import Hold
from laconic.text.detokenise import broken_junctions, standing

SEARCHES = 600
"""Searches for one answer on 30 words; fewer on more words."""

SURE = 1.5
"""The log-odds of an answer that is good enough not to look at others."""
LOYALTY = 0.2
"""By how much readers must like another answer better than the best by its score, in log-odds."""
GRAVE, GRAVE_SMALL = 4.0, 2.0
"""What people tear less often, in log-odds, no other answer may tear unless the best does: words, and small words."""
LOOKED_AT = 6
"""So many of the next best are read, too."""


class Reading:
    """A sentence with its scores, ready to be searched again and again."""

    def __init__(
        self,
        analysis: Analysis,
        weights: Weights,
        prices: Prices = EXACT,
        worth: Sequence[float] | None = None,
        *,
        for_readers: bool = False,
    ) -> None:
        self.sentence: Sentence = analysis.sentence
        self._scores = analysis.scores
        self._weights = weights
        self._worth = worth  # what each word is worth beyond its scores
        self._for_readers = for_readers and worth is None
        self._tree = SourceTree(analysis.sentence)
        self._faults = prices
        self.tie_prices = prices.of(self._tree, LearntTies.shipped())

    def __len__(self) -> int:
        return len(self.sentence)

    @cached_property
    def paths(self) -> PathDecoder:
        """The search over words, ties ignored."""
        bigram = bigrams(self._scores, self._weights)
        if self._worth is not None:
            bigram[1:-1] += np.asarray(self._worth)[:, None]
        for left, right in broken_junctions(self.sentence):
            bigram[left + 1, right + 1] -= JUNCTION
        bigram[1:-1, 1:] -= self._faults.run_on * run_ons(self._tree)
        return PathDecoder(bigram)

    @cached_property
    def space(self) -> SearchSpace:
        """The compressions of the sentence, less the prices of what they tear apart."""
        searches = max(5, SEARCHES * 30 // max(30, len(self)))
        return SearchSpace(
            self.sentence, TiedDecoder(self.paths, self.tie_prices, searches), write=self._answers.written
        )

    @cached_property
    def _answers(self) -> Answers:
        return Answers(self.sentence, self._scores.kept_arcs, self.tie_prices, NOTED * self._faults.log_odds)

    def preferred(self, found: Solution, others: Iterator[Solution]) -> Solution:
        """Of the best solution and the next few what readers would like best; the best where they surely like it."""
        if self._opinion is None:
            return found
        chosen, most = found, self._said(found)
        if most >= SURE:
            return found
        most += LOYALTY
        # What is promised comes first: an answer that ends as a sentence does is not given up for one that does not,
        # nor for one that breaks grammar, tears what people hardly ever tear, or flips what is said.
        ends = self._ends(found)
        grave = self._grave(found.kept)
        for other in islice(others, LOOKED_AT):
            if ends <= self._ends(other):
                said = self._said(other)
                if said > most and (torn := self._grave(other.kept)) <= grave:
                    chosen, most, grave = other, said, torn
        return chosen

    def _ends(self, solution: Solution) -> frozenset[int]:
        """Of the last word and the stop that ends the sentence those that stay."""
        return self._at_the_end & frozenset(solution.kept)

    @cached_property
    def _at_the_end(self) -> frozenset[int]:
        stop = last_stop(self._tree)
        return frozenset([len(self) - 1] if stop is None else [len(self) - 1, stop])

    def _grave(self, kept: Sequence[int]) -> frozenset[int]:
        """What is torn that only a limit excuses."""
        numbers, _ = self.tie_prices.broken(standing(self.sentence, tuple(kept)))
        return frozenset(number for number in numbers if self._is_grave(number))

    def _is_grave(self, number: int) -> bool:
        torn = self.tie_prices.torn[number]
        least = GRAVE_SMALL if torn in SMALL_WORD_LOSSES else GRAVE
        return torn in declared_losses() or self.tie_prices.prices[number] >= least * self._faults.log_odds

    def _said(self, solution: Solution) -> float:
        assert self._opinion is not None
        return self._opinion.log_odds(standing(self.sentence, solution.kept), solution.score)

    @cached_property
    def _opinion(self) -> Opinion | None:
        """What readers make of whole compressions, where prose is to be shortened for them and its states are known."""
        if not self._for_readers or self._scores.states is None:
            return None
        heads = self.sentence.heads
        assert heads is not None
        return Opinion(Reader.shipped(), self._scores, heads, self._weights.keep)

    @property
    def has_reader(self) -> bool:
        """Whether answers are read whole before one is chosen."""
        return self._opinion is not None

    def damage(self, solution: Solution) -> float:
        """The price of all that an answer tears apart, less what its words are worth; a lost comma is no damage."""
        kept = standing(self.sentence, solution.kept)
        _, torn = self.tie_prices.broken(kept)
        return torn if self._worth is None else torn - sum(self._worth[word] for word in kept)

    def holds(self, kept: Sequence[int]) -> dict[int, tuple[Hold, ...]]:
        """For every word the ties that are torn only if it alone goes the other way, the dearest first."""
        words = frozenset(kept)
        found = {}
        for word in range(len(self)):
            torn = self.tie_prices.torn_by(words ^ {word})
            holds = [
                Hold(self._answers.worded(tie), price) for tie, price in torn if not tie.broken_by(words)
            ]
            found[word] = tuple(sorted(holds, key=lambda hold: -hold.price))
        return found
