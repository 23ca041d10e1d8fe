"""From words to the encoder's word pieces: what the network sees of a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

# Treebanks and authors write the same mark in several ways; the network is to see one.
_SURFACE = {
    "``": '"', "''": '"', "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "<<": '"', ">>": '"',
    "`": "'", "‘": "'", "’": "'", "‚": "'", "′": "'",
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "…": "...", "–": "--", "—": "--", "―": "--",
}  # fmt: skip
_INSIDE = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-"})

PADDING, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
LOWER, TITLE, UPPER, MIXED = range(4)

MOST_PIECES_A_WORD = 12
"""Longer words (addresses, noise) are cut: their first pieces tell enough."""

MOST_REMEMBERED, LONGEST_REMEMBERED = 200_000, 40
"""How many words' pieces are remembered, and up to what length: some tens of megabytes."""


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


class Pieces:
    """A word-piece vocabulary; words are lower-cased and stripped of accents, their case is told apart."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._ids = dict(vocabulary)
        tokenizer = Tokenizer(models.WordPiece(self._ids, unk_token=UNKNOWN, max_input_chars_per_word=100))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        self._tokenizer = tokenizer
        self._known: dict[str, tuple[int, ...]] = {}
        self.start, self.end, self.unknown = (self._ids[mark] for mark in (START, END, UNKNOWN))

    def of_word(self, word: str) -> tuple[int, ...]:
        """The piece ids of one word: at least one, at most MOST_PIECES_A_WORD."""
        found = self._known.get(word)
        if found is None:
            visible = _SURFACE.get(word) or word.translate(_INSIDE)
            # Lone surrogates cannot cross into the tokenizer; they are unknown characters to it anyway.
            visible = visible.encode("utf-8", "replace").decode("utf-8")[:400]
            ids = self._tokenizer.encode(visible, add_special_tokens=False).ids
            found = tuple(ids[:MOST_PIECES_A_WORD]) or (self.unknown,)
            if len(word) <= LONGEST_REMEMBERED and len(self._known) < MOST_REMEMBERED:
                self._known[word] = found
        return found

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
