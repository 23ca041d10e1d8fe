"""A text message holds 160 septets, or 70 units of 16 bits: the same 1,120 bits."""

from __future__ import annotations

import pytest

from laconic.units.septets import _BASIC, _EXTENDED, count_septets


def test_the_alphabet_has_its_size() -> None:
    assert len(_BASIC) == 127  # 128 places, one of which is the escape
    assert len(_EXTENDED) == 10
    assert not _BASIC & _EXTENDED


@pytest.mark.parametrize("letter", sorted(_BASIC))
def test_basic_letters_take_one(letter: str) -> None:
    assert count_septets(letter * 160) == 160


@pytest.mark.parametrize("letter", sorted(_EXTENDED))
def test_extended_letters_take_two(letter: str) -> None:
    assert count_septets(letter * 80) == 160


@pytest.mark.parametrize("letter", ["…", "’", "ł", "`", "日", "ç"])
def test_one_letter_outside_makes_all_wide(letter: str) -> None:
    assert count_septets("a" * 69 + letter) == 160
    assert count_septets("a" * 70 + letter) > 160
    assert count_septets("a" * 70) == 70


def test_letters_beyond_the_basic_plane_take_two_units() -> None:
    assert count_septets("🙂" * 35) == 160
    assert count_septets("🙂" * 36) > 160
