"""A document as blocks of sentences between what is left as it is.

A block is a paragraph, an item of a list, a quotation: text that is cut into sentences. What stands in it that is no
text (the marks of a quotation at the start of a line, tags, the address of a link) is set aside, and stands in the
white space between words again when sentences are written. So nothing is lost, and parsers see words only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from laconic.sentence import Sentence
from laconic.text.split import sentence_spans
from laconic.text.tokenise import token_spans


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that is no text, before the character `at` of a block's text.

    What is `tied` stays whatever is cut: the words on both sides of it are kept.
    """

    at: int
    source: str
    tied: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """Text that is cut into sentences, with what was set aside and the spans that are one word, never cut.

    `lead` is what stands before it and goes with it: white space, and the mark of a list's item.
    """

    lead: str
    text: str
    asides: tuple[Aside, ...] = ()
    solid: tuple[tuple[int, int], ...] = ()

    @property
    def source(self) -> str:
        """The block as its author wrote it, without its lead."""
        return _woven(self.text, 0, len(self.text), self.asides)


Segment = str | Block
"""What is left as it is, or a block; the segments of a document put together are the document."""


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a block: where it starts there, which words hold an aside in place, whether it may go."""

    sentence: Sentence
    start: int
    tied: frozenset[int]
    may_go: bool


def places(block: Block) -> Iterator[Place]:
    """The sentences of a block; their texts put together are its source.

    >>> block = Block("", "It fell\\nagain. It rose.", (Aside(8, "> ", tied=False),))
    >>> [place.sentence.text for place in places(block)]
    ['It fell\\n> again. ', 'It rose.']
    """
    start = 0
    for first, last in sentence_spans(block.text):
        spans = list(_words(block, first, last))
        edges = [first, *(edge for span in spans for edge in span), last]
        # An aside belongs to the gap that it stands in, behind a word rather than before the next.
        gaps = []
        for number, (left, right) in enumerate(list(pairwise(edges))[::2]):
            within = [aside for aside in block.asides if left <= aside.at <= right]
            if number == 0 and first:  # what stands between two sentences belongs to the first of them
                within = [aside for aside in within if aside.at > first]
            gaps.append((_woven(block.text, left, right, within), any(aside.tied for aside in within)))
        if not spans:
            source = gaps[0][0]
            yield Place(Sentence((), (), lead=source), start, frozenset(), True)
            start += len(source)
            continue
        tied = {
            word for number, (_, is_tied) in enumerate(gaps[1:-1]) if is_tied for word in (number, number + 1)
        }
        tied |= {
            number
            for number, (left, right) in enumerate(spans)
            if any(left < end and begin < right for begin, end in block.solid)
        }
        sentence = Sentence(
            words=tuple(block.text[left:right] for left, right in spans),
            spaces=tuple(gap for gap, _ in gaps[1:]),
            lead=gaps[0][0],
        )
        yield Place(sentence, start, frozenset(tied), not (gaps[0][1] or gaps[-1][1]))
        start += len(sentence.text)


def _words(block: Block, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The spans of the words of a sentence: what is solid is one, and an aside within a word cuts it in two."""
    spans = [(first + left, first + right) for left, right in token_spans(block.text[first:last])]
    solid = [
        (max(first, left), min(last, right)) for left, right in block.solid if left < last and first < right
    ]
    if solid:
        outside = [
            span for span in spans if not any(left < span[1] and span[0] < right for left, right in solid)
        ]
        spans = sorted(outside + solid)
    cuts = [aside.at for aside in block.asides]
    for left, right in spans:
        inner = [] if (left, right) in solid else sorted({cut for cut in cuts if left < cut < right})
        yield from pairwise([left, *inner, right])


def _woven(text: str, start: int, end: int, asides: Iterable[Aside]) -> str:
    pieces = []
    position = start
    for aside in asides:
        pieces += [text[position : aside.at], aside.source]
        position = aside.at
    return "".join((*pieces, text[position:end]))


def joined(segments: Iterable[Segment]) -> str:
    """The document as its author wrote it."""
    return "".join(each if isinstance(each, str) else each.lead + each.source for each in segments)
