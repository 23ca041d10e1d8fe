"""A document as blocks of sentences between what is left as it is.

A block is a paragraph, an item of a list, a quotation: text that is cut into sentences. What stands in it that is no
text is set aside: the marks of a quotation at the start of a line are part of the white space there, and markup (tags,
marks of emphasis, the addresses of links, pictures) is woven in again when sentences are written. A character that is
written as a reference (`&amp;`) is in the text as it is read, and how it was written is set aside. So nothing is lost,
parsers see words only, and limits count what is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from laconic.documents.references import as_read
from laconic.sentence import Sentence
from laconic.text.split import sentence_spans
from laconic.text.tokenise import token_spans

Role = Literal["prefix", "opens", "closes", "stands", "spells"]
"""What is set aside: the start of a line, markup that opens or closes around words, markup that stands by itself, or
how characters of the text were spelt."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that is no text, before the character `at` of a block's text, or the spelling of what is `read` there.

    Markup that opens and markup that closes have the number of their `pair`, by which they find each other.
    """

    at: int
    source: str
    role: Role = "prefix"
    pair: int = -1
    read: str = ""

    @property
    def end(self) -> int:
        """Where the text goes on behind it."""
        return self.at + len(self.read)


@dataclass(frozen=True, slots=True)
class Block:
    """Text that is cut into sentences, with what was set aside.

    `lead` is what stands before it and goes with it: white space, and the mark of a list's item. A `solid` span is one
    word that stays, and the words of a span of `links` stay or go together.
    """

    lead: str
    text: str
    asides: tuple[Aside, ...] = ()
    solid: tuple[tuple[int, int], ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    @property
    def source(self) -> str:
        """The block as its author wrote it, without its lead."""
        return _woven(self.text, 0, len(self.text), self.asides)


def trimmed(block: Block) -> tuple[str, Block | None, str]:
    """White space before a block, the block without any around its words, and white space behind it.

    What is set aside around the text is part of the block, with the white space around it. A block of nothing else is
    none, but white space before it.
    """
    text, asides = block.text, block.asides
    words = token_spans(text)
    if not words:
        return block.source, None, ""
    begin, end = words[0][0], words[-1][1]
    before = [aside for aside in asides if aside.end <= begin]
    behind = [aside for aside in asides if aside.at >= end]
    head, tail = before[0].at if before else begin, behind[-1].end if behind else end
    moved: list[Aside] = []
    for number, aside in enumerate(asides):
        if begin < aside.end and aside.at < end:
            moved.append(replace(aside, at=aside.at - begin))
            continue
        role: Role = "stands" if aside.role in ("prefix", "spells") else aside.role
        if aside.end <= begin:
            source = aside.source + text[aside.end : [*(each.at for each in before), begin][number + 1]]
        else:
            place = number - len(asides) + len(behind)
            source = text[[end, *(each.end for each in behind)][place] : aside.at] + aside.source
        moved.append(Aside(0 if aside.end <= begin else end - begin, source, role, aside.pair))

    def within(spans: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        return tuple(sorted((max(left, begin) - begin, min(right, end) - begin) for left, right in spans))

    return (
        text[:head],
        Block(
            block.lead,
            text[begin:end],
            tuple(moved),
            *(within(spans) for spans in (block.solid, block.links)),
        ),
        text[tail:],
    )


class Unread(str):
    """What is left as it is, and nobody reads: tags, scripts, comments. It counts for no limit."""

    __slots__ = ()


class Referring(str):
    """What is left as it is, and read with its character references as the characters that they stand for."""

    __slots__ = ()


def read_of(left: str) -> str:
    """What is read of what is left as it is."""
    if isinstance(left, Unread):
        return ""
    return as_read(left) if isinstance(left, Referring) else left


Segment = str | Block
"""What is left as it is, or a block; the segments of a document put together are the document."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Markup before a word of a sentence, or so many characters `inside` it; behind the last if there is no such word.

    `space` is how much of the white space before the word stands before the mark. One that spells says what is `read`.
    """

    source: str
    role: Role
    pair: int
    before: int
    inside: int | None = None
    space: int = 0
    read: str = ""

    def is_before(self, word: int) -> bool:
        """Whether it stands before a word of the sentence, or within an earlier one."""
        return self.before < word or (self.before == word and self.inside is None)


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a block: where its words stand in the block's source, which must stay, and its markup.

    The words of each of `links` stay or go together.
    """

    sentence: Sentence
    spans: tuple[tuple[int, int], ...]
    tied: frozenset[int] = frozenset()
    links: tuple[frozenset[int], ...] = ()
    marks: tuple[Mark, ...] = ()

    @classmethod
    def of(cls, sentence: Sentence) -> Place:
        """The place of a sentence that is a block by itself, without its lead."""
        position, spans = 0, []
        for word, space in zip(sentence.words, sentence.spaces, strict=True):
            spans.append((position, position + len(word)))
            position += len(word) + len(space)
        return cls(sentence, tuple(spans))

    def words_at(self, start: int, end: int) -> list[int]:
        """The words that a span of the block's source touches."""
        return [number for number, (left, right) in enumerate(self.spans) if left < end and start < right]


def places(block: Block) -> Iterator[Place]:
    """The sentences of a block; with their markup woven in they are its source.

    >>> block = Block("", "It fell\\nagain. It rose.", (Aside(8, "> "),))
    >>> [place.sentence.text for place in places(block)]
    ['It fell\\n> again. ', 'It rose.']
    """
    prefixes = [aside for aside in block.asides if aside.role == "prefix"]
    markup = [aside for aside in block.asides if aside.role != "prefix"]
    for first, last in sentence_spans(block.text):
        spans = list(_words(block, first, last))
        own = [
            mark
            for mark in markup
            if first <= mark.at < last or (mark.at == last and last == len(block.text))
        ]
        edges = [first, *(edge for span in spans for edge in span), last]
        lead, *spaces = (
            # What stands between two sentences belongs to the first of them.
            _woven(block.text, left, right, [each for each in prefixes if left <= each.at <= right])
            if number or not first
            else _woven(block.text, left, right, [each for each in prefixes if left < each.at <= right])
            for number, (left, right) in enumerate(list(pairwise(edges))[::2])
        )
        if not spans:
            asides = sorted([*(p for p in prefixes if first <= p.at <= last), *own], key=lambda each: each.at)
            yield Place(Sentence((), (), lead=_woven(block.text, first, last, asides)), ())
            continue
        yield Place(
            Sentence(
                words=tuple(block.text[left:right] for left, right in spans), spaces=tuple(spaces), lead=lead
            ),
            tuple(
                (_offset(block, left, inside=False), _offset(block, right, inside=True))
                for left, right in spans
            ),
            frozenset(_touched(spans, block.solid)),
            tuple(
                frozenset(words)
                for words in (list(_touched(spans, [link])) for link in block.links)
                if len(words) > 1
            ),
            tuple(_placed(mark, prefixes, spans, first) for mark in own),
        )


def _placed(mark: Aside, prefixes: list[Aside], spans: list[tuple[int, int]], first: int) -> Mark:
    before = next((number for number, (_, right) in enumerate(spans) if mark.at < right), len(spans))
    found = Mark(mark.source, mark.role, mark.pair, before, read=mark.read)
    if before < len(spans) and mark.end > spans[before][0]:
        return replace(found, inside=mark.at - spans[before][0])
    start = spans[before - 1][1] if before else first
    space = mark.at - start + sum(len(each.source) for each in prefixes if start <= each.at <= mark.at)
    return replace(found, space=space)


def _touched(spans: list[tuple[int, int]], others: Iterable[tuple[int, int]]) -> Iterator[int]:
    others = list(others)
    for number, (left, right) in enumerate(spans):
        if any(left < end and begin < right for begin, end in others):
            yield number


def _offset(block: Block, at: int, *, inside: bool) -> int:
    """Where a character of the text stands in the source; what is set aside right before it may be behind it."""
    before = (aside for aside in block.asides if (aside.at < at if inside or aside.read else aside.at <= at))
    return at + sum(len(aside.source) - len(aside.read) for aside in before)


def _words(block: Block, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The spans of the words of a sentence: what is solid is one; the start of a line cuts a word in two."""
    spans = [(first + left, first + right) for left, right in token_spans(block.text[first:last])]
    single = [
        (max(first, left), min(last, right)) for left, right in block.solid if left < last and first < right
    ]
    if single:
        outside = [
            span for span in spans if not any(left < span[1] and span[0] < right for left, right in single)
        ]
        spans = sorted(outside + single)
    cuts = [aside.at for aside in block.asides if aside.role == "prefix"]
    for left, right in spans:
        inner = [] if (left, right) in single else sorted({cut for cut in cuts if left < cut < right})
        yield from pairwise([left, *inner, right])


def _woven(text: str, start: int, end: int, asides: Iterable[Aside]) -> str:
    pieces = []
    position = start
    for aside in asides:
        pieces += [text[position : aside.at], aside.source]
        position = aside.end
    return "".join((*pieces, text[position:end]))


def joined(segments: Iterable[Segment]) -> str:
    """The document as its author wrote it."""
    return "".join(each if isinstance(each, str) else each.lead + each.source for each in segments)
