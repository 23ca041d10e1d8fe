"""What is said to add up does, for whatever is made of the characters of a text and their capitals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.budget import TextCost, adds_up
from laconic.units import NAMES, unit

ADDING = [name for name in NAMES if isinstance(each := unit(name), TextCost) and each.adds_up is not None]
CHARACTERS = "aéßñàıɐ ’–€[/@#©🇫🇷👩\u0301\u200d\r\n日𝄞:hts.p"


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from(CHARACTERS), max_size=12), st.integers(0, 12))
@pytest.mark.parametrize("name", ADDING)
def test_a_text_costs_what_its_parts_cost(name: str, text: str, place: int) -> None:
    cost = unit(name)
    assert isinstance(cost, TextCost)
    if not adds_up(cost, text):
        return
    count = cost.count
    assert count(text) == count(text[:place]) + count(text[place:])
    for each in text:
        if len(each.upper()) == 1:
            assert count(text.replace(each, each.upper())) == count(text)


@pytest.mark.parametrize("name", ADDING)
def test_plain_texts_add_up(name: str) -> None:
    assert adds_up(unit(name), "It fell, again.")


@pytest.mark.parametrize(
    ("name", "text"),
    [("bytes", "ı"), ("graphemes", "e\u0301"), ("septets", "à"), ("mastodon", "https://a.b"), ("x", "日")],
)
def test_others_do_not(name: str, text: str) -> None:
    assert not adds_up(unit(name), text)
