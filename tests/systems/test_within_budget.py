"""Asking decoders within budgets: values, prices of words, and texts that estimates misjudge."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.budget import Budget, TextCost
from laconic.decode.path import PathDecoder
from laconic.errors import InfeasibleBudget
from laconic.sentence import Sentence
from laconic.systems.request import Request
from laconic.systems.within_budget import best_within
from laconic.text.tokenise import tokenise

SENTENCE = tokenise("Rain (heavy, cold) fell again; we left.")
WORTH = {"Rain": 5.0, "fell": 4.0, "left": 3.0, "we": 2.0}


def decoder(sentence: Sentence) -> PathDecoder:
    """Words are worth something each, whatever their neighbours; those without a worth cost 1."""
    worth = [WORTH.get(word, -1.0) for word in sentence.words]
    return PathDecoder(np.tile([0.0, *worth, 0.0], (len(sentence) + 2, 1)))


def ask(budget: Budget | None, keep: list[int] | None = None, **options: object) -> str:
    request = Request.of(SENTENCE, budget, keep or [], [])
    return best_within(decoder, request, **options).text  # type: ignore[arg-type]


def test_without_a_budget_the_best_is_taken() -> None:
    assert ask(None) == "Rain fell we left"


def test_a_price_of_words_lengthens_and_a_value_decides_between_lengths() -> None:
    assert len(ask(None, word_price=2.0)) > len(ask(None))
    assert ask(None, value=lambda score, words: score / words) == "Rain"
    assert ask(Budget.at_least(2), value=lambda score, words: score / words) == "Rain fell"


def test_a_pinned_word_is_paid_for() -> None:
    request = Request.of(SENTENCE, None, [0], [])
    free = Request.of(SENTENCE, None, [], [])
    pinned, best = (best_within(decoder, each, word_price=0.5) for each in (request, free))
    assert pinned.kept == best.kept
    assert pinned.score == pytest.approx(best.score)  # the word pays its price, pinned or not


def test_repairs_are_measured_not_estimated() -> None:
    # Unpaired brackets and stray commas are removed from the text, though the words count as kept.
    for most in range(4, 30):
        assert len(ask(Budget.at_most(most, unit="characters"), [1, 3])) <= most


def test_costs_of_the_text_can_be_anything() -> None:
    squares = TextCost(lambda text: len(text) ** 2, "squares")
    assert len(ask(Budget.at_most(100, unit=squares))) <= 10
    with pytest.raises(InfeasibleBudget, match="no compression"):
        ask(Budget.exactly(17, unit=squares))


def test_everything_dropped_is_nothing() -> None:
    request = Request.of(SENTENCE, None, [], range(len(SENTENCE)))
    assert best_within(decoder, request).text == ""
    request = Request.of(SENTENCE, Budget.at_least(1), [], range(len(SENTENCE)))
    with pytest.raises(InfeasibleBudget, match="possible: 0"):
        best_within(decoder, request)
