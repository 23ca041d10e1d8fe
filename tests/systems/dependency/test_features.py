"""Fast feature rows equal the literal twin; sums of rows are those of the compression's parts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.dependency.factors import Factors
from laconic.systems.dependency.features import Extractor
from laconic.systems.dependency.rows import FeatureRows
from tests.oracles.compression_features import Twin
from tests.systems.dependency.sentences import PRODUCTION, annotated_sentences, compressions

EXTRACTOR = Extractor(bits=18)


def twin(sentence: Sentence, extractor: Extractor) -> Twin:
    return Twin(sentence, extractor.language, extractor.grammar, extractor.bits)


def row(rows: FeatureRows, number: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for entry in range(rows.starts[number], rows.starts[number + 1]):
        found[int(rows.features[entry])] += float(rows.values[entry])  # type: ignore[assignment]
    return found


def same(one: Counter[int], other: Counter[int]) -> bool:
    return set(one) == set(other) and all(one[key] == pytest.approx(other[key], abs=1e-5) for key in one)


def check_all_rows(sentence: Sentence) -> None:
    rows, literal = EXTRACTOR.extract(sentence), twin(sentence, EXTRACTOR)
    count = len(sentence)
    side = count + 1
    for m in range(1, side):
        assert same(row(rows, m), literal.word(m))
    for h in range(side):
        for m in range(1, side):
            if h != m:
                assert same(row(rows, side + h * side + m), literal.arc(h, m))
    for i in range(side):
        for j in range(i + 1, side + 1):
            assert same(row(rows, side + side**2 + i * (side + 1) + j), literal.bigram(i, j))
    cells = {int(cell): place for place, cell in enumerate(rows.siblings)}
    for h in range(side):
        for m in range(1, side):
            for previous in [h, *range(min(h, m) + 1, max(h, m))] if h != m else ():
                expected = literal.sibling(h, previous, m)
                cell = (h * side + previous) * side + m
                assert (cell in cells) == bool(expected)
                if expected:
                    assert same(row(rows, side + side**2 + (side + 1) ** 2 + cells[cell]), expected)
    empty = [0, side, *(side + h * side for h in range(side)), *(side + k * (side + 1) for k in range(side))]
    assert all(not row(rows, number) for number in empty)


def test_rows_of_a_written_sentence_equal_the_twin() -> None:
    check_all_rows(PRODUCTION)


@given(annotated_sentences())
@settings(max_examples=25, deadline=None)
def test_rows_equal_the_twin(sentence: Sentence) -> None:
    check_all_rows(sentence)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_compression_is_the_sum_of_its_parts(data: st.DataObject) -> None:
    sentence = data.draw(annotated_sentences())
    kept, heads = data.draw(compressions(len(sentence)))
    rows = EXTRACTOR.extract(sentence)
    vector = rows.vector(Factors().rows(rows, kept, heads))
    expected: Counter[int] = Counter()
    for part in twin(sentence, EXTRACTOR).structure(kept, heads):
        for feature, value in part.items():
            expected[feature] += value
    assert dict(zip(vector.features.tolist(), vector.values.tolist(), strict=True)) == pytest.approx(
        {feature: value for feature, value in expected.items() if value}, abs=1e-4
    )


@given(
    st.data(),
    st.sampled_from(
        [
            (True, True, True, False),
            (True, True, True, True),
            (True, False, False, False),
            (False, False, True, True),
        ]
    ),
)
@settings(max_examples=40, deadline=None)
def test_decoders_score_what_features_say(data: st.DataObject, parts: tuple[bool, ...]) -> None:
    sentence = data.draw(annotated_sentences())
    factors = Factors(*parts)
    rows = replace(EXTRACTOR, evidence=factors.evidence, arcs=factors.arcs).extract(sentence)
    weights = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=EXTRACTOR.size)
    for solution in factors.decoder(rows.score(weights)).k_best(3):
        vector = rows.vector(factors.rows(rows, solution.kept, solution.heads))
        assert vector.dot(weights) == pytest.approx(solution.score, abs=1e-4)


@given(annotated_sentences())
@settings(max_examples=10, deadline=None)
def test_without_arcs_all_else_is_the_same(sentence: Sentence) -> None:
    whole, paths = (replace(EXTRACTOR, arcs=arcs).extract(sentence) for arcs in (True, False))
    side, weights = len(sentence) + 1, np.random.default_rng(0).normal(size=EXTRACTOR.size)
    assert all(not row(paths, side + cell) for cell in range(side * side))
    assert not len(paths.siblings)
    one, other = whole.score(weights), paths.score(weights)
    assert np.array_equal(one.words, other.words)
    assert np.array_equal(one.bigrams, other.bigrams)


def test_factors_must_make_sense() -> None:
    for parts in ((False, False, False), (False, True, True)):
        with pytest.raises(LaconicError, match="arcs or bigrams must be scored"):
            Factors(*parts)
    with pytest.raises(LaconicError, match="evidence is of bigrams"):
        Factors(bigrams=False, evidence=True)


def test_what_is_not_annotated_has_no_features() -> None:
    with pytest.raises(LaconicError, match="no tags or trees to take features from: 'It fell'"):
        EXTRACTOR.extract(Sentence.from_words(["It", "fell"]))
