"""Tokenising loses nothing, cuts as the Penn Treebank does, and takes linear time."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.text.tokenise import token_spans, tokenise

any_text = st.text(st.characters(exclude_categories=()), max_size=60)
english = [
    "can't",
    "cannot",
    "U.S.",
    "Mr.",
    "3.5%",
    "$5",
    "no.",
    "well-read",
    "'80s",
    "’s",
    "a.b@c.org",
    ":-)",
]
marks = ["'", '"', "“", "...", "--", "(", ".", ",", "http://x.org/a?b=c"]
odd = ["\U0001f44d\U0001f3fd", "\ud83d", "\x00", " ", "\n", "\u00a0"]
odd_english = st.lists(st.sampled_from(english + marks + odd), max_size=12).map("".join)

# A bar is a cut without white space.
CUTS = [
    "He ca|n't|, wo|n't and does|n't|.",
    "I|'m sure we|'ll say you|'ve seen it|'s his|; they|'d go|.",
    "They|’re Mary|’s|, are|n’t they|?",
    "You can|not|; I|'m gon|na|; 't|is 't|was d'|ye wan|na got|ta lem|me",
    "The workers|' and the bosses|' rights",
    "O'Brien|'s o'clock at D'Antoni|'s",
    '"|Yes|,|" she said|. "|No|.|"',
    "“|Yes|,|” ‘|no|’ «|oui|» „|ja|“",
    "``|Penn|'' quotes",
    "the '|quick|' fox",
    "the '80s|, get 'em|, rock 'n' roll",
    "(|a [|b|] {|c|}|)",
    "1,000 people|, 3.5 metres|, $|5.20|, £|7m|, 5|%|, .40 and -0.5",
    "At 10:30 on 9/11 in 1990–95",
    "Wait|... what|… no|--|yes|—|maybe - ok",
    "an adult-learned|, part- or full-time and/or AT&T job",
    "See http://a.org/b?c=d|, www.e.com|. Mail f.g@h.co.uk|!",
    "@jane wrote #topic and #|1",
    "Mr. Smith of the U.S. met J. Doe at 9 a.m. on Jan. 5|.",
    "He works for Acme Inc|.",
    "He lives in the U.S|.",
    "Room No. 5|, not no|. Yes|.",
    "The unkn. word and the gov't|, abbr.|, etc.|, stay",
    "It ended|.|It began|.",
    "Amazon.com is a U.S.-based firm",
    "1. Open it|.",
    "Great :-) <3 \U0001f600|\U0001f600 \U0001f1eb\U0001f1f7|!",
    "What|?! Really|!!! ***",
    "<i>|Hello|</i> there",
    "-LRB- as they write -RRB-",
    "it 's tokenised , is n't it ?",
]


@pytest.mark.parametrize("cut", CUTS)
def test_cuts_as_the_penn_treebank_does(cut: str) -> None:
    assert tokenise(cut.replace("|", "")).words == tuple(cut.replace("|", " ").split(" "))


@given(any_text | odd_english)
def test_gives_the_text_back_character_by_character(text: str) -> None:
    assert tokenise(text).text == text


@given(odd_english)
def test_spans_are_the_words_and_gaps_hold_only_white_space(text: str) -> None:
    spans, sentence = token_spans(text), tokenise(text)
    assert tuple(text[start:end] for start, end in spans) == sentence.words
    assert all(
        not character.isprintable() or character == " " for space in sentence.spaces for character in space
    )


@given(
    st.lists(st.sampled_from(["fell", ",", "it", "'s", "n't", "do", "5", "%", "--", "(", "U.S."]), max_size=9)
)
def test_cutting_words_apart_again_changes_nothing(words: list[str]) -> None:
    once = tokenise(" ".join([*words, "."])).words
    assert tokenise(" ".join(once)).words == once


@pytest.mark.parametrize("text", [None, 3, b"It fell.", ["It fell."]])
def test_what_is_no_string_is_an_error_that_shows_it(text: Any) -> None:
    with pytest.raises(LaconicError, match="is a string, not " + re.escape(repr(text))):
        tokenise(text)


def test_nothing_but_white_space_has_no_words() -> None:
    for text in ("", " \n\t", "\x00\x1f", "\u200b\ufeff"):
        assert tokenise(text).words == () and tokenise(text).lead == text


@pytest.mark.parametrize(
    "unit",
    ["a", ".", "a.", "a. ", "-", "'", "a@", "#1", "<", "www.,", "http://.", "1,", "\U0001f600\u200d", "' . "],
)
def test_time_is_linear(unit: str) -> None:
    def seconds(count: int) -> float:
        text = unit * (count // len(unit)) + "a"
        start = time.process_time()
        tokenise(text)
        return time.process_time() - start

    # Sixteen times the text; quadratic time would take 256 times as long.
    assert seconds(160_000) < 64 * max(seconds(10_000), 0.002)
