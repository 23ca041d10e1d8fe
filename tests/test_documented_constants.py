"""Limits and prices that the documentation states are those of the code."""

from __future__ import annotations

from math import exp, isqrt
from pathlib import Path

import pytest

from laconic.annotate.annotator import MOST_WORDS, PART_WORDS
from laconic.annotate.network import WINDOW
from laconic.batch import reading as shards
from laconic.documents import lengths
from laconic.serve import work
from laconic.serve.settings import Limits
from laconic.systems.default import filling
from laconic.systems.default.reading import GRAVE, GRAVE_SMALL, LOOKED_AT, LOYALTY, SURE
from laconic.systems.reasons import MOST
from laconic.units.posts import LINK
from laconic.units.speech import RATE

DOCUMENTS = Path(__file__).parent.parent / "docs"
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
PARTS = {0.5: "half", 0.1: "a tenth", 1 / 16: "a sixteenth"}
SERVED = Limits()
STATED = {
    "the-default.md": (
        f"at least {100 / (1 + exp(-SURE)):.0f} % (log-odds of {SURE:g}), the answer stands",
        f"the next {SMALL[LOOKED_AT]} by score are read, too",
        f"uses at least {PARTS[filling._SHORTEST]} of it",
        f"its log-odds are more than {LOYALTY:g} above",
        f"leave at most {PARTS[filling.SLACK]} of the limit unused",
        f"nouns (log-odds of {GRAVE_SMALL:g}), or anything else that people hardly ever tear ({GRAVE:g})",
    ),
    "annotation.md": (
        f"A sentence of more than {WINDOW} word pieces",
        f"more than {MOST_WORDS:,} words is parsed in parts of {PART_WORDS}",
    ),
    "limits.md": (
        f"at {SMALL[int(RATE)]} syllables a second",
        f"for Mastodon and X every link costs {LINK}",
    ),
    "scale.md": (
        f"in shards of {shards._FIRST} rows at first and of up to {shards.ROWS:,}",
        f"the last shards, {PARTS[1 / shards._PART]} of the job or {shards.ROWS:,} rows",
        f"for at most {shards.ROWS:,} *c*",
        f"well below *n* / {shards.ROWS:,}",
    ),
    "service.md": (
        f"Of a sentence of more than {isqrt(lengths._WORDS_SEARCHED)} words some lengths, evenly spread",
        f"for the first {MOST} words, fewer in texts of more than {work._WORDS_SEARCHED // MOST}",
        f"| `body_bytes` | {SERVED.body_bytes >> 20} MiB a request",
        f"| `batch_bytes` | {SERVED.batch_bytes >> 20} MiB for",
        f"| `upload_seconds` | {SERVED.upload_seconds:g} seconds until",
        f"| `texts` | {SERVED.texts:,} a request",
        f"| `sentences` | {SERVED.sentences:,} sentences or cues a text",
        f"| `sentence_words` | {SERVED.sentence_words} words and marks a sentence",
        f"| `word_characters` | {SERVED.word_characters:,} characters a word",
        f"| `seconds` | {SERVED.seconds:g} seconds an answer",
    ),
    "why-this-word.md": (f"for the first {MOST} words",),
}


@pytest.mark.parametrize("name", STATED)
def test_numbers_of_the_code_are_stated_as_they_are(name: str) -> None:
    page = " ".join((DOCUMENTS / name).read_text(encoding="utf-8").split())
    assert [text for text in STATED[name] if text not in page] == []
