"""The n-grams of a sentence, and a model that counts those a reference does not have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.ngram.model import Listing, NgramModel, assemble
from laconic.ngram.vocabulary import BEGIN, END, SPECIAL_WORDS, UNKNOWN, Vocabulary


def ngrams_of(words: Sequence[str], order: int) -> list[tuple[str | None, ...]]:
    """The n-grams of 1 to `order` words that end in a word or, but for unigrams, in the end of the sentence.

    Before the first word stand order - 1 signs for the begin, written None as the end is.

    >>> ngrams_of(["it", "fell"], 2)
    [('it',), ('fell',), (None, 'it'), ('it', 'fell'), ('fell', None)]
    """
    padded = (*[None] * (order - 1), *words, None)
    return [
        padded[end - size : end]
        for size in range(1, order + 1)
        for end in range(order, len(padded) + (size > 1))
    ]


def reference_model(words: Sequence[str], order: int, *, discount: float) -> NgramModel:
    """A model whose score of a sentence is its number of n-grams that `words` lack - discount · all of them.

    After the longest context that the reference continues with a word, of k - 1 words, the n-grams of up to
    k words are right and order - k are wrong: so the counts are those of a back-off model. A context that
    reaches back to the begin of the sentence is as long as need be.
    """
    listed = tuple(dict.fromkeys(word for word in words if word not in SPECIAL_WORDS))
    vocabulary = Vocabulary((*SPECIAL_WORDS, *listed))
    ids = [BEGIN, *vocabulary.ids(words).tolist(), END]
    known: list[list[tuple[int, ...]]] = [[(word,) for word in range(len(vocabulary))]]
    for size in range(2, order + 1):
        found = {tuple(ids[start : start + size]) for start in range(len(ids) - size + 1)}
        known.append(sorted(ngram for ngram in found if UNKNOWN not in ngram))

    def wrong(ngram: tuple[int, ...]) -> float:
        if ngram == (UNKNOWN,):
            return float(order)
        return 0.0 if ngram[0] == BEGIN else float(order - len(ngram))

    listings = []
    for size, ngrams in enumerate(known, start=1):
        places = {ngram: place for place, ngram in enumerate(known[size - 2])} if size > 1 else {}
        values = [wrong(ngram) - discount * (order - (ngram[-1] == END)) for ngram in ngrams]
        listings.append(
            Listing(
                prefixes=np.array([places.get(ngram[:-1], 0) for ngram in ngrams], dtype=np.int64),
                words=np.array([ngram[-1] for ngram in ngrams], dtype=np.int64),
                probabilities=np.array(values),
                backoffs=np.zeros(len(ngrams)),
            )
        )
    return assemble(vocabulary, listings)
