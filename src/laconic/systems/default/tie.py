"""Ties: words that must not be torn apart, and what is left where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.kernel import kernel


class Tie(NamedTuple):
    """If all of `given` are kept (always, if there is none), one of `needed` must be kept too.

    `torn` says what is left where it is not.
    """

    given: tuple[int, ...]
    needed: tuple[int, ...]
    torn: str

    def broken_by(self, kept: frozenset[int]) -> bool:
        """Whether a compression keeps all of `given` and none of `needed`."""
        return kept.issuperset(self.given) and kept.isdisjoint(self.needed)


class PricedTies:
    """The ties of one sentence with their prices, numbered, to be looked at all at once."""

    def __init__(self, prices: Mapping[Tie, float]) -> None:
        self.ties = tuple(prices)
        self.prices = np.fromiter(prices.values(), np.float64, len(prices))
        self._given = _Rows.of(tie.given for tie in self.ties)
        self._needed = _Rows.of(tie.needed for tie in self.ties)

    def dearer(self, harshness: float) -> PricedTies:
        """The same ties at so many times their prices."""
        found = copy(self)
        found.prices = harshness * self.prices
        return found

    def broken(self, kept: Iterable[int]) -> tuple[tuple[int, ...], float]:
        """The numbers of the ties that keeping these words breaks, and what they cost together."""
        numbers, price = _broken(np.array([*kept], np.int64), self._given, self._needed, self.prices)
        return tuple(numbers.tolist()), price


class _Rows(NamedTuple):
    """Rows of words, one after the other: row r is words[starts[r] : starts[r + 1]]."""

    words: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Iterator[tuple[int, ...]]) -> _Rows:
        found = list(rows)
        words = np.fromiter(chain.from_iterable(found), np.int64)
        return cls(words, np.cumsum([0, *map(len, found)]))


@kernel
def _broken(
    kept: NDArray[np.int64], given: _Rows, needed: _Rows, prices: NDArray[np.float64]
) -> tuple[NDArray[np.int64], float]:
    highest = -1
    for words in (kept, given.words, needed.words):
        for word in words:
            highest = max(highest, word)
    stays = np.zeros(highest + 1, np.bool_)
    for word in kept:
        stays[word] = True
    found = np.empty(len(prices), np.int64)
    size, price = 0, 0.0
    for tie in range(len(prices)):
        torn = True
        for i in range(given.starts[tie], given.starts[tie + 1]):
            torn = torn and stays[given.words[i]]
        for i in range(needed.starts[tie], needed.starts[tie + 1]):
            torn = torn and not stays[needed.words[i]]
        if torn:
            found[size] = tie
            size += 1
            price += prices[tie]
    return found[:size], price


MOST_ALTERNATIVES = 6
"""Words any of which mends a tie; each is a search of its own."""


def first_few(words: Iterable[int]) -> tuple[int, ...]:
    """As many different words as a tie has alternatives."""
    return tuple(dict.fromkeys(words))[:MOST_ALTERNATIVES]
