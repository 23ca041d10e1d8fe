"""Kinds of text that are kept whole wherever they stand, whatever the system: addresses, code, quotations."""

from __future__ import annotations

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


def protected_spans(text: str, kinds: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where text of these kinds stands, as half-open spans of characters.

    >>> list(protected_spans("See https://example.org/a.", ["urls"]))
    [(4, 25)]
    """
    for kind in kinds:
        if kind in _PATTERNS:
            yield from (match.span() for match in _PATTERNS[kind].finditer(text))
