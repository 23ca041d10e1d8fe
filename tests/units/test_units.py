"""What is counted is what the machines and people that set limits count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.budget import Budget, TextCost
from laconic.errors import LaconicError
from laconic.units import COUNTS, NAMES, unit

UNITS = {
    # text: words, characters, graphemes, bytes, UTF-16 units, septets
    "It isn't late – yet.": (4, 20, 20, 22, 20, 46),
    "It isn't late - yet.": (4, 20, 20, 20, 20, 20),
    "[10 €]": (1, 6, 6, 8, 6, 9),
    "cafe\u0301 🇫🇷": (1, 8, 6, 15, 10, 23),
    "👩‍👩‍👧": (0, 5, 1, 18, 8, 19),
    "": (0, 0, 0, 0, 0, 0),
    "a\r\nb": (2, 4, 3, 4, 4, 4),
    "\ud800": (0, 1, 1, 3, 1, 3),
}


def cost(name: str, text: str) -> int:
    return Budget.at_least(0, unit=unit(name)).measure(text.split(), text)


@pytest.mark.parametrize("text", UNITS, ids=ascii)
def test_texts_cost_what_they_should(text: str) -> None:
    names = ("words", "characters", "graphemes", "bytes", "utf16", "septets")
    assert tuple(cost(name, text) for name in names) == UNITS[text]


@given(text=st.text())
def test_every_unit_counts_every_text(text: str) -> None:
    assert all(cost(name, text) >= 0 for name in NAMES)
    assert cost("graphemes", text) <= len(text) <= cost("utf16", text) <= cost("bytes", text)


def test_a_unit_is_hashable_and_has_a_name_for_people() -> None:
    assert set(COUNTS) == set(NAMES)
    assert all(isinstance(unit(name), TextCost) for name in NAMES if name != "characters")
    assert all(hash(unit(name)) == hash(unit(name)) for name in NAMES)


def test_an_unknown_unit_is_refused_with_those_there_are() -> None:
    with pytest.raises(LaconicError, match="no unit 'furlongs'; there are words, characters, graphemes"):
        unit("furlongs")
