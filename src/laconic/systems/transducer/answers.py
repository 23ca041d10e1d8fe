"""From derivations to compressions: deletions where they only delete, rewritten sentences where not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from laconic.compression import Compression
from laconic.decode.contract import Decoder, Floats, Frontier, Integers, Limit, Solution
from laconic.decode.transducer import Transduction
from laconic.sentence import Sentence


@dataclass(frozen=True, slots=True)
class WordCosts:
    """A decoder over a forest that may emit new words, asked as if it only copied source words.

    Costs are given for source words; `new` are the costs of the new words, one for each further symbol.
    """

    decoder: Decoder
    counts_gaps: ClassVar[bool] = False
    new: Callable[[], Sequence[int]]

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score."""
        return self.decoder.best(prices=prices, limit=self._limit(limit))

    def k_best(
        self, k: int, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Sequence[Solution]:
        """The k compressions of highest score, best first."""
        return self.decoder.k_best(k, prices=prices, limit=self._limit(limit))

    def frontier(
        self,
        *,
        prices: ArrayLike | None = None,
        costs: Sequence[int] | None = None,
        gaps: Integers | None = None,
    ) -> Frontier:
        """The best score at every total cost."""
        all_costs = None if costs is None else (*costs, *self.new())
        return self.decoder.frontier(prices=prices, costs=all_costs, gaps=gaps)

    def log_partition(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> float:
        """The logarithm of the sum of exp(score) over all compressions."""
        return self.decoder.log_partition(prices=prices, limit=self._limit(limit))

    def word_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Floats:
        """The probability that each word is kept."""
        return self.decoder.word_marginals(prices=prices, limit=self._limit(limit))

    def samples(
        self,
        count: int,
        generator: np.random.Generator,
        *,
        prices: ArrayLike | None = None,
        limit: Limit | None = None,
    ) -> Sequence[Solution]:
        """Independent compressions drawn from exp(score)/Z."""
        return self.decoder.samples(count, generator, prices=prices, limit=self._limit(limit))

    def _limit(self, limit: Limit | None) -> Limit | None:
        if limit is None or limit.costs is None:
            return limit
        return Limit(limit.least, limit.most, (*limit.costs, *self.new()))


def written(sentence: Sentence, space: Transduction, solution: Solution) -> Compression:
    """The compression of a solution, with its target tree and its derivation."""
    derivation = solution.derivation
    assert derivation is not None, "a forest was searched"
    tree, application = space.target(derivation), space.application(derivation)
    symbols = derivation.symbols()
    copies = all(symbol < len(sentence) for symbol in symbols)
    if copies and all(left < right for left, right in pairwise(symbols)):
        return Compression.by_deletion(
            sentence, symbols, score=solution.score, tree=tree, derivation=application
        )
    words = tuple(space.symbols[symbol] for symbol in symbols)
    spaces = [_space(sentence, left, right, space) for left, right in pairwise(symbols)]
    text = "".join(word + gap for word, gap in zip(words, [*spaces, ""], strict=True))
    first_letter = sentence.words[0][:1]
    if first_letter.isupper():
        text = text[:1].upper() + text[1:]
    return Compression(sentence, None, words, text, score=solution.score, tree=tree, derivation=application)


def _space(sentence: Sentence, left: int, right: int, space: Transduction) -> str:
    """The white space between two words that follow each other in the output."""
    if left + 1 == right < len(sentence):
        return sentence.spaces[left]
    attached = right < len(sentence) and right > 0 and not sentence.spaces[right - 1]
    is_mark = not space.symbols[right][0].isalnum()
    return "" if is_mark and (attached or right >= len(sentence)) else " "
