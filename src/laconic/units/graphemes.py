"""Graphemes: what a reader sees as one character (Unicode Standard Annex 29, extended grapheme clusters)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

# Where each character is a grapheme for sure: everything below the combining marks but carriage returns, and the
# usual typographic marks. Other texts need the tables of Unicode.
_SIMPLE = re.compile(r"[\x00-\x0c\x0e-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20c0]*")


def count_graphemes(text: str) -> int:
    """How many graphemes a text has.

    >>> count_graphemes("“café”"), count_graphemes("cafe\\u0301"), count_graphemes("👩‍👩‍👧")
    (6, 4, 1)
    """
    if _SIMPLE.fullmatch(text):
        return len(text)
    return sum(1 for _ in _cluster().finditer(text))


@cache
def _cluster() -> Any:
    # The standard library knows no clusters.
    import regex

    return regex.compile(r"\X", regex.DOTALL)
