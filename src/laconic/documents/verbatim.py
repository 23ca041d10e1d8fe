"""What of a text is not language to be shortened: code, JSON, tables and headings; addresses, figures, quotations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from laconic.errors import LaconicError

Span = tuple[int, int]
"""From the first character to before the last."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a text, with the white space behind it; `fixed` says that it stays as it is."""

    text: str
    fixed: bool


_FENCED = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}|~{3,}).*\n(?:.*\n)*?(?:[ ]{0,3}(?P=fence)[`~]*[ \t]*(?:\n|\Z)|\Z)", re.M
)
_INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?:(?:[ ]{4}|\t)[^\n]*(?:\n|\Z)(?:[ \t]*\n(?=[ ]{4}|\t))*)+")
_TABLE = re.compile(
    r"(?:^(?=[^\n]*\|[^\n]*\|)[^\n]*(?:\n|\Z)){2,}|(?:^[^\n\t]*[^\s][^\n\t]*\t[^\n]*(?:\n|\Z)){2,}", re.M
)
_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t][^\n]*(?:\n|\Z)", re.M)
_OPENING = re.compile(r"[{\[]")

_URL = re.compile(
    r"(?:(?:https?|ftp)://|www\.)[^\s<>\"“”]*[^\s<>\"“”.,;:!?'’)\]}…]|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
)
_FIGURE = re.compile(r"[$£€¥#]?[^\s]*\d[^\s]*")
_QUOTED = re.compile(r"“[^”\n]*”|«[^»\n]*»|(?<!\w)\"[^\"\n]+\"(?!\w)|(?<!\w)‘[^’\n]+’(?!\w)")
_INLINE_CODE = re.compile(r"(`+)[^`\n]+\1")
_BULLET = re.compile(r"\A\s*(?:[-*+•◦▪‣·–—]|\(?\d{1,3}[.)])(?=[ \t])")


def _found(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Span]]:
    return lambda text: (match.span() for match in pattern.finditer(text))


def json_spans(text: str) -> Iterator[Span]:
    """Where JSON objects and arrays stand in a text; a note's number in brackets is none.

    >>> list(json_spans('See {"a": [1, 2]}, or not [1].'))
    [(4, 17)]
    """
    decoder, position = json.JSONDecoder(), 0
    while opening := _OPENING.search(text, position):
        position = opening.start() + 1
        try:
            value, end = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            continue
        if value and (isinstance(value, dict) or len(value) > 1):
            yield opening.start(), end
            position = end


_BLOCKS: Mapping[str, tuple[Callable[[str], Iterator[Span]], ...]] = MappingProxyType(
    {
        "code": (_found(_FENCED), _found(_INDENTED)),
        "tables": (_found(_TABLE),),
        "headings": (_found(_HEADING),),
    }
)
_WITHIN: Mapping[str, Callable[[str], Iterator[Span]]] = MappingProxyType(
    {
        "code": _found(_INLINE_CODE),
        "json": json_spans,
        "urls": _found(_URL),
        "numbers": _found(_FIGURE),
        "quotes": _found(_QUOTED),
    }
)

KINDS = ("code", "json", "tables", "headings", "urls", "numbers", "quotes")
"""What can be left as it is."""


def check_kinds(kinds: Collection[str]) -> tuple[str, ...]:
    """The kinds, in their order; an unknown one is an error."""
    given = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in given:
        if kind not in KINDS:
            raise LaconicError(f"what can be left as it is are {', '.join(KINDS)}, not {kind!r}")
    return tuple(kind for kind in KINDS if kind in given)


def blocks(text: str, kinds: Collection[str] = KINDS) -> Iterator[Block]:
    """A text in its blocks: those that stay as they are, and the language between them; nothing is lost.

    >>> [(block.fixed, block.text) for block in blocks("So it is:\\n```\\nx = 1\\n```\\nAnd on.")]
    [(False, 'So it is:\\n'), (True, '```\\nx = 1\\n```\\n'), (False, 'And on.')]
    """
    found = [span for kind in kinds for find in _BLOCKS.get(kind, ()) for span in find(text)]
    if "json" in kinds:
        found += [span for span in json_spans(text) if _stands_alone(text, span)]
    position = 0
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if start < position:
            continue  # within another one
        while end < len(text) and text[end].isspace():
            end += 1
        if text[position:start]:
            yield Block(text[position:start], False)
        yield Block(text[start:end], True)
        position = end
    if text[position:]:
        yield Block(text[position:], False)


def _stands_alone(text: str, span: Span) -> bool:
    """Whether nothing stands beside it on its lines."""
    start, end = span
    before = text[:start].rpartition("\n")[2]
    after = text[end:].partition("\n")[0]
    return not before.strip() and not after.strip()


def verbatim_spans(sentence: str, kinds: Collection[str] = KINDS) -> list[Span]:
    """The spans of a sentence that stay as they are, if it stays at all; the mark of a list item is one of them.

    >>> verbatim_spans("- It cost “about” £40, see www.example.org/a.")
    [(0, 1), (10, 17), (18, 22), (27, 44)]
    """
    found = [span for kind in kinds if kind in _WITHIN for span in _WITHIN[kind](sentence)]
    if bullet := _BULLET.match(sentence):
        found.append(bullet.span())
    return sorted(found)
