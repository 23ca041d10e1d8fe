"""Kinds of text that are kept whole wherever they stand, whatever the system: addresses, code, quotations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

_PATTERNS = {
    "urls": re.compile(
        r"(?:https?|ftp)://\S*[^\s.,;:!?'\"’”)\]}…]|www\.\S*[^\s.,;:!?'\"’”)\]}…]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    ),
    "code": re.compile(
        r"`[^`\n]+`|\b\w+(?:\.\w+)*\([^()\n]*\)|\b\w+_\w+\b|\{[^{}\n]*\}|\[[^\[\]\n]*[=:,][^\[\]\n]*\]"
    ),
    "quotes": re.compile(r"“[^”]*”|«[^»]*»|„[^“”]*[“”]|\"[^\"\n]*\"|(?<!\w)‘[^’]*’(?!\w)"),
}

_OPENING = re.compile(r"[{\[]")
_RUN = re.compile(r"[\[{\s\":]*")
_LONG, _TRIES = 100, 50


def protected_spans(text: str, kinds: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where text of these kinds stands, as half-open spans of characters.

    >>> list(protected_spans("See https://example.org/a.", ["urls"]))
    [(4, 25)]
    """
    for kind in kinds:
        if kind in _PATTERNS:
            yield from (match.span() for match in _PATTERNS[kind].finditer(text))
        if kind == "code":
            yield from json_spans(text)


def json_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where JSON objects and arrays stand; a note's number in brackets is none.

    >>> list(json_spans('See {"a": [1, 2]}, or not [1].'))
    [(4, 17)]
    """
    decoder, position, tries = json.JSONDecoder(), 0, 0
    while opening := _OPENING.search(text, position):
        position = opening.start() + 1
        try:
            value, end = decoder.raw_decode(text, opening.start())
        except RecursionError:
            position = _RUN.match(text, position).end()  # type: ignore[union-attr]
            continue
        except json.JSONDecodeError as error:
            # What stands in something long and broken may be whole, but is not looked for without end.
            tries += error.pos - position > _LONG
            position = error.pos if tries > _TRIES else position
            continue
        if value and (isinstance(value, dict) or len(value) > 1):
            yield opening.start(), end
            position = end
