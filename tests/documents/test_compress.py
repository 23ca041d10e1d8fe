"""Any text in one call: the limit holds on the final text, what fits is unchanged, words are named, not numbered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic.budget import WORDS
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.systems.truncate import Truncate
from laconic.text.phrases import find_phrase
from laconic.text.tokenise import tokenise

SENTENCES = (
    "The harbour council, which met on Thursday evening, agreed to lower the fees.",
    "It didn't rain.",
    "“Nobody came,” the mayor said – twice.",
    "See https://example.org/a for more, or don't.",
)
TEXT = (
    "The regional airline, which filed for bankruptcy in January, will stop all flights to the islands at the end of "
    "next month. Its chief executive did not comment on Tuesday."
)
COUNTS = {
    "words": WORDS.count,
    "characters": len,
    "bytes": lambda text: len(text.encode()),
    "tokens": lambda text: -(-len(text) // 3),
}
sentences = st.sampled_from(SENTENCES)
paragraphs = st.lists(sentences, min_size=1, max_size=3).map(" ".join)
documents = st.lists(st.tuples(st.sampled_from(["", "- ", "1. "]), paragraphs), min_size=1, max_size=3).map(
    lambda blocks: "\n\n".join(mark + paragraph for mark, paragraph in blocks)
)


def amounts(kind: str, first: int, second: int) -> tuple[str, int, float]:
    least, most = sorted((first, second))
    return {
        "at most": (f"{most}", 0, most),
        "exactly": (f"={most}", most, most),
        "at least": (f"{least}..", least, float("inf")),
        "from to": (f"{least}..{most}", least, most),
    }[kind]


@settings(max_examples=120, deadline=None)
@given(
    documents,
    st.sampled_from(sorted(COUNTS)),
    st.sampled_from(["at most", "exactly", "at least", "from to"]),
    st.integers(1, 120),
    st.integers(1, 120),
    st.sampled_from(["text", "paragraph", "sentence", "line"]),
    st.booleans(),
)
def test_the_limit_holds_on_the_final_text(
    text: str, unit: str, kind: str, first: int, second: int, per: Any, drop_sentences: bool
) -> None:
    amount, least, most = amounts(kind, first, second)
    options: dict[str, Any] = {unit: amount, "per": per, "system": Truncate()}
    if unit == "tokens":
        options["tokenizer"] = COUNTS["tokens"]
    if per in ("text", "paragraph"):
        options["drop_sentences"] = drop_sentences
    try:
        found = laconic.compress(text, **options)
    except InfeasibleBudget:
        return
    assert found.source == text
    count = COUNTS[unit]
    if per == "text":
        parts = [found.text]
    elif per == "sentence":
        parts = [piece.text for piece in found.sentences]
    else:
        parts = found.text.split("\n\n")  # each is one line, with its mark
    for part in parts:
        assert least <= count(part) <= most or (per != "text" and not part and drop_sentences)


@settings(max_examples=60, deadline=None)
@given(
    documents,
    st.sampled_from(["words", "characters"]),
    st.sampled_from(["text", "paragraph", "sentence", "line"]),
)
def test_what_fits_already_is_unchanged(text: str, unit: str, per: Any) -> None:
    options: dict[str, Any] = {unit: 10_000, "per": per, "system": "truncate"}
    assert laconic.compress(text, **options).text == text


@pytest.mark.parametrize("unit", ["words", "characters", "bytes"])
@pytest.mark.parametrize("per", ["text", "paragraph", "sentence", "line"])
def test_a_limit_one_below_the_text_cuts_it(unit: str, per: Any) -> None:
    for sentence in SENTENCES:
        limit: dict[str, Any] = {unit: COUNTS[unit](sentence) - 1, "per": per, "system": "truncate"}
        assert COUNTS[unit](laconic.compress(sentence, **limit).text) < COUNTS[unit](sentence)


@settings(max_examples=40, deadline=None)
@given(documents, st.integers(3, 40))
def test_answers_are_the_same_after_json(text: str, words: int) -> None:
    found = laconic.compress(text, words=words, system="truncate", impossible="leave")
    assert laconic.CompressedText.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    for compression in found.compressions:
        assert laconic.Compression.from_dict(json.loads(json.dumps(compression.to_dict()))) == compression


def test_one_limit_has_one_meaning() -> None:
    assert len(laconic.compress(TEXT, characters=60).text) <= 60
    assert all(
        len(piece.text) <= 60 for piece in laconic.compress(TEXT, characters=60, per="sentence").sentences
    )
    assert len(laconic.compress(TEXT).sentences) == 2
    assert laconic.compress(TEXT, words=99).text == TEXT
    for words in (15, 20):
        for like in (None, "headlines", "broadcast", "print"):
            found = laconic.compress(TEXT, words=words, like=like)
            assert (
                words - 2 <= WORDS.count(found.text) <= words
            )  # whoever is imitated, a limit is there to be used
            assert found.text.endswith(".")  # which is no word


def test_names_for_how_much_stays() -> None:
    short, medium, long = (
        len(laconic.compress(TEXT, length=each).text) for each in ("short", "medium", "long")
    )
    assert short <= medium <= long
    assert len(laconic.compress(TEXT, length=0).text) == short


def test_words_are_kept_by_word_phrase_or_place() -> None:
    options: dict[str, Any] = {"words": 6, "system": "truncate"}
    for keep in ("Tuesday", ["tuesday"], [(TEXT.index("Tuesday"), TEXT.index("Tuesday") + 3)], "on tuesday"):
        assert "Tuesday" in laconic.compress(TEXT, keep=keep, **options).text
    assert "flights" not in laconic.compress(TEXT, drop="all flights").text
    with pytest.raises(LaconicError, match="'council', to be kept or dropped, is not in the text"):
        laconic.compress(TEXT, keep="council")
    with pytest.raises(LaconicError, match="a word from 500 to 600"):
        laconic.compress(TEXT, keep=(500, 600))
    assert laconic.open_system("truncate").compress(TEXT, keep="January").kept


@pytest.mark.parametrize(
    ("text", "name", "pin"),
    [
        ("# The fees of Hull\n\nIt fell.", "markdown", "Hull"),
        ("# The fees of Hull\n\nIt fell.", "markdown", (14, 18)),
        ("It fell.\n\n| Hull | York |\n|---|---|\n| 1 | 2 |\n", "markdown", "york"),
        ("It fell.\n\n```\nf(x)\n```\n", "markdown", "f(x)"),
        ("<h1>R&amp;D in <b>Hull</b></h1><p>It fell.</p>", "html", "R&D"),
        ("<p>It fell.</p><table><tr><td>Hull</td></tr></table>", "html", "Hull"),
        ("<p>It fell.</p><table><tr><td>Hull</td></tr></table>", "html", (30, 34)),
        ("1. It fell.\n2. It rose.\n", "text", "2."),
        ("1. It fell.\n2. It rose.\n", "text", (12, 13)),
    ],
)
def test_words_outside_sentences_are_kept_and_cannot_be_dropped(text: str, name: Any, pin: Any) -> None:
    options: dict[str, Any] = {"format": name, "system": "truncate"}
    assert laconic.compress(text, keep=[pin], words=99, **options).text == text
    with pytest.raises(LaconicError, match="cannot be dropped: it stands in '"):
        laconic.compress(text, drop=[pin], **options)


def test_kinds_of_text_are_kept_whole() -> None:
    text = "He said “it is over, really” and wrote foo(1, x) at https://example.org/a?b=c, again and again and again."
    found = laconic.compress(
        text, words=8, system="truncate", protect=["urls", "quotes", "code"], impossible="leave"
    )
    for part in ("“it is over, really”", "https://example.org/a?b=c", "foo("):
        assert part in found.text


@pytest.mark.parametrize("name", ["truncate", "everything", "markov", "dependency", "default"])
def test_every_system_takes_plain_text(name: str) -> None:
    assert laconic.open_system(name).compress(TEXT).text
    assert laconic.compress(TEXT, system=name).text


def test_what_is_impossible_is_an_error_left_or_the_nearest() -> None:
    with pytest.raises(InfeasibleBudget, match=r"has exactly 4 characters; possible: 3 or 5$"):
        laconic.compress("Tom slept", characters="=4")
    near = laconic.compress("Tom slept", characters="=4", impossible="nearest")
    assert near.text == "Tom" and len(near.unmet) == 1 and "nearest" in near.notes[0]
    left = laconic.compress("Tom. It rained all day.", ratio=0.5, per="sentence", impossible="leave")
    assert left.text.startswith("Tom. It") and len(left.unmet) == 1


def test_equal_notes_of_several_sentences_are_given_once() -> None:
    found = laconic.compress(" ".join(["Mr. Smith said it fell."] * 3), words="=3", keep=["Mr."])
    assert found.notes and len(set(found.notes)) == len(found.notes)
    assert sum(len(answer.notes) for answer in found.compressions) > len(found.notes)


def test_a_sentence_is_not_cut_into_others() -> None:
    sentence = tokenise(" It fell. It rose. ")
    found = laconic.compress(sentence, words=3, system="truncate")
    assert len(found.sentences) == 1 and found.text == " It fell. It " and found.source == sentence.text


def test_answers_show_themselves() -> None:
    found = laconic.compress("It <b>fell & rose again.", words=3, system="truncate")
    assert repr(found) == f"<CompressedText {found.text!r}>" and str(found) == found.text
    assert (
        "<del>" in found._repr_html_()
        and "&lt;b&gt;" in found._repr_html_()
        and "<b>" not in found._repr_html_()
    )
    [compression] = found.compressions
    assert repr(compression) == f"<Compression {compression.text!r}>"
    assert "<del>" in compression._repr_html_() and "&amp;" in compression._repr_html_()


def test_texts_without_words_come_back() -> None:
    for text in ("", " \n ", "\x00", "# Heading\n\n```\ncode\n```\n"):
        for options in ({}, {"words": 3}, {"characters": 99, "per": "sentence"}):
            assert laconic.compress(text, system="truncate", **options).text == text
    with pytest.raises(InfeasibleBudget):
        laconic.compress("", words="2..")


@pytest.mark.parametrize(
    ("text", "options", "found"),
    [
        (
            "Name\tCity\nAda\tLondon\n",
            {"bytes": 3},
            ["a text without sentences has nothing to cut; possible: 21"],
        ),
        ("", {"characters": "=1"}, ["a text without sentences has nothing to cut; possible: 0"]),
        ("   ", {"characters": 0}, ["a text without sentences has nothing to cut; possible: 3"]),
        ("", {"characters": 0}, []),
        ("", {"words": "2..", "per": "sentence"}, []),
        (
            "A rather long heading\n\nIt fell.",
            {"words": 3, "per": "paragraph"},
            ["'A rather long heading', a paragraph"],
        ),
        ("A heading\n\nIt fell.", {"words": 3, "per": "paragraph"}, []),
        ("A heading\n\nIt fell.", {"words": "=2", "per": "paragraph"}, []),
        ("A heading\n\nIt fell again.", {"ratio": 1, "per": "paragraph"}, []),
        (
            "It fell.\n\n```\nf(1)\n\nthree more words\n```\n",
            {"words": 2, "per": "paragraph"},
            ["three more words"],
        ),
        ("    It fell again.\n", {"characters": 12, "per": "line"}, []),
        ("         It fell.\n", {"characters": 8, "per": "line"}, ["no compression of"]),
    ],
)
@pytest.mark.parametrize("impossible", ["leave", "nearest"])
def test_limits_that_are_not_met_are_said(
    text: str, options: dict[str, Any], found: list[str], impossible: Any
) -> None:
    unmet = laconic.compress(text, system="truncate", impossible=impossible, **options).unmet
    assert len(unmet) == len(found)
    for each, part in zip(unmet, found, strict=True):
        assert part in each
    if found:
        with pytest.raises(InfeasibleBudget):
            laconic.compress(text, system="truncate", **options)


def test_what_stands_on_the_lines_of_a_block_counts_for_its_limit() -> None:
    options: dict[str, Any] = {"system": "truncate"}
    text = "    It fell again.\n  \ufeffIt rose again.\n"
    cut = laconic.compress(text, characters=13, per="line", **options).text
    assert cut == "    It fell\n  \ufeffIt rose\n"
    text = "It fell again.   \nIt rose again."
    assert laconic.compress(text, characters=10, per="line", **options).text == "It fell   \nIt rose"
    text = "1. It fell again.\n2. It rose again.\n"
    assert laconic.compress(text, words=3, per="paragraph", **options).text == "1. It fell\n2. It rose\n"
    explained = laconic.explain("    It fell again.\nIt rose.", characters=11, per="line", **options)
    assert explained.sentences[0].rival(2).text == "Again"


def test_phrases_are_found_wherever_they_are() -> None:
    sentence = tokenise("The cat saw the cat; THE END, didn't it")
    assert find_phrase(sentence, "the") == [0, 3, 6]
    assert find_phrase(sentence, "the cat") == [0, 1, 3, 4]
    assert find_phrase(sentence, "didn't") == [9, 10]
    assert find_phrase(sentence, "dog") == []
    assert find_phrase(tokenise("a a a"), "a a") == [0, 1, 2]


def test_attributes_of_the_package_are_what_they_say() -> None:
    for name in laconic.__all__:
        assert getattr(laconic, name) is not None
        assert name in dir(laconic)
    with pytest.raises(AttributeError, match="no attribute 'compress_text'"):
        laconic.compress_text  # noqa: B018
