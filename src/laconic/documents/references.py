"""Character references, such as `&amp;` and `&#8212;`: what is written of a character, and what is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5

REFERENCE = r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);"
"""What looks like a reference; whether it is one says `character`."""

_REFERENCE = re.compile(REFERENCE)


def character(source: str) -> str:
    """The character that is read where a reference is written; nothing if it is none, or one of several characters.

    >>> character("&amp;"), character("&#8212;"), character("&such;")
    ('&', '—', '')
    """
    read = unescape(source) if source[1] == "#" or source[1:] in html5 else ""
    return read if len(read) == 1 else ""


def references(text: str) -> Iterator[tuple[int, int, str]]:
    """The references of a text: where each starts and ends, and what is read.

    >>> list(references("R&amp;D"))
    [(1, 6, '&')]
    """
    for match in _REFERENCE.finditer(text):
        if read := character(match[0]):
            yield *match.span(), read


def as_read(text: str) -> str:
    """A text as it is read.

    >>> as_read("R&amp;D, &such; things")
    'R&D, &such; things'
    """
    return _REFERENCE.sub(lambda match: character(match[0]) or match[0], text)
