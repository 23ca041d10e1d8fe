"""Estimating a model with interpolated modified Kneser-Ney smoothing (Chen & Goodman 1999).

With a(h w) the adjusted count of an n-gram (its occurrences at the highest order and where it opens a
sentence, else the number of different words seen before it) and D the discount for that count,

    p(w | h) = (a(h w) - D(a(h w))) / sum_v a(h v) + backoff(h) p(w | h without its oldest word),
    backoff(h) = sum_v D(a(h v)) / sum_v a(h v),

down to the uniform distribution over all words but `<s>`. An n-gram below the cut-off of its order is
left out and gives its whole count, not only the discount, to backoff(h), so the sum stays one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float64
from laconic.errors import LaconicError
from laconic.ngram.counts import Level, count_ngrams
from laconic.ngram.model import Listing, NgramModel, assemble
from laconic.ngram.pruning import prune
from laconic.ngram.vocabulary import BEGIN, Folding, encode_corpus

FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)
"""The discounts of an order whose counts of counts are too few to estimate them."""


@dataclass(frozen=True, slots=True)
class EstimationOptions:
    """How a model is estimated.

    Words seen fewer than `min_count` times, or beyond the `vocabulary_size` most frequent, become the
    unknown word. `cut_offs[k - 2]` is the least number of occurrences with which an n-gram of k words
    is listed, for k = 2 and up; it may not fall with k, so that the parts of a listed n-gram are listed
    (an empty tuple lists all). `prune` is the threshold of entropy pruning, 0 for none.
    """

    order: int = 3
    min_count: int = 1
    vocabulary_size: int | None = None
    cut_offs: tuple[int, ...] = ()
    prune: float = 0.0
    folding: Folding = "none"

    def __post_init__(self) -> None:
        if not 1 <= self.order <= 9:
            raise LaconicError(f"the order of a model lies between 1 and 9, not {self.order}")
        if self.cut_offs and len(self.cut_offs) != self.order - 1:
            raise LaconicError(
                f"a model of order {self.order} takes {self.order - 1} cut-offs, for 2 words and up, "
                f"not {self.cut_offs}"
            )
        if any(cut_off < 1 for cut_off in self.cut_offs) or list(self.cut_offs) != sorted(self.cut_offs):
            raise LaconicError(
                f"cut-offs are at least 1 and do not fall as n-grams grow, unlike {self.cut_offs}"
            )
        if not 0.0 <= self.prune < 1.0:
            raise LaconicError(f"the threshold of pruning is at least 0 and below 1, not {self.prune}")


def estimate(sentences: Iterable[Sequence[str]], options: EstimationOptions | None = None) -> NgramModel:
    """Estimate a model from tokenised sentences.

    >>> model = estimate([["the", "cat", "sat"], ["the", "dog", "sat"]], EstimationOptions(order=2))
    >>> model.score_sentence(["the", "dog", "sat"]) > model.score_sentence(["dog", "the", "sat"])
    True
    """
    options = options or EstimationOptions()
    vocabulary, tokens = encode_corpus(
        sentences, min_count=options.min_count, size=options.vocabulary_size, folding=options.folding
    )
    levels = count_ngrams(tokens, order=options.order, vocabulary_size=len(vocabulary))
    cut_offs = (0, *(options.cut_offs or (1,) * (options.order - 1)))
    kept = [level.counts >= cut_off for level, cut_off in zip(levels, cut_offs, strict=True)]
    model = assemble(vocabulary, _listings(levels, kept))
    if options.prune == 0.0:
        return model
    frequencies = [level.counts[keep] / len(tokens) for level, keep in zip(levels[:-1], kept, strict=False)]
    return prune(model, options.prune, history_probabilities=np.concatenate([np.zeros(0), *frequencies]))


def adjusted_counts(levels: Sequence[Level]) -> list[NDArray[np.int64]]:
    """The counts Kneser-Ney smoothing works on, for each order; 0 for `<s>`, which is never predicted."""
    adjusted = []
    for level, above in zip(levels, [*levels[1:], None], strict=True):
        if above is None:
            counts = level.counts.copy()
        else:
            different_before = np.bincount(above.suffixes, minlength=len(level))
            counts = np.where(level.opens, level.counts, different_before)
        adjusted.append(counts)
    adjusted[0][BEGIN] = 0
    return adjusted


def discounts(adjusted: NDArray[np.int64]) -> tuple[float, float, float]:
    """The discounts of n-grams with an adjusted count of 1, 2, and 3 or more.

    With n_k the number of n-grams of count k and Y = n_1 / (n_1 + 2 n_2),
    D_k = k - (k + 1) Y n_(k+1) / n_k. If some n_k is 0 or some D_k not within [0, k],
    the order gets `FALLBACK_DISCOUNTS`.
    """
    numbers = np.bincount(adjusted[adjusted <= 4], minlength=5).astype(np.float64)
    if not np.all(numbers[1:] > 0):
        return FALLBACK_DISCOUNTS
    ratio = numbers[1] / (numbers[1] + 2 * numbers[2])
    first, second, third = (k - (k + 1) * ratio * numbers[k + 1] / numbers[k] for k in (1, 2, 3))
    if not (0 <= first <= 1 and 0 <= second <= 2 and 0 <= third <= 3):
        return FALLBACK_DISCOUNTS
    return float(first), float(second), float(third)


def _listings(levels: Sequence[Level], kept: Sequence[NDArray[np.bool_]]) -> list[Listing]:
    """The kept n-grams of every order with their probabilities and back-off weights."""
    probabilities: list[Float64] = []
    backoffs: list[Float64] = []  # of the contexts one order below
    for order, (level, keep, counts) in enumerate(
        zip(levels, kept, adjusted_counts(levels), strict=True), start=1
    ):
        contexts = 1 if order == 1 else len(levels[order - 2])
        discount = np.array([0.0, *discounts(counts)])[np.minimum(counts, 3)]
        total = np.bincount(level.prefixes, weights=counts, minlength=contexts)
        returned = np.bincount(level.prefixes, weights=np.where(keep, discount, counts), minlength=contexts)
        backoff = np.divide(returned, total, out=np.ones(contexts), where=total > 0)
        if order == 1:
            lower = np.full(len(level), 1.0 / (len(level) - 1))
            lower[BEGIN] = 0.0
        else:
            lower = probabilities[-1][level.suffixes]
        explicit = (counts - discount) / np.where(total > 0, total, 1.0)[level.prefixes]
        probabilities.append(np.where(keep, explicit + backoff[level.prefixes] * lower, 0.0))
        backoffs.append(backoff)
    place = [np.cumsum(keep) - 1 for keep in kept]
    with np.errstate(divide="ignore"):  # `<s>` has probability 0
        return [
            Listing(
                prefixes=level.prefixes[keep] if order == 0 else place[order - 1][level.prefixes[keep]],
                words=level.words[keep],
                probabilities=np.log(probability[keep]),
                backoffs=np.log(backoff[keep]) if order + 1 < len(levels) else np.zeros(0),
            )
            for order, (level, keep, probability, backoff) in enumerate(
                zip(levels, kept, probabilities, [*backoffs[1:], np.ones(len(levels[-1]))], strict=True)
            )
        ]
