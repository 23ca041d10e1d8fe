"""The search over ties, trees and paths finds what enumeration finds."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laconic.systems.default.search import Found

from laconic.annotate.annotator import Analysis
from laconic.decode.contract import Limit
from laconic.errors import InfeasibleBudget
from laconic.systems.default.prices import HARD, TIES
from laconic.systems.default.reading import Reading
from laconic.systems.default.scoring import Weights
from tests.oracles.compressor import objective, subsets
from tests.systems.default.readings import analyses


def hard(found: Found) -> float:
    """The price of what must not be torn apart, and is."""
    prices = (TIES[tie.kind] for tie in found.broken)
    return sum(price for price in prices if price >= HARD)


WEIGHTS = st.sampled_from([Weights(), Weights(keep=0.5, bias=0.3, arc=0.4)])


@settings(max_examples=60, deadline=None)
@given(analyses(6), WEIGHTS, st.data())
def test_the_best_is_that_of_enumeration(analysis: Analysis, weights: Weights, data: st.DataObject) -> None:
    count = len(analysis.sentence)
    pins = data.draw(st.dictionaries(st.integers(0, count - 1), st.booleans(), max_size=2))
    length = data.draw(st.none() | st.integers(1, count))
    agreeing = [
        kept
        for kept in subsets(count)
        if all((word in kept) == fate for word, fate in pins.items()) and length in (None, len(kept))
    ]
    reading = Reading(analysis, weights)
    limit = None if length is None else Limit(length, length)
    if not agreeing:
        with pytest.raises(InfeasibleBudget):
            reading.best(pins=pins, limit=limit)
        return
    found = reading.best(pins=pins, limit=limit)
    assert found is not None
    assert found.solution.kept in agreeing
    assert found.score == pytest.approx(objective(analysis, weights, found.solution.kept), abs=1e-6)
    best = max(objective(analysis, weights, kept) for kept in agreeing)
    assert found.score == pytest.approx(best, abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(analyses(5), WEIGHTS)
def test_best_first_is_the_order_of_enumeration(analysis: Analysis, weights: Weights) -> None:
    reading = Reading(analysis, weights)
    found = list(islice(reading.best_first(pins={}), 12))
    expected = sorted((objective(analysis, weights, kept) for kept in subsets(len(reading))), reverse=True)
    assert len({answer.solution.kept for answer in found}) == len(found)
    assert [answer.score for answer in found] == pytest.approx(expected[: len(found)], abs=1e-6)
    assert len(found) == min(12, len(expected))


@settings(max_examples=20, deadline=None)
@given(analyses(7), WEIGHTS)
def test_what_is_not_accepted_is_passed_over(analysis: Analysis, weights: Weights) -> None:
    reading = Reading(analysis, weights)
    even = [kept for kept in subsets(len(reading)) if len(kept) % 2 == 0]
    found = reading.best(pins={}, accepts=lambda kept: len(kept) % 2 == 0)
    if not even:
        assert found is None
    else:
        assert found is not None and found.solution.kept in even


@settings(max_examples=20, deadline=None)
@given(analyses(7), WEIGHTS)
def test_the_frontier_has_every_length_and_tears_no_more_than_it_must(
    analysis: Analysis, weights: Weights
) -> None:
    reading = Reading(analysis, weights)
    frontier = reading.frontier({})
    assert list(frontier) == list(range(1, len(reading) + 1))
    for count, found in frontier.items():
        assert len(found.solution.kept) == count
        best = reading.best(pins={}, limit=Limit(count, count))
        assert best is not None
        assert hard(found) <= hard(best)
