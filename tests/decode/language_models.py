"""Small language models over the symbols of random forests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from laconic.ngram import EstimationOptions, NgramModel, estimate
from laconic.ngram.vocabulary import UNKNOWN
from tests.ngram.corpora import sentences

SPELLING = "abcdz"  # z is unknown to every model


def closed(model: NgramModel) -> NgramModel:
    """The same model, except that the unknown word is impossible."""
    probabilities = model.tables.probabilities.copy()
    probabilities[UNKNOWN] = -np.inf
    probabilities.setflags(write=False)
    return NgramModel(model.vocabulary, model.offsets, model.tables._replace(probabilities=probabilities))


models = st.builds(
    lambda corpus, order, prune: estimate(corpus, EstimationOptions(order=order, prune=prune)),
    corpus=sentences,
    order=st.integers(1, 4),
    prune=st.sampled_from([0.0, 3e-3]),
)


def symbol_ids(model: NgramModel, count: int) -> list[int]:
    """Ids for so many symbols; different symbols may be the same word."""
    return [model.vocabulary.id(SPELLING[symbol % len(SPELLING)]) for symbol in range(count)]
