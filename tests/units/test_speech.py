"""Syllables by rule come near what people say, and a text's time is their number at a rate."""

from __future__ import annotations

import pytest

from laconic.errors import LaconicError
from laconic.units import budget
from laconic.units.speech import count_syllables, syllables

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


def test_a_text_has_the_syllables_of_its_words() -> None:
    # in nineteen eighty-four twelve per cent of it was gone
    assert count_syllables("In 1984, 12% of it was gone.") == 13
    assert count_syllables("… – !") == 0


def test_seconds_are_syllables_at_a_rate() -> None:
    assert budget("seconds", None, 2).limits(100) == (0, 8)
    assert budget("seconds", 2, 2.6).limits(100) == (8, 10)
    assert budget("seconds", 1.1, 1.1).limits(100) == (4, 4)
    assert budget("seconds", 1, None, rate=4.5).limits(100) == (5, 100)


@pytest.mark.parametrize("rate", [0, -1, float("inf"), float("nan"), "fast", True])
def test_a_rate_is_a_positive_number(rate) -> None:
    with pytest.raises(LaconicError, match="of speech"):
        budget("seconds", None, 3, rate=rate)


@pytest.mark.parametrize("amount", [-1, float("inf"), float("nan"), "3", True])
def test_seconds_are_a_number(amount) -> None:
    with pytest.raises(LaconicError):
        budget("seconds", None, amount)
