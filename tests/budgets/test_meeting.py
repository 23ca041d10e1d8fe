"""What does not add up is met in few searches, however long the sentence is."""

from __future__ import annotations

from random import Random

import pytest

import laconic
from laconic.budgets.meeting import Meeting
from laconic.budgets.texts import Steps
from tests.fuzz.texts import long_sentence

QUARTERS = laconic.TextCost(lambda text: -(-len(text) // 4), "quarters")


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_a_long_sentence_is_cut_to_a_cost_of_its_text_without_texts_at_every_cost(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"searches": 0, "texts": 0}
    candidates, traced = Meeting._candidates, Steps.traced

    def searched(*arguments):
        asked["searches"] += 1
        return candidates(*arguments)

    def written(*arguments):
        asked["texts"] += 1
        return traced(*arguments)

    monkeypatch.setattr(Meeting, "_candidates", searched)
    monkeypatch.setattr(Steps, "traced", written)
    sentence = laconic.tokenise(long_sentence(Random(5), 120, 160))
    wanted = round(share * QUARTERS.count(sentence.text))
    found = laconic.compress(sentence, laconic.Budget.exactly(wanted, unit=QUARTERS))
    assert QUARTERS.count(found.text) == wanted
    assert asked["searches"] <= 4
    assert asked["texts"] <= 25


def test_a_text_far_above_its_limit_is_looked_for_at_the_same_share_of_what_was_counted() -> None:
    # One character outside GSM's alphabet makes every other one more than twice as dear.
    text = (
        "The council’s plan to rebuild the old harbour wall before next winter will cost about four million pounds, "
        "and the work is to begin in March."
    )
    as_septets = laconic.compress(text, septets=160)
    assert len(as_septets.text) >= 40
    assert laconic.units.unit("septets").count(as_septets.text) <= 160


def test_of_a_long_sentence_with_many_pins_something_is_known_to_be_possible() -> None:
    text = ", ".join(["lent", "closed", "sold"][place % 3] for place in range(260)) + "."
    with pytest.raises(laconic.InfeasibleBudget) as refused:
        laconic.compress(text, laconic.Budget.at_most(100, unit=QUARTERS), keep=",")
    assert refused.value.possible is not None
    amount = refused.value.possible[0]
    found = laconic.compress(text, laconic.Budget.exactly(amount, unit=QUARTERS), keep=",")
    assert QUARTERS.count(found.text) == amount
