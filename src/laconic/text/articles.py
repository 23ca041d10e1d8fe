"""Which of "a" and "an" goes with the word that follows."""

from __future__ import annotations

import re
from functools import lru_cache

# Beginnings of words that are spoken with a vowel, and with a consonant, against their letters.
_SILENT_H = ("hour", "honest", "honor", "honour", "heir")
_LIKE_YOU = re.compile(
    r"uni(?!d(?!i)|ll|m(?!od)|n|r|ss)|unanim|us[aeu]|u[bt]i|ut[aeo]|uk|ur[aeiou]|uvu|ugan|eu|ewe|ufo"
)
"""A unit, but an uninvited guest."""
_LIKE_WON = re.compile(r"once|one(?!r|i)")
_EITHER_WAY = ("herb", "hist")
_SPELT_WITH_A_VOWEL = frozenset("AEFHILMNORSX")
_LETTERS = re.compile(r"\w[.-].*|\w")
_SYLLABLE = re.compile(r"[^AEIOU][AEIOU][^AEIOU]")
_NUMBER = re.compile(r"\d+")


def fitting_article(article: str, following: str) -> str:
    """The article, which is "a" or "an" in small or large letters, as it is spoken before a word.

    Where that cannot be told from letters, it is as it was: an herb, a SIM card, an SAT score.

    >>> [fitting_article("a", word) for word in ("violin", "hour", "FBI", "11-year-old")]
    ['a', 'an', 'an', 'an']
    """
    vowel = _starts_with_vowel(following, shouted=article == "AN")
    if vowel is None:
        return article
    letter = article[0]
    if not vowel:
        return letter
    return letter + ("N" if article.isupper() and len(article) > 1 else "n")


@lru_cache(maxsize=1 << 12)
def _starts_with_vowel(word: str, *, shouted: bool) -> bool | None:
    if number := _NUMBER.match(word):
        figures = number.group()  # eight, eighty, eleven, eighteen hundred
        return figures[0] == "8" or (figures[:2] in ("11", "18") and len(figures) in (2, 4))
    if not word[0].isalpha():
        return None
    if _LETTERS.fullmatch(word) or (word.isupper() and not shouted and _is_spelt(word)):
        return None if _SYLLABLE.fullmatch(word) else word[0].upper() in _SPELT_WITH_A_VOWEL
    small = word.casefold()
    if small.startswith(_EITHER_WAY):
        return None
    spoken_otherwise = _LIKE_YOU.match(small) or _LIKE_WON.match(small)
    return small.startswith(_SILENT_H) or (small[0] in "aeiou" and spoken_otherwise is None)


def _is_spelt(word: str) -> bool:
    """Whether capitals are said one by one: an FBI agent, a UFO; but a NATO base."""
    return len(word) <= 3 or not set(word) & set("AEIOU")
