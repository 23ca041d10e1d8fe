"""The search over ties, trees and paths finds what enumeration finds."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate.annotator import Analysis
from laconic.decode import counted_paths
from laconic.decode.contract import Limit
from laconic.errors import InfeasibleBudget
from laconic.systems.default.reading import Reading
from laconic.systems.default.scoring import Weights
from tests.oracles.compressor import objective, subsets
from tests.systems.default.readings import analyses, random_analysis, random_sentence

WEIGHTS = st.sampled_from([Weights(), Weights(keep=0.5, bias=0.3)])


@settings(max_examples=60, deadline=None)
@given(analyses(6), WEIGHTS, st.data())
def test_the_best_is_that_of_enumeration(analysis: Analysis, weights: Weights, data: st.DataObject) -> None:
    count = len(analysis.sentence)
    pins = data.draw(st.dictionaries(st.integers(0, count - 1), st.booleans(), max_size=2))
    word_price = data.draw(st.sampled_from([0.0, 1.5]))
    length = data.draw(st.none() | st.integers(1, count))
    agreeing = [
        kept
        for kept in subsets(count)
        if all((word in kept) == fate for word, fate in pins.items()) and length in (None, len(kept))
    ]
    decoder = Reading(analysis, weights).space.decoder
    limit = None if length is None else Limit(length, length)
    prices = np.full(count, word_price)
    for word, kept in pins.items():
        prices[word] = np.inf if kept else -np.inf
    if not agreeing:
        with pytest.raises(InfeasibleBudget):
            decoder.best(prices=prices, limit=limit)
        return

    def worth(kept: tuple[int, ...]) -> float:
        paying = sum(word not in pins for word in kept)
        return objective(analysis, weights, kept) + word_price * paying

    found = decoder.best(prices=prices, limit=limit)
    assert found.kept in agreeing
    assert found.score == pytest.approx(worth(found.kept), abs=1e-6)
    assert found.score == pytest.approx(max(map(worth, agreeing)), abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(analyses(5), WEIGHTS)
def test_the_k_best_are_in_the_order_of_enumeration(analysis: Analysis, weights: Weights) -> None:
    found = list(islice(Reading(analysis, weights).space.decoder.best_first(), 12))
    count = len(analysis.sentence)
    expected = sorted((objective(analysis, weights, kept) for kept in subsets(count)), reverse=True)
    assert len({answer.kept for answer in found}) == len(found)
    assert [answer.score for answer in found] == pytest.approx(expected[: len(found)], abs=1e-6)
    assert len(found) == min(12, len(expected))


@settings(max_examples=20, deadline=None)
@given(analyses(9), WEIGHTS)
def test_outlines_score_no_less_than_the_best(analysis: Analysis, weights: Weights) -> None:
    space = Reading(analysis, weights).space
    outlines = space.outlines(frozenset(), frozenset())
    assert list(outlines) == list(range(1, len(analysis.sentence) + 1))
    for count, outline in outlines.items():
        assert outline.score >= space.decoder.best(limit=Limit(count, count)).score - 1e-9


@settings(max_examples=60, deadline=None)
@given(analyses(8), WEIGHTS, st.data())
def test_with_costs_too_great_to_count_whole_the_best_are_the_same(
    analysis: Analysis, weights: Weights, data: st.DataObject
) -> None:
    count = len(analysis.sentence)
    costs = tuple(data.draw(st.lists(st.integers(0, 5), min_size=count, max_size=count)))
    least = data.draw(st.integers(0, 2 * count))
    limit = Limit(least, least + data.draw(st.integers(0, count)), costs)
    prices = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.5]), min_size=count, max_size=count)))
    decoder = Reading(analysis, weights).space.decoder

    def found() -> object:
        try:
            return [
                (each.kept, each.score) for each in islice(decoder.best_first(prices=prices, limit=limit), 5)
            ]
        except InfeasibleBudget as error:
            return error.possible

    counted = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted_paths, "_LARGEST", -1)
        assert found() == counted


def test_probabilities_are_those_without_ties() -> None:
    generator = np.random.default_rng(1)
    analysis = random_analysis(generator, random_sentence(generator, 6))
    reading = Reading(analysis, Weights())
    assert reading.space.decoder.word_marginals() == pytest.approx(reading.paths.word_marginals())
