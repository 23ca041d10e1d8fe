"""Every length is what the library makes at it; the notebook's slider shows the text and breaks no page."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

import laconic
from laconic.budget import WORDS
from laconic.compression import Compression
from laconic.documents.lengths import SentenceLengths, TextLengths

SENTENCE = "The council, which met on Tuesday, lowered the fees for small businesses."
TEXT = f"  {SENTENCE}\n\n- It didn’t rain again & again. It rose.\n"


def test_every_length_is_what_compress_makes_at_it() -> None:
    [found] = laconic.lengths(SENTENCE, drop="small").sentences
    assert set(found.answers) == set(range(1, 12))
    for words, answer in found.answers.items():
        assert answer.text == laconic.compress(SENTENCE, words=f"={words}", drop="small").text


def test_a_text_has_exactly_the_words_that_are_asked_for() -> None:
    found = laconic.lengths(TEXT)
    assert found.totals[-1] == WORDS.count(TEXT)
    for total in found.totals:
        text = found.at(total)
        assert WORDS.count(text) == total
        assert text.startswith("  ") and text.endswith("\n") and "\n\n- " in text


def test_the_choice_is_the_best_there_is() -> None:
    found = laconic.lengths("It fell again on Monday. It rose on Tuesday.")
    first, second = (each.answers for each in found.sentences)
    for total in found.totals:
        scores = [
            float(first[one].score or 0.0) + float(second[other].score or 0.0)
            for one in first
            for other in second
            if one + other == total
        ]
        chosen = [float(answer.score or 0.0) for answer in found.choice(total)]
        assert sum(chosen) == pytest.approx(max(scores))


def test_a_length_that_cannot_be_had_says_what_can() -> None:
    with pytest.raises(laconic.InfeasibleBudget, match="possible: 12"):
        laconic.lengths(SENTENCE).choice(40)
    with pytest.raises(laconic.LaconicError, match="every length"):
        laconic.lengths(SENTENCE, words=3)


def test_the_slider_of_a_notebook_shows_the_text_and_all_lengths() -> None:
    found = laconic.lengths(TEXT, system="truncate")
    html = found._repr_html_()
    shown = re.search(r'<p style="white-space:pre-wrap">(.*?)</p>', html, re.DOTALL)[1]
    assert unescape(re.sub(r"<[^>]+>", "", shown)) == TEXT
    data = json.loads(re.search(r"data = (\[\[.*?\]\]);", html)[1])
    assert [frame[0] for frame in data] == list(found.totals)
    assert f'max="{len(found.totals) - 1}"' in html


def test_nothing_that_a_text_or_a_note_holds_ends_the_script() -> None:
    sentence = laconic.tokenise("He said </script><script>alert(1)</script> twice.")
    answer = Compression.by_deletion(sentence, [0, 1], notes=("'said' without '</script>'",))
    html = TextLengths(
        sentence.text, (SentenceLengths(sentence, 0, len(sentence.text), {2: answer}),), ()
    )._repr_html_()
    assert html.count("<script>") == 1 and html.count("</script>") == 1


def test_a_text_without_words_has_no_slider() -> None:
    assert "input" not in laconic.lengths(" \n")._repr_html_()
    assert repr(laconic.lengths("")) == "<TextLengths no words of ''>"
