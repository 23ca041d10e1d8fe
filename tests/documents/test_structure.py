"""Documents are read without losing a byte: what is text is found, what is not stays where it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic.documents.html import read_html
from laconic.documents.markdown import read_markdown
from laconic.documents.structure import Block, joined, places
from laconic.documents.text import read_lines, read_text
from laconic.systems.truncate import Truncate

READERS = {"text": read_text, "markdown": read_markdown, "html": read_html, "lines": read_lines}

PIECES = [
    "It fell again. ", "The airline will stop\nall flights. ", "\n\n", "\n", "\r\n", "- ", "* ", "1. ", "> ", ">> ",
    "# Head",
    "Title\n=====\n", "```\n", "x = f(1);", "    ", "\t", "a | b | c\n", "|---|---|\n", "[link *x*](http://a.b/c)",
    "**bold** ",
    "`code it` ", "_so_ ", "<b>", "</b>", "<p class='x'>", "</p>", "<br/>", "<code>a < b</code>", "&amp; ", "AT&amp;T ",
    "&nbsp;", "&eacute;t&#233; ", " &mdash; ", "5&nbsp;% ", "&quot;It fell.&quot;", "&#10;", "&#0;", "&#8203;",
    "&such; ", "\\&lt;", "&NotEqualTilde;", "[![badge](a&amp;b.svg)](ci) ", "[![badge](x.svg) it](ci) ",
    "<script>if (a < b) {}</script>", "<!-- no. yes. -->", "<", "&", "---\n", "\x00", "\u2028", "\f", "[ref]: http://a.b\n",
    "<li>",
    "<h1>Head</h1>", "<pre>x\n  y</pre>", "</", "~~", "![image](x.png) ", "😀 ", "(s)he ", "it.It ",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join)


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(sorted(READERS)))
def test_nothing_is_lost_by_reading(text: str, name: str) -> None:
    segments = READERS[name](text)
    assert joined(segments) == text
    for segment in segments:
        if isinstance(segment, Block):
            for place in places(segment):
                for word, (start, end) in zip(place.sentence.words, place.spans, strict=True):
                    found = segment.source[start:end]
                    assert found == word or any(
                        mark.inside is not None and mark.source in found for mark in place.marks
                    )


@settings(max_examples=200, deadline=None)
@given(texts, st.sampled_from(sorted(READERS)))
def test_what_is_not_cut_comes_back_to_the_byte(text: str, name: Any) -> None:
    for options in (
        {"words": 10_000},
        {"ratio": 1, "per": "sentence"},
        {"characters": 10_000, "per": "paragraph"},
    ):
        found = laconic.compress(text, format=name, system="truncate", **options)
        assert found.text == text == found.source


def fixed(text: str, name: str) -> list[str]:
    return [segment for segment in READERS[name](text) if isinstance(segment, str)]


@settings(max_examples=200, deadline=None)
@given(texts, st.sampled_from(sorted(READERS)), st.integers(1, 4))
def test_only_sentences_are_cut(text: str, name: Any, words: int) -> None:
    options: dict[str, Any] = {"format": name, "system": Truncate(), "impossible": "leave"}
    found = laconic.compress(text, words=words, per="sentence", **options)
    for piece in found.pieces:
        if not piece.is_sentence and not (piece.source == "" and piece.text == " "):
            assert piece.text == piece.source or name in (
                "markdown",
                "html",
            )  # where pairs go with their words
    left = found.text
    for segment in fixed(text, name):
        assert segment.strip() in left
        left = left[left.index(segment.strip()) + len(segment.strip()) :]


def shown(text: str, name: str) -> list[str]:
    return [each if isinstance(each, str) else f"[{each.text}]" for each in READERS[name](text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It fell\nagain.\nIt rose.", ["[It fell\nagain.\nIt rose.]"]),
        ("HEADING\n\nIt fell.", ["HEADING", "[It fell.]"]),
        ("Stocks fell again", ["[Stocks fell again]"]),
        ("- It fell\n  again.\n- It rose.\n", ["[It fell\nagain.]", "[It rose.]", "\n"]),
        ("> It fell\n> again.\nHe said so.", ["[It fell\nagain.]", "[He said so.]"]),
        ("Name    Age\nTom     12\n\nIt fell.", ["Name    Age\nTom     12", "[It fell.]"]),
        ("It fell.\n\n    x = f(1);\n    y = 2\n", ["[It fell.]", "\n\n    x = f(1);\n    y = 2", "\n"]),
        ("It fell.\n```\nIt rose.\n```\n", ["[It fell.]", "\n```\nIt rose.\n```", "\n"]),
        ("Title\n-----\nIt fell.", ["Title\n-----", "[It fell.]"]),
    ],
)
def test_plain_text_has_structure(text: str, expected: list[str]) -> None:
    found = shown(text, "text")
    assert "".join(found).replace("[", "").replace("]", "").count("It") == text.count("It")
    assert [each.strip("\n") for each in found if each.strip()] == [
        each.strip("\n") for each in expected if each.strip()
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: b. c.\n---\nIt *fell*.", ["---\na: b. c.\n---", "[It fell.]"]),
        ("# Head\n\nSee [the page](http://a.b/c).", ["# Head", "[See the page.]"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\nIt fell.", ["| a | b |\n|---|---|\n| 1 | 2 |", "[It fell.]"]),
        ("[ref]: http://a.b\n\nIt fell.", ["[ref]: http://a.b", "[It fell.]"]),
        ("    code here\n\nIt fell.", ["    code here", "[It fell.]"]),
        ("Use `x = 1` here.", ["[Use `x = 1` here.]"]),
    ],
)
def test_markdown_has_structure(text: str, expected: list[str]) -> None:
    assert [each.strip("\n") for each in shown(text, "markdown") if each.strip()] == expected


def test_script_style_and_code_are_not_touched() -> None:
    page = "<style>p { a: b. }</style><script>It fell. It rose.</script><pre>It fell again.</pre>"
    page += "<p>It <code>f a</code> fell.</p>"
    assert [shown for shown in shown(page, "html") if shown.startswith("[")] == [
        "[It <code>f a</code> fell.]"
    ]


def test_sentences_go_on_over_wrapped_lines() -> None:
    text = "The airline will stop all flights to the\nislands at the end of next month, its chief\nexecutive said.\n"
    found = laconic.compress(text)
    assert len(found.sentences) == 1 and found.text.endswith(".\n")
