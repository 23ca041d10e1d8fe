"""Counting the n-grams of a corpus by sorting packed numbers, not by dictionaries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Int64
from laconic.ngram.vocabulary import BEGIN, END


@dataclass(frozen=True, slots=True)
class Level:
    """All n-grams of one order, sorted by (prefix, word).

    N-gram v is the n-gram `prefixes[v]` of the order below followed by `words[v]`; without its first
    word it is the n-gram `suffixes[v]` of the order below. `counts` are its occurrences; `opens` tells
    whether it starts with the begin of a sentence. Of order 1 there is one n-gram for each word.
    """

    prefixes: Int64
    suffixes: Int64
    words: Int64
    counts: Int64
    opens: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.words)


def count_ngrams(tokens: NDArray[np.int32], *, order: int, vocabulary_size: int) -> list[Level]:
    """Count the n-grams of order 1 to `order` within sentences; `tokens` are as `encode_corpus` writes them.

    An n-gram that starts at position t is number(n-1-gram at t) * V + its last word, so one sort of the
    positions' numbers per order counts them and puts them in the order of the trie. O(order * T log T).
    """
    unigrams = np.arange(vocabulary_size, dtype=np.int64)
    none = np.zeros(vocabulary_size, dtype=np.int64)
    counts = np.bincount(tokens, minlength=vocabulary_size)
    levels = [Level(none, none, unigrams, counts, unigrams == BEGIN)]
    starts = np.arange(len(tokens))
    numbers = tokens.astype(np.int64)  # number of the n-gram that starts at each position
    for length in range(2, order + 1):
        starts = starts[tokens[starts + length - 2] != END]
        keys = numbers[starts] * vocabulary_size + tokens[starts + length - 1]
        distinct, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        suffixes = np.empty(len(distinct), dtype=np.int64)
        suffixes[inverse] = numbers[starts + 1]
        prefixes = distinct // vocabulary_size
        levels.append(
            Level(prefixes, suffixes, distinct % vocabulary_size, counts, levels[-1].opens[prefixes])
        )
        numbers = np.full(len(tokens), -1, dtype=np.int64)
        numbers[starts] = inverse
    return levels
