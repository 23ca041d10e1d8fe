"""The sentences of a document, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from laconic.documents.structure import Place, Segment, Unread, places, read_of
from laconic.options import Options
from laconic.sentence import Sentence

_BLOCK_ENDS = {"paragraph": re.compile(r"\n\s*\n"), "line": re.compile(r"\n")}


def read(text: str, options: Options) -> list[Segment]:
    """The blocks of a text in its format, and what stands between them."""
    if options.format == "markdown":
        from laconic.documents.markdown import read_markdown

        return read_markdown(text)
    if options.format == "html":
        from laconic.documents.html import read_html

        return read_html(text)
    from laconic.documents.text import read_lines, read_text

    return read_lines(text) if "line" in (options.per, options.format.removesuffix("s")) else read_text(text)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A heading, a table, code: what stays as it is, where it starts in the document, and what of it is read."""

    start: int
    source: str
    read: str


@dataclass(frozen=True, slots=True)
class Between:
    """What stands between sentences whatever happens, and what of it is read, and counts for limits.

    The `stretches` are what of it says something.
    """

    source: str = ""
    counted: str = ""
    stretches: tuple[Stretch, ...] = ()

    @classmethod
    def read(cls, text: str, start: int = 0) -> Between:
        """What is left as it is, from so many characters of the document on."""
        source, counted = str(text), str(read_of(text))
        return cls(source, counted, (Stretch(start, source, counted),) if counted.strip() else ())

    def __add__(self, other: Between) -> Between:
        return Between(
            self.source + other.source, self.counted + other.counted, self.stretches + other.stretches
        )

    def parted(self, per: str) -> list[str]:
        """The paragraphs or lines of what of it says something."""
        return [
            part
            for stretch in self.stretches
            for part in (
                stretch.read.splitlines() if per == "line" else _BLOCK_ENDS["paragraph"].split(stretch.read)
            )
            if part.strip()
        ]


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence in its document.

    What stands before it whatever happens, its lead if it opens a block, its place there, and where the block starts in
    the document, or the sentence if it is a block by itself.
    """

    fixed: Between
    lead: str | None
    place: Place
    start: int

    @property
    def before(self) -> tuple[Stretch, ...]:
        """What stands before it and stays as it is: with the mark of an item."""
        lead = self.lead or ""
        own = (Stretch(self.start - len(lead), lead, lead),) if lead.strip() else ()
        return self.fixed.stretches + own

    @property
    def span(self) -> tuple[int, int]:
        """Where its words stand in the document."""
        spans = self.place.spans
        return self.start + spans[0][0], self.start + spans[-1][1]


def units_of(segments: Sequence[Segment]) -> tuple[list[Unit], Between]:
    """The sentences of a document in order, and what stands behind the last."""
    units: list[Unit] = []
    fixed, position, unread = Between(), 0, False
    for segment in segments:
        start = segment if isinstance(segment, str) else segment.lead
        if isinstance(segment, Unread):
            unread = True
        elif unread:
            # What is not read stands between lines: words on both sides of it are not one.
            starts_line = start[:1].isspace() or not (units or fixed.counted)
            fixed += Between("", "" if starts_line else "\n")
            unread = False
        if isinstance(segment, str):
            fixed += Between.read(segment, position)
            position += len(segment)
            continue
        position += len(segment.lead)
        lead: str | None = segment.lead
        for place in places(segment):
            sentence = place.sentence
            if not sentence.words:
                fixed += Between.read((lead or "") + sentence.text)
                lead = lead and ""
                continue
            before = sentence.lead if lead is None else lead + sentence.lead
            bare = replace(place, sentence=replace(sentence, lead=""))
            units.append(Unit(fixed, None if lead is None else before, bare, position))
            fixed, lead = Between(), None
        position += len(segment.source)
        if lead is None:
            units, fixed = _without_last_space(units)
    return units, fixed


def units_of_sentence(sentence: Sentence) -> tuple[list[Unit], Between]:
    """One sentence as a document, and what stands behind it."""
    if not sentence.words:
        return [], Between.read(sentence.text)
    place = Place.of(replace(sentence, lead=""))
    return _without_last_space([Unit(Between.read(sentence.lead), "", place, len(sentence.lead))])


def units_of_sentences(sentences: Sequence[Sentence], per: str) -> tuple[list[Unit], Between]:
    """Sentences that others have cut as a document, and what stands behind the last.

    White space stands behind sentences, and before the first. Paragraphs or lines end at blank lines or at line ends
    between sentences, if `per` says that they are limited.
    """
    ends = _BLOCK_ENDS.get(per)
    units: list[Unit] = []
    fixed, position = Between(), 0
    for number, sentence in enumerate(sentences):
        opens = number == 0 or (ends is not None and ends.search(sentences[number - 1].spaces[-1]))
        if opens and units:
            units, fixed = _without_last_space(units)
        place = Place.of(replace(sentence, lead=""))
        start = position + len(sentence.lead)
        units.append(Unit(fixed + Between.read(sentence.lead), "" if opens else None, place, start))
        fixed = Between()
        position += len(sentence.text)
    return _without_last_space(units) if units else ([], Between())


def _without_last_space(units: list[Unit]) -> tuple[list[Unit], Between]:
    """The units without what stands behind the last word of a block: that stays whatever becomes of the word."""
    *others, last = units
    sentence = last.place.sentence
    bare = replace(last.place, sentence=replace(sentence, spaces=(*sentence.spaces[:-1], "")))
    return [*others, replace(last, place=bare)], Between.read(sentence.spaces[-1])


def read_before(unit: Unit) -> str:
    """What is read between the sentence before and one that opens a block."""
    return unit.fixed.counted + (unit.lead or "")


def beside(before: str, behind: str) -> tuple[str, str]:
    """What of the text before and behind a block stands on its own lines."""
    return f"{before}|".splitlines()[-1][:-1], f"|{behind}".splitlines()[0][1:]


def authors_gaps(units: Sequence[Unit]) -> list[str]:
    """What the author put before each sentence: the lead of its block, or white space."""
    spaces = ["", *(unit.place.sentence.spaces[-1] for unit in units)]
    return [space if unit.lead is None else unit.lead for unit, space in zip(units, spaces, strict=False)]
