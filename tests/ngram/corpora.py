"""Small corpora for hypothesis, and views of a model that the twins understand."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from laconic.ngram.model import NgramModel
from laconic.ngram.vocabulary import Vocabulary
from tests.oracles import ngram as oracle

sentences = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=1, max_size=8)


def with_boundaries(vocabulary: Vocabulary, corpus: list[list[str]]) -> list[list[int]]:
    return [[1, *vocabulary.ids(sentence).tolist(), 2] for sentence in corpus]


def listing(model: NgramModel) -> oracle.Values:
    """N-gram -> (probability, back-off weight) of everything a model lists."""
    values: oracle.Values = {}
    for order in range(1, model.order + 1):
        for node, ids in enumerate(model.ngrams(order).tolist(), start=model.offsets[order - 1]):
            backoff = float(model.tables.backoffs[node]) if order < model.order else 0.0
            values[tuple(ids)] = (math.exp(model.tables.probabilities[node]), math.exp(backoff))
    return values


def assert_same(ours: oracle.Values, twin: oracle.Values, *, tolerance: float = 2e-5) -> None:
    assert ours.keys() == twin.keys()
    for ngram, (probability, backoff) in twin.items():
        assert math.isclose(ours[ngram][0], probability, rel_tol=tolerance, abs_tol=1e-9), ngram
        assert math.isclose(ours[ngram][1], backoff, rel_tol=tolerance, abs_tol=1e-9), ngram
