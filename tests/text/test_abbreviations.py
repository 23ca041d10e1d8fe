"""The list of abbreviations is read as its comments say."""

from __future__ import annotations

import pytest

from laconic.text.abbreviations import place_of


@pytest.mark.parametrize(
    ("word", "place"),
    [
        ("Mr", "before a name"),
        ("GEN", "before a name"),
        ("J", "before a name"),
        ("no", "before a number"),
        ("No", "before a number"),
        ("e.g", "inside a sentence"),
        ("vs", "inside a sentence"),
        ("Inc", "anywhere"),
        ("Miss", "anywhere"),
        ("Ph.D", "anywhere"),
        ("a.m", "anywhere"),
        ("miss", None),
        ("gen", None),
        ("week", None),
        ("3.5", None),
        ("", None),
    ],
)
def test_place(word: str, place: str | None) -> None:
    assert place_of(word) == place
