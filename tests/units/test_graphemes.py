"""Graphemes are Unicode's extended grapheme clusters, with the tables of Unicode and without."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.units.graphemes import _cluster, are_all_graphemes, count_graphemes

# The rules of Annex 29 by number, each with a text that it decides.
RULES = {
    "GB3 carriage return and line feed": ("\r\n", 1),
    "GB4 nothing joins a control": ("\n\u0308", 2),
    "GB5 nothing joins before a control": ("\u0600\n", 2),
    "GB6-8 Hangul syllables": ("\u1100\u1161\u11a8", 1),
    "GB6-8 a precomposed syllable": ("\uac00\u11a8", 1),
    "GB6-8 a closed syllable takes no vowel": ("\uac01\u1161", 2),
    "GB9 marks": ("e\u0301\u0323", 1),
    "GB9a spacing marks": ("\u0915\u0903", 1),
    "GB9b prepended marks": ("\u0600\u0031", 1),
    "GB11 joined emoji": ("👩🏽‍🚀", 1),
    "GB11 a joiner joins nothing but emoji": ("e\u200de", 2),
    "GB11 two joiners join nothing": ("👩\u200d\u200d🚀", 2),
    "GB12 one flag": ("🇫🇷", 1),
    "GB13 two flags": ("🇫🇷🇬🇧", 2),
    "GB13 a flag and a half": ("🇫🇷🇬", 2),
    "a keycap": ("1️⃣", 1),
    "a tagged flag": ("🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", 1),
}
# Some of every class.
ALPHABET = (
    "ae\u0301\u0323\u200d\u200c\r\n\u0008🇫🇷🇬👩🚀©🏽\ufe0f“\u2060"
    + "\u1100\u1161\u11a8\uac00\uac01\u0903\u0915\u0600\u06dd"
)


@pytest.mark.parametrize("rule", RULES)
def test_the_rules_of_annex_29(rule: str) -> None:
    text, count = RULES[rule]
    assert count_graphemes(text) == count
    assert count_graphemes(f"a{text}") == count + 1


def test_simple_characters_never_join() -> None:
    simple = [chr(code) for code in range(0x10000) if are_all_graphemes(chr(code))]
    assert len(simple) > 800
    assert len(_cluster().findall("".join(simple))) == len(simple)


@given(text=st.text())
def test_no_character_is_lost(text: str) -> None:
    assert "".join(match[0] for match in _cluster().finditer(text)) == text


@settings(max_examples=500)
@given(text=st.text(alphabet=ALPHABET, max_size=8))
def test_texts_are_cut_as_the_library_cuts_them(text: str) -> None:
    regex = pytest.importorskip("regex")
    assert [match[0] for match in _cluster().finditer(text)] == regex.findall(r"\X", text)


@settings(max_examples=2000)
@given(text=st.text(alphabet=ALPHABET + "\r\n \u200b\U0001f1e6\ud800\u0301", max_size=12))
def test_runs_are_counted_as_whole_texts_are(text: str) -> None:
    assert count_graphemes(text) == len(_cluster().findall(text))


def test_every_character_has_its_class() -> None:
    regex = pytest.importorskip("regex", minversion="2026")
    library = regex.compile(r"\X")
    wrong = []
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) not in ("Cn", "Co", "Cs"):  # the library may know newer ones
            for text in (f"a{character}a", f"👩{character}\u200d👩", f"\u1100{character}\u1161"):
                if len(_cluster().findall(text)) != len(library.findall(text)):
                    wrong.append(text)
    assert wrong == []
