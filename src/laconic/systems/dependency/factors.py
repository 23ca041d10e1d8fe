"""Which parts of a compression are scored, the decoder that fits them, and the rows of their features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.decode.compressive import CompressiveParser
from laconic.decode.path import PathDecoder
from laconic.errors import LaconicError
from laconic.learn.interface import FeatureVector, Weights
from laconic.systems.dependency.rows import FeatureRows, Scores


@dataclass(frozen=True, slots=True)
class Factors:
    """Words are always scored; arcs make a tree, siblings make it second order, bigrams a language model.

    Without arcs the compression is a path (McDonald 2006), which needs bigrams. With `evidence`, bigrams have the
    features of what is dropped between them.
    """

    arcs: bool = True
    siblings: bool = True
    bigrams: bool = True
    evidence: bool = False

    def __post_init__(self) -> None:
        if not (self.arcs or self.bigrams) or (self.siblings and not self.arcs):
            raise LaconicError(f"arcs or bigrams must be scored, and siblings only with arcs: {self}")
        if self.evidence and not self.bigrams:
            raise LaconicError(f"evidence is of bigrams, which must be scored: {self}")

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

    def mean(self, features: FeatureRows, weights: Weights, prices: Float64) -> tuple[FeatureVector, float]:
        """The expected features under exp(score + prices)/Z, which are the gradient of ln Z, and ln Z."""
        decoder = self.decoder(features.score(weights))
        if isinstance(decoder, CompressiveParser):
            found = decoder.marginals(prices=prices)
            parts = [np.append(0.0, found.words), found.arcs, found.bigrams]
            if found.siblings is not None:
                parts.append(found.siblings.reshape(-1)[features.siblings])
            total = found.log_partition
        else:
            bigrams = decoder.bigram_marginals(prices=prices)
            arcs = np.zeros((features.words + 1) ** 2)
            parts = [np.append(0.0, bigrams[1:-1].sum(axis=1)), arcs, bigrams]
            total = decoder.log_partition(prices=prices)
        if not self.bigrams:
            parts[2] = np.zeros_like(parts[2])
        often = np.concatenate([part.ravel() for part in parts])
        rows = np.flatnonzero(often)
        return features.weighted(rows, often[rows]), total


def _with_words(bigrams: Float64, words: Float64) -> Float64:
    """Bigram scores [i, j] with the worth of word j added."""
    scores = bigrams.copy()
    scores[:, :-1] += words
    return scores
