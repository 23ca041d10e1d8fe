"""Finding the words that a caller names, to keep or to drop them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise


def phrases_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """The words and phrases that a caller gives; a string is one phrase, what else is not several is an error.

    >>> phrases_of("can't"), phrases_of(["U.S.", "late"])
    (("can't",), ('U.S.', 'late'))
    """
    if isinstance(given, str):
        return (given,)
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise LaconicError(f"words to keep or drop are given as a list of strings, not {given!r}")
    phrases = tuple(given)
    for phrase in phrases:
        if not isinstance(phrase, str):
            raise LaconicError(f"a word or phrase to keep or drop is a string, not {phrase!r}")
    return phrases


def find_phrase(sentence: Sentence, phrase: str) -> list[int]:
    """The indices of all words of all appearances of a word or phrase, whatever their case.

    >>> find_phrase(tokenise("He can't; we can."), "CAN"), find_phrase(tokenise("He can't."), "can't")
    ([5], [1, 2])
    >>> find_phrase(tokenise("The U.S. team left the U.S."), "U.S.")
    [1, 5, 6]
    """
    wanted = tokenise(phrase)
    if not wanted.words:
        raise LaconicError(f"there is no word in {phrase!r} to keep or drop")
    words = [word.casefold() for word in sentence.words]
    # A phrase is cut as if it were a sentence; within another, its last stop may belong to its last word.
    found = {*_cut_alike(words, wanted), *_spelt_alike(words, sentence.spaces, wanted)}
    return sorted(found)


def find_phrases(sentence: Sentence, phrases: str | Collection[str]) -> list[int]:
    """The indices of the words of several phrases; it is an error if one of them does not appear."""
    found: set[int] = set()
    for phrase in phrases_of(phrases):
        indices = find_phrase(sentence, phrase)
        if not indices:
            raise LaconicError(f"{phrase!r} is not in the sentence {sentence.text.strip()[:60]!r}")
        found.update(indices)
    return sorted(found)


def _cut_alike(words: list[str], wanted: Sentence) -> Iterator[int]:
    """The words that are those of the phrase, one by one, however they are spaced."""
    sought = [word.casefold() for word in wanted.words]
    for start in range(len(words) - len(sought) + 1):
        if words[start : start + len(sought)] == sought:
            yield from range(start, start + len(sought))


def _spelt_alike(words: list[str], spaces: tuple[str, ...], wanted: Sentence) -> Iterator[int]:
    """The words that are written as the phrase is, however it would be cut by itself."""
    sought = "".join(
        word.casefold() + " " * bool(space) for word, space in zip(wanted.words, wanted.spaces, strict=True)
    ).rstrip(" ")
    for start in range(len(words)):
        written = ""
        for index in range(start, len(words)):
            written += words[index]
            if written == sought:
                yield from range(start, index + 1)
            if not sought.startswith(written):
                break
            written += " " * bool(spaces[index])
