"""Cutting raw text into sentences without losing a character of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.text.abbreviations import place_of, starts_a_sentence
from laconic.text.tokenise import GAP, tokenise

_PARAGRAPH_END = re.compile(rf"\n[{GAP}]*\n[{GAP}]*|[\f\u2029][{GAP}]*")
_BULLET = re.compile(r"(?:[-*+•◦▪‣·–—]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])[ \t]")
# A stop with what belongs to it: closing marks, notes, an emoticon; then white space, or none where it was
# forgotten ("ended.It began").
_STOP = re.compile(
    rf"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?:[ ]?\[\d{{1,3}}\])*+(?:[ ][:;]-?[()DP])?+(?=[{GAP}]|\Z)"
    r"|(?<=[a-z]{2})[.!?](?=[A-Z][a-z]*[ ,'’])|[。！？]+[」』”’）]*"
)
_WORD_BEFORE = re.compile(rf"[^{GAP}\"'“‘«(\[]*\Z")
_WORD_AFTER = re.compile(rf"[{GAP}]*[\"'“‘«(\[¿¡*_]*([^{GAP}]?)(\w*)")
_GAPS = re.compile(rf"[{GAP}]*")
_BRACKET = re.compile(r"[()\[\]]")
_CONTINUES = frozenset(".?!,;:)")
_LONGEST_WORD = 40
_LONGEST_BRACKET = 400


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The half-open spans of the sentences; each ends where the next starts, so that nothing is lost.

    >>> sentence_spans("It rained. We left at 5 p.m. by car.")
    [(0, 11), (11, 36)]
    """
    if not isinstance(text, str):
        raise LaconicError(f"a text to cut into sentences is a string, not {text!r:.60}")
    ends: list[int] = []
    start = 0
    small = text.islower()
    for gap in _PARAGRAPH_END.finditer(text):
        ends += [*_ends_in_paragraph(text, start, gap.start(), small), gap.end()]
        start = gap.end()
    ends += [*_ends_in_paragraph(text, start, len(text), small), len(text)]
    spans = []
    start = 0
    for end in ends:
        # White space alone belongs to the sentence before it, or after it at the start of the text.
        if _after_gap(text, start) < end:
            spans.append((start, end))
            start = end
        elif spans:
            spans[-1] = (spans[-1][0], end)
            start = end
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def _ends_in_paragraph(text: str, start: int, end: int, small: bool) -> list[int]:
    """The ends of sentences within text[start:end], each behind the white space that follows it."""
    ends = set(_line_ends(text, start, end))
    sentence_start = _after_gap(text, start)
    for stop in _STOP.finditer(text, start, end):
        if _is_end(text, stop, sentence_start, small):
            sentence_start = _after_gap(text, stop.end())
            ends.add(sentence_start)
    # A sentence does not end within brackets.
    outside = []
    brackets = _brackets(text, start, end)
    opened, closed = next(brackets, (end, end))
    for position in sorted(position for position in ends if position < end):
        while closed < position:
            opened, closed = next(brackets, (end, end))
        if position <= opened:
            outside.append(position)
    return outside


def _after_gap(text: str, position: int) -> int:
    match = _GAPS.match(text, position)
    assert match is not None
    return match.end()


def _is_end(text: str, stop: re.Match[str], sentence_start: int, small: bool) -> bool:
    """Whether a sentence ends at this stop: by the word before it and the one after it."""
    mark = stop[0]
    if mark[0] in "。！？":
        return True
    after = _WORD_AFTER.match(text, stop.end())
    assert after is not None
    first, rest = after[1], after[2]
    if first in _CONTINUES or (first.islower() and not small and not any(map(str.isupper, rest))):
        return False
    if mark[0] != ".":
        return mark[0] != "…" or first + rest != "I"
    if mark[:2] == "..":
        return first + rest != "I"
    before = _WORD_BEFORE.search(text, max(0, stop.start() - _LONGEST_WORD), stop.start())
    assert before is not None
    word = before[0]
    if word.isdigit() and (before.start() == sentence_start or text[before.start() - 1] == "\n"):
        return False  # the number of a list item
    place = place_of(word)
    if place is None:
        return True
    if place == "before a number":
        return not first.isdigit()
    if place == "inside a sentence":
        return False
    if place == "before a name" and len(word) > 1:
        return False
    return starts_a_sentence(first + rest)


def _line_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Line breaks that end a sentence: before an item of a list, or where the line was not full.

    A line of running text is broken where the next word would not fit into the widest line. A break
    where it would have fitted was meant, as after a headline, if a new sentence can start there.
    """
    lines = []
    while (line_end := text.find("\n", start, end)) >= 0:
        lines.append((start, line_end))
        start = line_end + 1
    lines.append((start, end))
    width = max(line_end - line_start for line_start, line_end in lines)
    for (line_start, line_end), (next_start, next_end) in pairwise(lines):
        following = _after_gap(text, next_start)
        word_end = text.find(" ", following, next_end)
        word = text[following : word_end if word_end >= 0 else next_end]
        would_fit = line_end - line_start + 1 + len(word) <= width
        if _BULLET.match(text, following) or (would_fit and not word[:1].islower()):
            yield following


def _brackets(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The outermost brackets of text[start:end] that close within reach, as spans between the two."""
    depth = 0
    opened = start
    for mark in _BRACKET.finditer(text, start, end):
        if mark[0] in "([":
            if depth == 0 or mark.start() - opened > _LONGEST_BRACKET:
                depth, opened = 0, mark.start()
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0 and mark.end() - opened <= _LONGEST_BRACKET:
                yield opened, mark.start()


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of raw text, tokenised; their texts put together again are the text.

    >>> [sentence.text for sentence in split_sentences("“No,” said Mr. Hall. (It was late.) We left")]
    ['“No,” said Mr. Hall. ', '(It was late.) ', 'We left']
    """
    return [tokenise(text[start:end]) for start, end in sentence_spans(text)]
