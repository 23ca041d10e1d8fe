"""A compressor for which some words are worth more keeps them where it can, and meets its limits all the same."""

from __future__ import annotations

import pytest

from laconic.budget import Budget
from laconic.sentence import Sentence
from laconic.systems.default.compressor import Compressor

TEXT = "On Thursday night the council, which met in secret, agreed to lower the mooring fees, officials said."


@pytest.fixture(scope="module")
def compressor() -> Compressor:
    return Compressor(threads=1)


def worth(sentence: Sentence) -> list[float]:
    assert sentence.tags is not None
    return [60.0 * (word == "secret") for word in sentence.words]


@pytest.mark.parametrize(
    "budget",
    [
        Budget.at_most(10, unit="pieces"),
        Budget.exactly(10, unit="pieces"),
        Budget.at_most(60, unit="characters"),
        None,
    ],
)
def test_a_favoured_word_stays(compressor: Compressor, budget: Budget | None) -> None:
    plain, favouring = compressor.compress(TEXT, budget), compressor.favouring(worth).compress(TEXT, budget)
    assert "secret" not in plain.text
    assert "secret" in favouring.text
    if budget is not None:
        least, most = budget.limits(1000)
        assert least <= budget.measure(favouring.standing, favouring.text) <= most


def test_it_favours_at_every_length_and_leaves_the_other_compressor_as_it_was(compressor: Compressor) -> None:
    kept = [
        sum("secret" in answer.text for answer in each.frontier(TEXT))
        for each in (compressor, compressor.favouring(worth), compressor)
    ]
    assert kept[1] > kept[0] == kept[2]
