"""Markup goes with its words: around those that are left, gone with those that are gone; nothing else is lost."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import pytest

import laconic
from laconic.budget import WORDS
from laconic.compression import Compression
from laconic.documents.units import authors_gaps, read, units_of
from laconic.documents.weaving import Written, weave
from laconic.options import Options
from laconic.systems.truncate import Truncate

MARKS = {
    "html": {"b": ("<b>", "</b>"), "i": ("<i class='x'>", "</i>"), "a": ("<a href='/x y'>", "</a>")},
    "markdown": {"b": ("**", "**"), "i": ("_", "_"), "a": ("[", "](http://a.b/c)")},
}
ALONE = {"html": "<img src='x'>", "markdown": "<br>"}


def document(random: Random, name: str) -> str:
    """A text of markup around numbered words, no mark within one of its own kind."""
    words = count()

    def one(kinds: str, depth: int) -> str:
        kind = random.choice(["word", "word", "word", "alone", *kinds])
        if kind == "word" or not depth:
            return f"W{next(words)}{'.' * (random.random() < 0.1)}"
        if kind == "alone":
            return ALONE[name]
        opening, closing = MARKS[name][kind]
        return opening + several(kinds.replace(kind, ""), depth - 1) + closing

    def several(kinds: str, depth: int) -> str:
        return " ".join(one(kinds, depth) for _ in range(random.randint(1, 4)))

    return f"W W {several('bia', 3)} w."


def around(text: str, name: Any) -> dict[str, tuple[str, ...]]:
    """The markup that each word stands in, from the outermost."""
    found: dict[str, tuple[str, ...]] = {}
    opened: list[tuple[int, str]] = []
    for unit in units_of(read(text, Options(format=name)))[0]:
        opened = [] if unit.lead is not None else opened
        marks = list(unit.place.marks)
        for number, word in enumerate([*unit.place.sentence.words, ""]):
            while marks and marks[0].before <= number:
                mark = marks.pop(0)
                if mark.role == "opens":
                    opened.append((mark.pair, mark.source.strip()))
                elif mark.role == "closes":
                    assert opened.pop()[0] == mark.pair, "not balanced"
            if numbered := re.match(r"W\d+", word):
                found[numbered[0]] = tuple(source for _, source in opened)
    assert not opened, "not balanced"
    return found


@pytest.mark.parametrize("name", MARKS)
def test_markup_stays_around_the_words_that_are_left(name: Any) -> None:
    for seed in range(200):
        check_woven(Random(seed), name)


def check_woven(random: Random, name: Any) -> None:
    text = document(random, name)
    units, tail = units_of(read(text, Options(format=name)))
    written: list[Written] = []
    for unit, gap in zip(units, authors_gaps(units), strict=True):
        sentence = unit.place.sentence
        # A line of Markdown that starts with a tag is no text, so the first word always stays.
        kept = [word for word in range(len(sentence)) if random.random() < 0.5 or not (written or word)]
        answer = Compression.by_deletion(sentence, kept) if kept else None
        before = unit.fixed.source
        written.append(Written(unit.place, unit.lead, before, gap if kept else "", answer))
    found, end = weave(written)
    cut = "".join(part for pair in found for part in pair) + end + tail.source

    source, left = around(text, name), around(cut, name)
    kept_words = [word for each in written if each.answer for word in each.answer.standing]
    assert [numbered[0] for word in kept_words if (numbered := re.match(r"W\d+", word))] == list(left)
    assert all(left[word] == source[word] for word in left)
    # What stands by itself stays, and without markup the text is what the sentences and their gaps are.
    assert cut.count(ALONE[name]) == text.count(ALONE[name])
    plain = cut
    for mark in {mark.source for unit in units for mark in unit.place.marks}:
        plain = plain.replace(mark, "") if name == "html" else plain
    if name == "html":
        assert plain.split() == "".join(each.gap + each.text for each in written).split()


@pytest.mark.parametrize("per", ["text", "sentence"])
@pytest.mark.parametrize("name", MARKS)
def test_links_are_whole_or_gone_and_limits_count_what_is_read(name: Any, per: Any) -> None:
    for seed in range(40):
        random = Random(seed)
        check_links(document(random, name), name, per, random.randint(1, 8))


def check_links(text: str, name: Any, per: Any, words: int) -> None:
    options: dict[str, Any] = {"format": name, "per": per, "impossible": "leave", "system": Truncate()}
    found = laconic.compress(text, words=words, **options)
    assert found.source == text
    if not found.unmet and per == "text":
        assert WORDS.count(found.unmarked) <= words
    link = MARKS[name]["a"]
    inner = re.compile(f"{re.escape(link[0])}(.*?){re.escape(link[1])}", re.DOTALL)
    sources = [re.findall(r"W\d+", each) for each in inner.findall(text)]
    # Of a link over two sentences each part is whole.
    if not any("." in each for each in inner.findall(text)):
        for each in inner.findall(found.text):
            assert re.findall(r"W\d+", each) in [*sources, []]  # pictures stay
    around(found.text, name)
    for opening, closing in MARKS["html"].values():
        assert found.text.count(opening) == found.text.count(closing)


def test_what_is_open_at_the_last_word_left_is_closed() -> None:
    text = "So **it fell now** again."
    assert laconic.compress(text, words=3, system="truncate", format="markdown").text == "So **it fell**"


@pytest.mark.parametrize(
    ("text", "name", "kept", "expected"),
    [
        ("It **fell again** on Monday.", "markdown", [0, 2, 5], "It **again**."),
        ("It **fell again** on Monday.", "markdown", [0, 3, 4, 5], "It on Monday."),
        ("It ***really* fell** on Monday.", "markdown", [0, 2, 5], "It **fell**."),
        ("It un*believ*ably **f**ell.", "markdown", [1, 2, 3], "Un*believ*ably **f**ell."),
        ("See [the page](http://a.b) *now*.", "markdown", [0, 3, 4], "See *now*."),
        ("2 * 3 * 4 and *so on.", "markdown", [0, 1, 2, 3, 4, 9], "2 * 3 * 4."),
        ("It <b>fell <img src=x> again</b>.", "html", [0, 3], "It<b><img src=x></b>."),
        ("It fell <img src=x> again now.", "html", [0, 1, 3, 4], "It fell <img src=x> now."),
        ("It fell&nbsp;<img src=x> again&nbsp;now.", "html", [0, 1, 3, 4], "It fell&nbsp;<img src=x> now."),
        ("It <b>fell</b> <!-- so --> again.", "html", [0, 3], "It<!-- so -->."),
        ("<b>It</b> fell.", "html", [1, 2], "Fell."),
        ("It <b>fell <i>again</b> now</i>.", "html", [0, 1, 4], "It <b>fell<i></b></i>."),
        ("It fell at AT&amp;T, he said.", "html", [0, 1, 7], "It fell."),
        ("It fell at AT&amp;T, he said.", "html", [0, 1, 2, 3, 7], "It fell at AT&amp;T."),
        ("It rose by&nbsp;5&nbsp;% or&nbsp; more.", "html", [0, 2, 3, 4, 6, 7], "It by&nbsp;5&nbsp;% more."),
        ("It&nbsp;fell<b>&nbsp;on&nbsp;</b>Monday.", "html", [0, 1, 3, 4], "It&nbsp;fell&nbsp;Monday."),
        ("At &eacute;t&eacute; it fell.", "html", [1, 2, 3, 4], "Ét&eacute; it fell."),
        ("He said: &lt;b&gt; is &#60;b&#62;.", "html", [0, 1, 4, 5, 6], "He said is &#60;b&#62;."),
        ("It fell &copy; *by 5&nbsp;%* now.", "markdown", [0, 1, 3, 4, 5, 7], "It fell *by 5&nbsp;%*."),
        ("It fell ![a chart](c.png) again now.", "markdown", [0, 1, 3, 4], "It fell ![a chart](c.png) now."),
    ],
)
def test_examples(text: str, name: Any, kept: list[int], expected: str) -> None:
    [unit], tail = units_of(read(text, Options(format=name)))
    answer = Compression.by_deletion(unit.place.sentence, kept)
    [(before, found)], end = weave([Written(unit.place, unit.lead, unit.fixed.source, "", answer)])
    assert before + found + end + tail.source == expected


def test_emphasis_over_two_sentences_closes_behind_the_last_word_left() -> None:
    text = "So **it fell. Then** it rose."
    found = laconic.compress(text, drop="Then", words=99, per="text", format="markdown", system="everything")
    assert found.text == "So **it fell**. It rose." or found.text == "So **it fell.** It rose."


def test_words_in_and_around_markup_are_dropped_freely() -> None:
    page = "<p>The <b>harbour</b> council met <a href='x'>late on Thursday</a> again.</p>"
    options: dict[str, Any] = {"format": "html", "words": 99}
    assert "<b>" not in laconic.compress(page, drop="harbour", **options).text
    assert "<b>harbour</b> met" in laconic.compress(page, drop="council", **options).text
    assert "<a" not in laconic.compress(page, drop="Thursday", **options).text
    kept = laconic.compress(page, keep="Thursday", format="html", words="..6").text
    assert "<a href='x'>late on Thursday</a>" in kept


def test_tags_count_for_no_limit() -> None:
    page = "<div class='a b c'><p>It <a href='one two'>fell</a> again.</p> <h2>Two words</h2></div>"
    assert laconic.compress(page, words=5, format="html", system="truncate").text == page
    cut = laconic.compress(page, words=4, format="html", system="truncate")
    assert WORDS.count(cut.unmarked) == 4 and WORDS.count(re.sub("<[^>]*>", " ", cut.text)) == 4
    again = laconic.CompressedText.from_dict(cut.to_dict())
    assert again.unmarked == cut.unmarked and again == cut


@pytest.mark.parametrize(
    ("text", "name", "read"),
    [
        ("<p>On&nbsp;Monday&#160;the&nbsp;man fell.</p>", "html", "On\xa0Monday\xa0the\xa0man fell."),
        ("<h1>R&amp;D</h1><p>It rose &mdash; and fell.</p>", "html", "R&D\nIt rose — and fell."),
        ("## R&amp;D\n\nIt rose &mdash; and fell.", "markdown", "## R&D\n\nIt rose — and fell."),
        ("It rose ![a chart](http://a.b/c.png) then.", "markdown", "It rose  then."),
        ("It rose.\n\n![a chart](http://a.b/c.png)\n", "markdown", "It rose.\n\n\n"),
        ("See https://a.b/?c&amp;d now.", "markdown", "See https://a.b/?c&d now."),
        ("It is `&amp;` and \\&amp; here.", "markdown", "It is `&amp;` and \\&amp; here."),
    ],
)
def test_limits_count_references_and_pictures_as_they_are_read(text: str, name: Any, read: str) -> None:
    options: dict[str, Any] = {"format": name, "system": "truncate"}
    found = laconic.compress(text, characters=len(read), **options)
    assert (found.text, found.unmarked) == (text, read)
    assert laconic.compress(text, characters=len(read) - 1, **options).text != text
    words = WORDS.count(read)
    cut = laconic.compress(text, words=f"={words - 1}", **options)
    assert WORDS.count(cut.unmarked) == words - 1


def test_pictures_of_a_block_that_is_dropped_stay_in_their_place() -> None:
    text = "# Fees\n\nIt fell ![a chart](c.png) again.\n\n- It rose ![a map](m.png) then.\n\nThe fees rose."
    cut = laconic.compress(
        text, drop=["It fell again.", "It rose then."], format="markdown", system="everything"
    )
    assert cut.text == "# Fees\n\n![a chart](c.png)\n\n![a map](m.png)\n\nThe fees rose."
    assert WORDS.count(cut.unmarked) == 4


def test_words_with_references_are_named_as_they_are_read() -> None:
    options: dict[str, Any] = {"format": "html", "words": 2, "system": "truncate"}
    assert (
        laconic.compress("<p>So R&amp;D costs rose.</p>", keep="R&D", **options).text == "<p>So R&amp;D</p>"
    )
    cut = laconic.compress("<p>So R&amp;D costs rose.</p>", drop=[(6, 8)], **options).text
    assert cut == "<p>So costs</p>"


def test_pins_by_place_are_places_of_the_source() -> None:
    text = "It **fell again** on [Monday](http://a.b) evening."
    start = text.index("Monday")
    found = laconic.compress(text, drop=[(start, start + 6)], words=99, format="markdown").text
    assert "[" not in found and "evening" in found
    start = text.index("again")
    assert "**fell**" in laconic.compress(text, drop=[(start, start + 5)], words=99, format="markdown").text


def test_lengths_have_their_markup() -> None:
    text = "<p>It <b>fell</b> <a href='x'>on Monday</a>.</p>\n<p><i>Then</i> it rose.</p>"
    found = laconic.lengths(text, format="html", system="truncate")
    assert found.at(found.totals[-1]) == text
    assert found.at(4) == "<p>It</p>\n<p><i>Then</i> it rose.</p>" or found.at(4).count("<p>") == 2
    assert all("on</a>" not in found.at(total) for total in found.totals)
    [first, _] = found.sentences
    assert text[first.start : first.end] == "It <b>fell</b> <a href='x'>on Monday</a>."


def test_what_rewrites_keeps_markup_around_the_words_that_it_shares() -> None:
    [unit], _ = units_of(read("It *fell* again.", Options(format="markdown")))
    sentence = unit.place.sentence
    answer = replace(
        Compression.by_deletion(sentence, [0]), kept=None, words=("Prices", "fell", "."), text="Prices fell."
    )
    [(_, found)], _ = weave([Written(unit.place, "", "", "", answer)])
    assert found == "Prices *fell*."


SPELT = {
    "html": [
        "<b>bold&nbsp;text</b> ",
        "<a href='x&amp;y'>a&nbsp;link</a> ",
        "<img src=x> ",
        "</p><p>",
        "<h2>R&amp;D</h2>",
    ],
    "markdown": [
        "**bold&nbsp;text** ",
        "[a&nbsp;link](x&amp;y) ",
        "![a chart](c.png) ",
        "\n\n",
        "\n\n# R&amp;D\n\n",
        "\n- ",
    ],
}
WORDS_SPELT = [
    "It fell. ",
    "AT&amp;T ",
    "5&nbsp;% ",
    "&mdash; ",
    "&quot;It rose,&quot; he said. ",
    "&eacute;t&#233; ",
    "etc&period; ",
    "&such; ",
]


@pytest.mark.parametrize("name", SPELT)
def test_what_is_read_of_the_answer_is_what_was_counted(name: Any) -> None:
    for seed in range(150):
        random = Random(seed)
        pieces = [random.choice(SPELT[name] + WORDS_SPELT * 2) for _ in range(random.randint(1, 12))]
        text, words = "So " + "".join(pieces), random.randint(1, 8)
        asked: dict[str, Any] = {"format": name, "system": Truncate(), "impossible": "leave"}
        found = laconic.compress(text, words=words, drop_sentences=seed % 2 == 0, **asked)
        again = laconic.compress(found.text, words=999, **asked)
        assert found.source == text and again.text == found.text
        assert again.unmarked.split() == found.unmarked.split(), text
        assert found.unmet or WORDS.count(found.unmarked) <= words
