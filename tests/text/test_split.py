"""Sentences end where readers end them, nothing is lost, and time is linear."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.text.split import sentence_spans, split_sentences

# A bar is the end of a sentence; the white space before it belongs to the sentence.
SPLITS = [
    "It rained. |We left. |",
    "Mr. Hall met Dr. J. R. Smith of Acme Inc. in Washington, D.C. on Jan. 5 at 9 a.m. sharp. |He left.",
    "She lives in the U.S. |The U.S. Army knows. |Vitamin C. |It helps.",
    "We met John. |F. Hall came too, e.g. Monday vs. Tuesday.",
    "See No. 5 on p. 3. |He said no. |Yes.",
    "It cost 3.5 million. |7 people paid.",
    "“Go!” he said. |“Why?” |She left. |'Now.' |He went.",
    "Really?! |Yes!!! |Wait... what? |Well… I see... |Then go.",
    "See www.a.org. |Mail b.c@d.org. |Then see http://e.org/f?g=h.",
    "It ended.|It began!|Then it ended.",
    "He (a man. A big one.) left.",
    "(He left. She stayed.) |They met.",
    "It fell.[1] |It rose. [2] [3] |It stayed. [4]",
    "I love it. :-) |Thanks!",
    "1. Open the door. |2. Close it.",
    "Sales fell. |iPhone sales rose.",
    "all in small letters. |no capitals at all.",
    "Stocks fall\n\n|Stocks fell on Monday.\n\n\n|They rose on Tuesday.",
    "Stocks fall\n|NEW YORK - Stocks fell on Monday, and then they fell again.",
    "A paragraph that was wrapped at a narrow\nwidth is one, even right in front of\nCapitals: see.",
    "Buy these:\n|- two apples\n|- a pear\n|* 3 plums\n|1) bread\n|(b) milk",
    "  \n Leading space. |Trailing space. \n ",
    "雨だ。|帰る。",
    "Wait . . . no.",
]


@pytest.mark.parametrize("split", SPLITS)
def test_splits_as_readers_do(split: str) -> None:
    expected = [part for part in split.split("|") if part]
    assert [sentence.text for sentence in split_sentences(split.replace("|", ""))] == expected


any_text = st.text(st.characters(exclude_categories=()), max_size=60)
english = st.lists(
    st.sampled_from(
        ["It", "fell", ".", "!", "Mr.", "U.S.", " ", " ", "\n", "\n\n", "(", ")", "- ", "1.", '"', "\x85"]
    ),
    max_size=25,
).map("".join)


@given(any_text | english)
def test_the_pieces_are_the_text(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert "".join(sentence.text for sentence in split_sentences(text)) == text


@given(english)
def test_no_piece_is_white_space_alone(text: str) -> None:
    assert all(sentence.words for sentence in split_sentences(text)) or not text.strip()


def test_white_space_alone_is_one_piece_without_words() -> None:
    (sentence,) = split_sentences(" \n\n ")
    assert sentence.words == () and sentence.text == " \n\n "
    assert split_sentences("") == []


UNITS = [
    "a",
    "a. ",
    ". ",
    "1. ",
    "It fell. ",
    "(It fell. ",
    "(a) ",
    "\n",
    "- a\n",
    "A\nb\n",
    '."',
    "!",
    "… ",
    ".[1]",
]


@pytest.mark.parametrize("unit", UNITS)
def test_time_is_linear(unit: str) -> None:
    def seconds(count: int) -> float:
        text = unit * (count // len(unit)) + "a"
        start = time.process_time()
        sentence_spans(text)
        return time.process_time() - start

    # Sixteen times the text; quadratic time would take 256 times as long.
    assert seconds(320_000) < 64 * max(seconds(20_000), 0.002)


@pytest.mark.parametrize("text", [None, 3, b"It fell.", ["It fell."]])
def test_what_is_no_string_is_an_error_that_shows_it(text: Any) -> None:
    with pytest.raises(LaconicError, match="is a string, not " + re.escape(repr(text))):
        sentence_spans(text)


def test_a_megabyte_on_one_line() -> None:
    text = "Stocks fell 3.5 percent in the U.S. on Monday, Mr. Hall said. " * 17_000
    start = time.process_time()
    assert len(sentence_spans(text)) == 17_000
    assert time.process_time() - start < 5
