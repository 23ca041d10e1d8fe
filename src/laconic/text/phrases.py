"""Finding the words that a caller names, to keep or to drop them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

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
    # The same words, however they are spaced; or the same letters, however they are cut: the last stop of a phrase
    # by itself ends a sentence, within one it may belong to an abbreviation.
    return sorted({*_appearances(sentence, wanted, _cut), *_appearances(sentence, wanted, _spaced)})


def find_phrases(sentence: Sentence, phrases: str | Collection[str]) -> list[int]:
    """The indices of the words of several phrases; it is an error if one of them does not appear."""
    found: set[int] = set()
    for phrase in phrases_of(phrases):
        indices = find_phrase(sentence, phrase)
        if not indices:
            raise LaconicError(f"{phrase!r} is not in the sentence {sentence.text.strip()[:60]!r}")
        found.update(indices)
    return sorted(found)


def _cut(sentence: Sentence) -> list[tuple[str, str]]:
    return [(word.casefold(), "\0") for word in sentence.words]  # which is in no word


def _spaced(sentence: Sentence) -> list[tuple[str, str]]:
    return [
        (word.casefold(), " " if space else "")
        for word, space in zip(sentence.words, sentence.spaces, strict=True)
    ]


def _appearances(
    sentence: Sentence, wanted: Sentence, pieces: Callable[[Sentence], list[tuple[str, str]]]
) -> Iterator[int]:
    """The words of the runs that are written as the phrase is, where a sentence is written in such pieces."""
    starts, ends, position = {}, {}, 0
    for index, (word, gap) in enumerate(pieces(sentence)):
        starts[position], ends[position + len(word)] = index, index + 1
        position += len(word) + len(gap)
    written = "".join(word + gap for word, gap in pieces(sentence))
    sought = "".join(word + gap for word, gap in pieces(wanted)).rstrip("\0 ")
    done = 0
    for start, index in starts.items():
        end = ends.get(start + len(sought), 0) if written.startswith(sought, start) else 0
        yield from range(max(index, done), end)
        done = max(done, end)
