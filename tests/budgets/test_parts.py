"""The text that compressions of sentences make: what stands between them, and that their words add up."""

from __future__ import annotations

import pytest

import laconic
from laconic.budget import WORDS
from laconic.budgets.parts import DocumentCompression, Part
from laconic.compression import Compression
from laconic.sentence import Sentence


@pytest.mark.parametrize(
    "gap", ["", "\x00", "\x01", "\x7f", "\x9f", "\u200b", "\u200e", "\ufeff", "\x01\u200b"]
)
def test_sentences_that_no_white_space_parts_get_a_space(gap: str) -> None:
    assert joined(gap).text == f"It fell.{gap} It rose."
    assert WORDS.count(joined(gap).text) == 4


@pytest.mark.parametrize("gap", [" ", "\n", "\u00a0", "\u2003", "\x1c", "\x85", "\x01 ", "\n> "])
def test_sentences_that_white_space_parts_keep_theirs(gap: str) -> None:
    assert joined(gap).text == f"It fell.{gap}It rose."
    assert WORDS.count(joined(gap).text) == 4


def joined(gap: str) -> DocumentCompression:
    first = Sentence(("It", "fell", "."), (" ", "", gap))
    second = Sentence(("It", "rose", "."), (" ", "", ""))
    whole = tuple(Compression.by_deletion(each, range(3)) for each in (first, second))
    return DocumentCompression((Part(first, lead=""), Part(second)), whole)


@pytest.mark.parametrize("gap", ["\x01", "\u200b", "\ufeff"])
def test_an_exact_number_of_words_is_met_where_a_control_character_joins_sentences(gap: str) -> None:
    text = f"It fell again.{gap}It rose again."
    for words in range(2, 6):
        found = laconic.compress(text, words=f"={words}", system="truncate").text
        assert WORDS.count(found) == words and gap in found
