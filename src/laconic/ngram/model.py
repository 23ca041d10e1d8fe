"""The back-off n-gram language model: a frozen value that scores words, sentences and texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.errors import LaconicError
from laconic.ngram.tables import Tables, log_probability, score_tokens, state_start
from laconic.ngram.vocabulary import BEGIN, END, UNKNOWN, Vocabulary

State: TypeAlias = tuple[int, ...]
"""What a model remembers of the words so far: ids, oldest first, no more than future scores depend on.

States are equal exactly when all continuations score alike as far as the model's tables can tell, so
they are the keys by which a search recombines its hypotheses.
"""

_NO_CONTEXT = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Perplexity:
    """How well a model predicts a text: sums over its tokens, each sentence's end included."""

    sentences: int
    tokens: int
    unknown: int
    log_probability: float
    known_log_probability: float

    def __add__(self, other: Perplexity) -> Perplexity:
        return Perplexity(
            self.sentences + other.sentences,
            self.tokens + other.tokens,
            self.unknown + other.unknown,
            self.log_probability + other.log_probability,
            self.known_log_probability + other.known_log_probability,
        )

    @property
    def perplexity(self) -> float | None:
        """exp(-ln p / tokens), unknown words counted as the unknown word; None for an empty text."""
        return math.exp(-self.log_probability / self.tokens) if self.tokens else None

    @property
    def known_perplexity(self) -> float | None:
        """The same over the known tokens alone; None if there are none."""
        known = self.tokens - self.unknown
        return math.exp(-self.known_log_probability / known) if known else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NgramModel:
    """An n-gram model in back-off form.

    `offsets[k]` is the first node of order k + 1 in `tables`, `offsets[order]` the number of nodes.
    Scores are natural logarithms; a sentence is scored between its boundaries.
    """

    vocabulary: Vocabulary
    offsets: tuple[int, ...]
    tables: Tables

    def __repr__(self) -> str:
        return f"<NgramModel of order {self.order}: {len(self.vocabulary)} words, {self.offsets[-1]} n-grams>"

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.offsets) - 1

    def state(self, history: Sequence[int]) -> State:
        """The state after a history of ids, oldest first."""
        recent = tuple(int(word) for word in history[max(0, len(history) - self.order + 1) :])
        return recent[state_start(self.tables, np.array(recent, dtype=np.int32), len(recent)) :]

    def score_id(self, state: State, word: int) -> tuple[State, float]:
        """The state after `word` and ln p(word | state), for the id of a word."""
        if not 0 <= word < len(self.vocabulary):
            raise LaconicError(f"{word} is not a word id; they run from 0 to {len(self.vocabulary) - 1}")
        context = np.array(state, dtype=np.int32) if state else _NO_CONTEXT
        return self.state((*state, word)), float(log_probability(self.tables, context, 0, len(context), word))

    def score(self, state: State, word: str) -> tuple[State, float]:
        """The state after `word` and ln p(word | state), for a word as it stands in a text."""
        return self.score_id(state, self.vocabulary.id(word))

    def score_ids(self, ids: ArrayLike) -> NDArray[np.float64]:
        """ln p of each word of a sentence given those before it, and of the sentence's end, last; for ids."""
        tokens = np.concatenate([[BEGIN], np.asarray(ids, dtype=np.int32), [END]], dtype=np.int32)
        if tokens.min() < 0 or tokens.max() >= len(self.vocabulary):
            raise LaconicError(
                f"word ids run from 0 to {len(self.vocabulary) - 1}, "
                f"these from {tokens.min()} to {tokens.max()}"
            )
        scores: NDArray[np.float64] = score_tokens(self.tables, self.order, BEGIN, tokens)[1:]
        return scores

    def score_words(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The same for words as they stand in a text."""
        return self.score_ids(self.vocabulary.ids(words))

    def score_sentence(self, words: Sequence[str]) -> float:
        """ln p(words and the end of the sentence | its begin)."""
        return float(self.score_words(words).sum())

    def perplexity(self, sentences: Iterable[Sequence[str]]) -> Perplexity:
        """Score many sentences."""
        chunks = [self._tokens(words) for words in sentences]
        tokens = np.concatenate(chunks) if chunks else _NO_CONTEXT
        scores = score_tokens(self.tables, self.order, BEGIN, tokens)
        unknown = tokens == UNKNOWN
        return Perplexity(
            sentences=len(chunks),
            tokens=len(tokens) - len(chunks),
            unknown=int(unknown.sum()),
            log_probability=float(scores.sum()),
            known_log_probability=float(scores[~unknown].sum()),
        )

    def ngrams(self, order: int) -> NDArray[np.int32]:
        """The listed n-grams of one order, one row of ids each, in the order of their nodes."""
        if not 1 <= order <= self.order:
            raise LaconicError(f"this model lists n-grams of 1 to {self.order} words, not of {order}")
        rows = np.arange(self.offsets[1], dtype=np.int32)[:, np.newaxis]
        for length in range(2, order + 1):
            first, last = self.offsets[length - 2], self.offsets[length - 1]
            fan_out = np.diff(self.tables.children[first : last + 1])
            ends = self.tables.words[last : self.offsets[length]].astype(np.int32)
            rows = np.column_stack([np.repeat(rows, fan_out, axis=0), ends])
        return rows

    def _tokens(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.concatenate([[BEGIN], self.vocabulary.ids(words), [END]], dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Listing:
    """The n-grams of one order, sorted by (prefix, word), with their values.

    `prefixes[v]` is the place of n-gram v without its last word in the listing of the order below
    (anything for order 1, whose n-grams are all the words in order of their ids).
    """

    prefixes: NDArray[np.int64]
    words: NDArray[Any]
    probabilities: NDArray[Any]
    backoffs: NDArray[Any]


def assemble(vocabulary: Vocabulary, listings: Sequence[Listing]) -> NgramModel:
    """Build a model from the listings of order 1, 2, …; the back-off weights of the last are not used."""
    sizes = [len(listing.words) for listing in listings]
    offsets = (0, *np.cumsum(sizes).tolist())
    children = [np.zeros(0, dtype=np.int64)]
    for level, (below, size) in enumerate(zip(listings[1:], sizes, strict=False), start=1):
        children.append(offsets[level] + np.searchsorted(below.prefixes, np.arange(size)))
    tables = Tables(
        words=np.concatenate([listing.words for listing in listings]).astype(word_type(len(vocabulary))),
        children=np.append(np.concatenate(children), offsets[-1]).astype(np.int32),
        probabilities=np.concatenate([listing.probabilities for listing in listings]).astype(np.float32),
        backoffs=np.concatenate(
            [np.zeros(0), *(listing.backoffs for listing in listings[:-1])],
        ).astype(np.float32),
    )
    for array in tables:
        array.setflags(write=False)
    return NgramModel(vocabulary, offsets, tables)


def word_type(vocabulary_size: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that `Tables.words` uses for a vocabulary."""
    return np.uint16 if vocabulary_size <= 1 << 16 else np.uint32
