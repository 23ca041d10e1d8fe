"""Finding the words that a caller names, to keep or to drop them."""

from __future__ import annotations

from collections.abc import Collection

from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise


def find_phrase(sentence: Sentence, phrase: str) -> list[int]:
    """The indices of all words of all appearances of a word or phrase, whatever their case.

    >>> find_phrase(tokenise("He can't; we can."), "CAN"), find_phrase(tokenise("He can't."), "can't")
    ([5], [1, 2])
    """
    wanted = [word.casefold() for word in tokenise(phrase).words]
    if not wanted:
        raise LaconicError(f"there is no word in {phrase!r} to keep or drop")
    words = [word.casefold() for word in sentence.words]
    found: set[int] = set()
    for start in range(len(words) - len(wanted) + 1):
        if words[start : start + len(wanted)] == wanted:
            found.update(range(start, start + len(wanted)))
    return sorted(found)


def find_phrases(sentence: Sentence, phrases: Collection[str]) -> list[int]:
    """The indices of the words of several phrases; it is an error if one of them does not appear."""
    found: set[int] = set()
    for phrase in phrases:
        indices = find_phrase(sentence, phrase)
        if not indices:
            raise LaconicError(f"{phrase!r} is not in the sentence {sentence.text.strip()[:60]!r}")
        found.update(indices)
    return sorted(found)
