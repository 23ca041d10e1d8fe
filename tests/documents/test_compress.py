"""One call compresses; words are named, not numbered."""

from __future__ import annotations

import pytest
from laconic.systems.phrases import find_phrase

import laconic
from laconic.errors import LaconicError
from laconic.text.tokenise import tokenise


def test_one_call_compresses_text_or_a_sentence() -> None:
    budget = laconic.Budget.exactly(3, unit="pieces")
    text = "On Monday the New York market didn't fall."
    for source in (text, tokenise(text)):
        answer = laconic.compress(source, budget, system="truncate", keep=["new york"], drop=["on", "monday"])
        assert answer.text == "The New York"
    with pytest.raises(LaconicError, match="'London' is not in the sentence"):
        laconic.compress(text, keep=["London"])


def test_limits_are_named_in_the_call() -> None:
    text = "The council, which met on Tuesday, agreed to lower the fees."
    assert laconic.compress(text, words=8).text == "The council agreed to lower the fees."
    assert len(laconic.compress(text, characters=30).text) <= 30
    assert len(laconic.compress(text, ratio=0.5).words) <= 7  # of 14
    assert 9 <= len(laconic.compress(text, words=(9, 10)).words) <= 10
    assert 40 <= len(laconic.compress(text, characters=(40, 45)).text) <= 45
    pieces = laconic.TextCost(len, "letters")
    assert len(laconic.compress(text, tokens=25, tokenizer=pieces).text) <= 25
    assert len(laconic.compress(text, style="safe").text) >= len(laconic.compress(text, style="terse").text)
    for wrong in ({"words": 3, "ratio": 0.5}, {"tokens": 3}, {"style": "safe", "system": "truncate"}):
        with pytest.raises(LaconicError):
            laconic.compress(text, **wrong)


def test_phrases_are_found_wherever_they_are() -> None:
    sentence = tokenise("The cat saw the cat; THE END, didn't it")
    assert find_phrase(sentence, "the") == [0, 3, 6]
    assert find_phrase(sentence, "the cat") == [0, 1, 3, 4]
    assert find_phrase(sentence, "didn't") == [9, 10]
    assert find_phrase(sentence, "dog") == []
    assert find_phrase(tokenise("a a a"), "a a") == [0, 1, 2]


def test_attributes_of_the_package_are_what_they_say() -> None:
    for name in laconic.__all__:
        assert getattr(laconic, name) is not None
        assert name in dir(laconic)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        laconic.nonsense  # noqa: B018
