"""From words to the encoder's word pieces: what the network sees of a word."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

# Treebanks and authors write the same mark in several ways; the network is to see one.
_SURFACE = {
    "``": '"', "''": '"', "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "<<": '"', ">>": '"',
    "`": "'", "‘": "'", "’": "'", "‚": "'", "′": "'",
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "…": "...", "–": "--", "—": "--", "―": "--",
}  # fmt: skip
_INSIDE = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-"})

PADDING, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
CONTINUING = "##"
"""What a piece begins with that does not begin a word."""

LOWER, TITLE, UPPER, MIXED = range(4)

LONGEST_WORD = 100
"""Characters between spaces and marks; what is longer is unknown."""

LONGEST_READ = 400
"""Characters of a word that are looked at, spaces and marks included."""

MOST_PIECES_A_WORD = 12
"""Longer words (addresses, noise) are cut: their first pieces tell enough."""

MOST_REMEMBERED, LONGEST_REMEMBERED = 200_000, 40
"""How many words' pieces are remembered, and up to what length: some tens of megabytes."""

_REMOVED, _SPACE, _ALONE, _LETTER = "removed", "space", "alone", "letter"


def case_of(word: str) -> int:
    """How a word is written: 0 lower case or without letters, 1 Title, 2 UPPER, 3 mixed."""
    if word == word.lower():
        return LOWER
    if word[0].isupper() and word[1:] == word[1:].lower():
        return TITLE
    return UPPER if word == word.upper() else MIXED


@dataclass(frozen=True, slots=True)
class Encoded:
    """One sentence for the encoder: pieces with [CLS] and [SEP], and where each word begins and ends.

    `first` and `last` have an entry for [CLS], each word and [SEP].
    """

    ids: NDArray[np.int64]
    cases: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


class _Characters(dict[int, str]):
    """What each character is to the encoder, looked up by `str.translate` and remembered.

    Nothing, a space, a mark between spaces, or its lower-case letters without accents. Which it is stands in
    `characters.txt`, so that all Pythons agree.
    """

    def __init__(self) -> None:
        super().__init__()
        ranges = sorted(_ranges())
        self._starts = [start for start, _, _ in ranges]
        self._ends = [end for _, end, _ in ranges]
        self._kinds = [kind for _, _, kind in ranges]

    def __missing__(self, code: int) -> str:
        seen = self._seen(code)
        if len(self) < MOST_REMEMBERED:
            self[code] = seen
        return seen

    def _seen(self, code: int) -> str:
        if 0xD800 <= code <= 0xDFFF:
            return " ? "  # half of a character
        kind = self._kind(code)
        if kind in (_REMOVED, _SPACE):
            return " " if kind == _SPACE else ""
        parts = [part for part in normalize("NFD", chr(code)) if self._kind(ord(part)) != _REMOVED]
        # Lower case has no context here: a final sigma is like any other.
        letters = "".join(part.lower() for part in parts)
        return f" {letters} " if kind == _ALONE else letters

    def _kind(self, code: int) -> str:
        place = bisect_right(self._starts, code) - 1
        return self._kinds[place] if place >= 0 and code <= self._ends[place] else _LETTER


def _ranges() -> Iterator[tuple[int, int, str]]:
    text = resources.files("laconic.annotate").joinpath("characters.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        kind, _, ranges = line.partition(":")
        if kind in (_REMOVED, _SPACE, _ALONE):
            for written in ranges.split():
                start, _, end = written.partition("-")
                yield int(start, 16), int(end or start, 16), kind


_CHARACTERS = _Characters()


class Pieces:
    """A word-piece vocabulary; words are lower-cased and stripped of accents, their case is told apart."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._ids = dict(vocabulary)
        self._continuing = {
            piece.removeprefix(CONTINUING): number
            for piece, number in self._ids.items()
            if piece.startswith(CONTINUING)
        }
        self._longest = max(map(len, self._ids))
        self._known: dict[str, tuple[int, ...]] = {}
        self.start, self.end, self.unknown = (self._ids[mark] for mark in (START, END, UNKNOWN))

    def of_word(self, word: str) -> tuple[int, ...]:
        """The piece ids of one word: at least one, at most MOST_PIECES_A_WORD."""
        found = self._known.get(word)
        if found is None:
            visible = _SURFACE.get(word) or word.translate(_INSIDE)
            parts = visible[:LONGEST_READ].translate(_CHARACTERS).split(" ")
            ids = [number for part in parts if part for number in self._of_part(part)]
            found = tuple(ids[:MOST_PIECES_A_WORD]) or (self.unknown,)
            if len(word) <= LONGEST_REMEMBERED and len(self._known) < MOST_REMEMBERED:
                self._known[word] = found
        return found

    def _of_part(self, part: str) -> Sequence[int]:
        """From the left, always the longest piece that fits; unknown as a whole if one place has none."""
        if len(part) > LONGEST_WORD:
            return (self.unknown,)
        ids: list[int] = []
        start, pieces = 0, self._ids
        while start < len(part):
            for end in range(min(len(part), start + self._longest), start, -1):
                number = pieces.get(part[start:end])
                if number is not None:
                    break
            else:
                return (self.unknown,)
            ids.append(number)
            start, pieces = end, self._continuing
        return ids

    def encode(self, words: Sequence[str]) -> Encoded:
        """All pieces of a sentence."""
        ids, cases = [self.start], [LOWER]
        first, last = [0], [0]
        for word in words:
            pieces = self.of_word(word)
            first.append(len(ids))
            ids.extend(pieces)
            cases.extend([case_of(word)] * len(pieces))
            last.append(len(ids) - 1)
        first.append(len(ids))
        last.append(len(ids))
        ids.append(self.end)
        cases.append(LOWER)
        return Encoded(*(np.array(column, dtype=np.int64) for column in (ids, cases, first, last)))
