"""Where "a" and "an" would meet a word they do not go with."""

from __future__ import annotations

from laconic.sentence import Sentence
from laconic.systems.default.lexicon import CONSONANTAL_VOWEL, SILENT_H

_REACH = 12  # words after an article among which its noun may be found


def clashing_articles(sentence: Sentence) -> list[tuple[int, int]]:
    """The pairs of "a" or "an" and a later word that would not follow it in speech.

    >>> from laconic.text.tokenise import tokenise
    >>> clashing_articles(tokenise("an old violin"))
    [(0, 2)]
    """
    words = sentence.words
    return [
        (article, later)
        for article, word in enumerate(words)
        if word.casefold() in ("a", "an")
        for later in range(article + 2, min(len(words), article + _REACH))
        if words[later][0].isalpha() and _starts_with_vowel(words[later]) != (word.casefold() == "an")
    ]


def _starts_with_vowel(word: str) -> bool:
    if len(word) > 1 and word.isupper() and not set(word) & set("AEIOU"):
        return word[0] in "FHLMNRSX"  # spelt out: an MP
    small = word.casefold()
    if small.startswith(SILENT_H):
        return True
    return small[0] in "aeiou" and not small.startswith(CONSONANTAL_VOWEL)
