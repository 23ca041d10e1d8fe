"""Graphemes: what a reader sees as one character (Unicode Standard Annex 29, extended grapheme clusters).

Syllables of Indic scripts that are joined by a virama are cut into their consonants.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

# Characters each of which is a grapheme for sure beside another of them: everything below the combining marks but
# carriage returns, and the usual typographic marks. Others need the tables of Unicode.
_SIMPLE = r"\x00-\x0c\x0e-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20c0"
_ALL_SIMPLE = re.compile(f"[{_SIMPLE}]*")
_INDICATOR = "[\U0001f1e6-\U0001f1ff]"
_FIRST_SYLLABLE, _LAST_SYLLABLE, _SYLLABLES_A_VOWEL = 0xAC00, 0xD7A3, 28  # of Hangul


def count_graphemes(text: str) -> int:
    """How many graphemes a text has.

    >>> count_graphemes("“café”"), count_graphemes("cafe\\u0301"), count_graphemes("👩‍👩‍👧")
    (6, 4, 1)
    """
    if are_all_graphemes(text):
        return len(text)
    spans = (found.span() for found in _run().finditer(text))
    runs = [text[max(0, start - 1) : end] for start, end in spans]
    return len(text) - sum(map(len, runs)) + sum(map(_count_clusters, runs))


def are_all_graphemes(text: str) -> bool:
    """Whether each character is a grapheme for sure, whatever stands beside it."""
    return _ALL_SIMPLE.fullmatch(text) is not None


@lru_cache(maxsize=1 << 14)  # a search counts many texts of the same words
def _count_clusters(run: str) -> int:
    return sum(1 for _ in _cluster().finditer(run))


@cache
def _run() -> re.Pattern[str]:
    """Characters that are not simple, and what they are joined to behind them; what they follow is the one before."""
    simple, others, joining = f"[{_SIMPLE}]", f"[^{_SIMPLE}]", f"[\r\u200d{_classes()['prepend']}]"
    return re.compile(f"{others}{others}*(?:(?<={joining}){simple}{others}*)*")  # not `+`: searched faster


@cache
def _classes() -> dict[str, str]:
    """The characters of each class of Annex 29, as they stand in a set of a regular expression."""
    classes = {}
    for line in files("laconic.units").joinpath("graphemes.txt").read_text(encoding="utf-8").splitlines():
        name, _, ranges = line.partition(": ")
        if not line.startswith("#"):
            classes[name] = "".join(
                "-".join(f"\\U{int(code, 16):08x}" for code in each.split("-")) for each in ranges.split()
            )
    return classes


@cache
def _cluster() -> re.Pattern[str]:
    """One grapheme, as the regular expression of Annex 29, table 1c."""
    classes = _classes()
    control, extend, spacing, prepend = (
        f"[{classes[name]}]" for name in ("control", "extend", "spacing", "prepend")
    )
    leading, vowel, trailing, picture = (
        f"[{classes[name]}]" for name in ("leading", "vowel", "trailing", "picture")
    )
    open_syllables = range(_FIRST_SYLLABLE, _LAST_SYLLABLE + 1, _SYLLABLES_A_VOWEL)
    open_ = "[" + "".join(map(chr, open_syllables)) + "]"
    closed = f"(?!{open_})[{chr(_FIRST_SYLLABLE)}-{chr(_LAST_SYLLABLE)}]"
    hangul = f"{leading}*(?:{vowel}+|{open_}{vowel}*|{closed}){trailing}*|{leading}+|{trailing}+"
    pictures = f"{picture}(?:(?:(?!\u200d){extend})*\u200d{picture})*"
    core = f"(?:{hangul}|{_INDICATOR}{{2}}|{pictures}|[^\r\n{classes['control']}])"
    after = f"(?:{extend}|{spacing})*"
    return re.compile(f"\r\n|[\r\n]|{control}|{prepend}*{core}{after}|{prepend}+{after}", re.DOTALL)
