"""Graphemes are Unicode's extended grapheme clusters, with the tables of Unicode and without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.units.graphemes import _SIMPLE, _cluster, count_graphemes

# The rules of Annex 29 by number, each with a text that it decides.
RULES = {
    "GB3 carriage return and line feed": ("\r\n", 1),
    "GB4 nothing joins a control": ("\n\u0308", 2),
    "GB6-8 Hangul syllables": ("\u1100\u1161\u11a8", 1),
    "GB9 marks": ("e\u0301\u0323", 1),
    "GB9a spacing marks": ("\u0915\u0903", 1),
    "GB9b prepended marks": ("\u0600\u0031", 1),
    "GB11 joined emoji": ("👩🏽‍🚀", 1),
    "GB12 one flag": ("🇫🇷", 1),
    "GB13 two flags": ("🇫🇷🇬🇧", 2),
    "a keycap": ("1️⃣", 1),
    "a tagged flag": ("🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", 1),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_rules_of_annex_29(rule: str) -> None:
    text, count = RULES[rule]
    assert count_graphemes(text) == count
    assert count_graphemes(f"a{text}b") == count + 2


def test_simple_characters_never_join() -> None:
    simple = [chr(code) for code in range(0x10000) if _SIMPLE.fullmatch(chr(code))]
    assert len(simple) > 800
    assert len(_cluster().findall("".join(simple))) == len(simple)
    twice = "".join(character * 2 for character in simple)
    assert len(_cluster().findall(twice)) == len(twice)


@given(text=st.text(alphabet="ae\u0301\u200d\r\n🇫🇷👩🚀🏽“…\u2060\u1100\u1161", max_size=8))
def test_the_short_way_and_the_tables_agree(text: str) -> None:
    assert count_graphemes(text) == len(_cluster().findall(text))
