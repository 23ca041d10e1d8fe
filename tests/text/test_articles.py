"""An article goes with how the next word is spoken."""

from __future__ import annotations

import pytest

from laconic.text.articles import fitting_article

AN = """uninvited unimportant unidentified onerous umbrella urgent hour honest heirloom FBI NGO MP IT EU MRI X-ray
e-mail 8 8-hour 80s 11-year-old 18th 1848 11,000 AIDS"""
A = """unit unanimous unilateral unigram uranium useful European once one-off hotel yacht UFO USB US U.S. UK CD NATO
T-shirt U-turn 7 1,800 110 180 1980s"""


@pytest.mark.parametrize("word", AN.split())
def test_before_what_is_spoken_with_a_vowel_stands_an(word: str) -> None:
    assert (fitting_article("a", word), fitting_article("A", word)) == ("an", "An")


@pytest.mark.parametrize("word", A.split())
def test_before_what_is_spoken_with_a_consonant_stands_a(word: str) -> None:
    assert (fitting_article("an", word), fitting_article("A", word)) == ("a", "A")


@pytest.mark.parametrize("word", ["herb", "historic", "SIM", "SAT", "“"])
def test_what_can_be_spoken_both_ways_keeps_its_article(word: str) -> None:
    assert (fitting_article("an", word), fitting_article("a", word)) == ("an", "a")


def test_where_all_is_in_capitals_words_are_words() -> None:
    assert fitting_article("AN", "BUS") == "A"
    assert fitting_article("AN", "OLD") == "AN"
