"""Which of "a" and "an" goes with the word that follows."""

from __future__ import annotations

# Beginnings of words that are spoken with a vowel, and with a consonant, against their letters.
_SILENT_H = ("hour", "honest", "honor", "honour", "heir")
_CONSONANTAL_VOWEL = (
    "uni",
    "use",
    "usu",
    "usa",
    "eu",
    "ewe",
    "one",
    "once",
    "uk",
    "ute",
    "uti",
    "uto",
    "ubi",
)
_SPELT_WITH_A_VOWEL = frozenset("FHLMNRSX")


def fitting_article(article: str, following: str) -> str:
    """The article, which is "a" or "an" in small or large letters, as it is spoken before a word.

    >>> fitting_article("an", "violin"), fitting_article("A", "hour"), fitting_article("a", "7")
    ('a', 'An', 'a')
    """
    if not following[0].isalpha():
        return article
    letter = article[0]
    if not _starts_with_vowel(following):
        return letter
    return letter + ("N" if article.isupper() and len(article) > 1 else "n")


def _starts_with_vowel(word: str) -> bool:
    if len(word) > 1 and word.isupper() and not set(word) & set("AEIOU"):
        return word[0] in _SPELT_WITH_A_VOWEL  # spelt out: an MP
    small = word.casefold()
    return small.startswith(_SILENT_H) or (small[0] in "aeiou" and not small.startswith(_CONSONANTAL_VOWEL))
