"""Which parts of a compression are scored, the decoder that fits them, and the rows of their features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laconic.decode.compressive import CompressiveParser
from laconic.decode.path import PathDecoder
from laconic.errors import LaconicError
from laconic.systems.dependency.rows import FeatureRows, Float64, Int64, Scores


@dataclass(frozen=True, slots=True)
class Factors:
    """Words are always scored; arcs make a tree, siblings make it second order, bigrams a language model.

    Without arcs the compression is a path (McDonald 2006), which needs bigrams.
    """

    arcs: bool = True
    siblings: bool = True
    bigrams: bool = True

    def __post_init__(self) -> None:
        if not (self.arcs or self.bigrams) or (self.siblings and not self.arcs):
            raise LaconicError(f"arcs or bigrams must be scored, and siblings only with arcs: {self}")

    def decoder(self, scores: Scores) -> CompressiveParser | PathDecoder:
        """The search space under the scores."""
        bigrams = scores.bigrams if self.bigrams else np.zeros_like(scores.bigrams)
        if not self.arcs:
            return PathDecoder(_with_words(bigrams, scores.words))
        siblings = scores.siblings if self.siblings else None
        return CompressiveParser(scores.arcs + scores.words, bigrams, sibling=siblings)

    def path_decoder(self, scores: Scores) -> PathDecoder:
        """The same with every word at its best head: a bound on the best tree, in less time."""
        words = scores.words.copy()
        if self.arcs:
            arcs = scores.arcs.copy()
            np.fill_diagonal(arcs, -np.inf)
            words[1:] += arcs.max(axis=0)[1:]
        bigrams = scores.bigrams if self.bigrams else np.zeros_like(scores.bigrams)
        return PathDecoder(_with_words(bigrams, words))

    def rows(self, features: FeatureRows, kept: Sequence[int], heads: Sequence[int] | None) -> Int64:
        """The rows of a compression with the tree over its words."""
        found = [features.word_rows(kept)]
        if self.bigrams:
            found.append(features.bigram_rows(kept))
        if self.arcs:
            assert heads is not None, "arcs are scored, so there is a tree"
            found.append(features.arc_rows(kept, heads))
            if self.siblings:
                found.append(features.sibling_rows(kept, heads))
        return np.concatenate(found)


def _with_words(bigrams: Float64, words: Float64) -> Float64:
    """Bigram scores [i, j] with the worth of word j added."""
    scores = bigrams.copy()
    scores[:, :-1] += words
    return scores
