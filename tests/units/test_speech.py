"""Syllables by rule come near what people say, and a text's time is their number at a rate."""

from __future__ import annotations

import pytest

from laconic.errors import LaconicError
from laconic.units.speech import speech, syllables

WORDS = {
    1: "the make makes asked played friends whole league there's don't eyes through called strength",
    2: "harbour little safely something didn't isn't playing business table rhythm royal million people wanted science",
    3: "another everything idea library bicycle radio museum energy beautiful basically area created carefully",
    4: "variation education television community information",
    5: "university electricity international opportunity",
}
NUMBERS = {
    "0": 2,  # zero
    "7": 2,
    "12": 1,
    "17": 3,
    "21": 3,
    "100": 3,  # one hundred
    "360": 6,  # three hundred and sixty
    "1066": 4,
    "1984": 5,  # nineteen eighty-four
    "1905": 4,  # nineteen oh five
    "1900": 4,  # nineteen hundred
    "2026": 5,
    "2000": 3,  # two thousand
    "2,500": 6,  # two thousand five hundred
    "1,000,000": 3,
    "3.14": 4,  # three point one four
    "007": 6,  # zero zero seven
}


@pytest.mark.parametrize(
    ("count", "word"), [(count, word) for count in WORDS for word in WORDS[count].split()]
)
def test_words(count: int, word: str) -> None:
    assert syllables(word) == count


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_are_read_out(number: str) -> None:
    assert syllables(number) == NUMBERS[number]


@pytest.mark.parametrize(
    ("word", "count"), [("BBC", 3), ("EU", 2), ("USA", 3), ("WWF", 7), ("NATO", 2), ("I", 1)]
)
def test_capitals_are_read_letter_by_letter_where_they_are_short_or_have_no_vowel(
    word: str, count: int
) -> None:
    assert syllables(word) == count


def test_a_text_takes_its_syllables_at_the_rate() -> None:
    text = "In 1984, 12% of it was gone."  # in nineteen eighty-four twelve per cent of it was gone
    assert speech(rate=1).count(text) == 13_000
    assert speech(rate=4).count(text) == 3_250
    assert speech().count("… – !") == 0


@pytest.mark.parametrize("rate", [0, -1, float("inf"), float("nan"), "fast", None])
def test_a_rate_is_a_positive_number(rate) -> None:
    with pytest.raises(LaconicError, match="syllables a second"):
        speech(rate=rate)
