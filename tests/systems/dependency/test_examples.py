"""Gold compressions come with projective trees; cost-augmented answers are those of enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.corpora.pair import Pair
from laconic.decode.contract import Solution
from laconic.sentence import Sentence
from laconic.systems.dependency.examples import CompressionExample, Gold, gold_compressions
from laconic.systems.dependency.factors import Factors
from laconic.systems.dependency.features import Extractor
from laconic.trees.dependency import is_projective
from tests.systems.dependency.sentences import PRODUCTION, annotated_sentences, compressions

EXTRACTOR = Extractor(bits=14)
RICH = Extractor(bits=14, evidence=True)
FACTORS = [Factors(), Factors(siblings=False), Factors(siblings=False, bigrams=False), Factors(False, False)]


@given(st.data(), st.sampled_from(FACTORS), st.sampled_from([0.0, 1.0]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_cost_augmented_answers_are_those_of_enumeration(
    data: st.DataObject, factors: Factors, loss_scale: float, gold_length: bool
) -> None:
    sentence = data.draw(annotated_sentences(max_words=4))
    kept, heads = data.draw(compressions(len(sentence)))
    gold = Gold(sentence, kept, heads)
    example = CompressionExample(EXTRACTOR.extract(sentence), gold, factors, gold_length=gold_length)
    weights = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=EXTRACTOR.size)

    def objective(solution: Solution) -> float:
        vector = example.rows.vector(factors.rows(example.rows, solution.kept, solution.heads))
        return vector.dot(weights) + loss_scale * example.loss(solution)

    everything = factors.decoder(example.rows.score(weights)).k_best_derivations(10_000)
    if gold_length:
        everything = [one for one in everything if len(one.kept) == len(kept)]
    expected = sorted(map(objective, everything), reverse=True)
    for k in (1, 3):
        answers = example.answers(weights, k=k, loss_scale=loss_scale)
        found = [answer.features.dot(weights) + loss_scale * answer.loss for answer in answers]
        assert found == pytest.approx(expected[:k], abs=1e-4)


@given(
    st.data(), st.sampled_from([*FACTORS, Factors(False, False, evidence=True)]), st.sampled_from([0.0, 1.0])
)
@settings(max_examples=15, deadline=None)
def test_the_mean_answer_is_the_gradient_of_its_loss(
    data: st.DataObject, factors: Factors, loss_scale: float
) -> None:
    sentence = data.draw(annotated_sentences(max_words=4))
    kept, heads = data.draw(compressions(len(sentence)))
    extractor = RICH if factors.evidence else EXTRACTOR
    example = CompressionExample(
        extractor.extract(sentence), Gold(sentence, kept, heads), factors, head_loss=0.0
    )
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    weights, way = generator.normal(size=(2, extractor.size)) * 0.3
    # Of enumeration: ln Σ exp(score + loss) - score of the truth.
    decoder = factors.decoder(example.rows.score(weights))
    derivations = decoder.k_best_derivations(10_000)
    totals = [each.score + loss_scale * len(set(each.kept) ^ set(kept)) for each in derivations]
    mean = example.mean_answer(weights, loss_scale=loss_scale)
    assert mean.loss == pytest.approx(
        float(np.logaddexp.reduce(totals)) - example.truth.dot(weights), abs=1e-4
    )
    step = 1e-4
    after, before = (
        example.mean_answer(weights + sign * step * way, loss_scale=loss_scale).loss for sign in (1, -1)
    )
    slope = (mean.features - example.truth).dot(way)
    assert slope == pytest.approx((after - before) / (2 * step), rel=1e-3, abs=1e-3)


def test_the_truth_has_no_loss_and_its_own_features() -> None:
    gold = Gold(PRODUCTION, (0, 2, 8), (1, -1, 1))
    example = CompressionExample(EXTRACTOR.extract(PRODUCTION), gold, Factors())
    assert example.loss(Solution(0.0, gold.kept, gold.heads)) == 0.0
    assert example.loss(Solution(0.0, (0, 2, 8), (1, -1, 0))) == 0.5
    assert example.loss(Solution(0.0, (0, 2), (1, -1))) == 1.0
    assert example.loss(Solution(0.0, (2, 3, 8), (-1, 0, 0))) == 2.0
    # Weights that love the truth alone make it the best answer.
    weights = np.zeros(EXTRACTOR.size)
    [other] = example.answers(weights)
    (example.truth - other.features).add_to(weights, 1.0)
    assert example.truth.dot(weights) > other.features.dot(weights)


def test_references_are_parsed_and_placed() -> None:
    source = Sentence.from_words(["The", "old", "bridge", "closed", "today", "."])
    pair = Pair.aligned(
        "1",
        source,
        [["The", "bridge", "closed", "."], ["A", "bridge", "closed"], ["."], ["bridge", "closed"]],
    )
    golds = list(gold_compressions([pair]))
    assert [gold.kept for gold in golds] == [
        (0, 2, 3, 5),
        (2, 3),
    ]  # a rewriting and a bare sign teach nothing
    for gold in golds:
        assert gold.sentence.tags is not None
        assert len(gold.heads) == len(gold.kept)
        assert is_projective(gold.heads)
    assert golds[0].heads[0] == 1  # "The" hangs on "bridge", which stands second among the kept
    assert [gold.kept for gold in gold_compressions([pair], references=1)] == [(0, 2, 3, 5)]
