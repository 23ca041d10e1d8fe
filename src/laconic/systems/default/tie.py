"""Ties: words that must not be torn apart, and what is left where they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from laconic.decode.branches import Clauses


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
    """The ties of a sentence of so many words with their prices, numbered, to be looked at all at once."""

    def __init__(self, prices: Mapping[Tie, float], words: int) -> None:
        self.ties, self.prices = tuple(prices), list(prices.values())
        self._words = words
        # A tie is broken where the sum over its words, 1 for what is given and -1 for what is needed, is all that is
        # given. No product of matrices: on a long sentence that wakes threads, which take more than they give.
        named = [(*tie.given, *tie.needed) for tie in self.ties]
        self.sizes = [*map(len, named)]
        self._places = np.fromiter(chain.from_iterable(named), np.int64)
        self._starts = np.cumsum([0, *self.sizes[:-1]])
        self._given = np.array([len(tie.given) for tie in self.ties], np.int64)
        within = np.arange(len(self._places)) - self._starts.repeat(self.sizes) if self.ties else self._places
        self._worth = np.where(within < self._given.repeat(self.sizes), 1, -1)

    def broken(self, kept: Collection[int]) -> tuple[tuple[int, ...], float]:
        """The numbers of the ties that keeping these words breaks, and what they cost together."""
        if not self.ties:
            return (), 0.0
        stays = np.zeros(self._words, np.int64)
        stays[[*kept]] = 1
        sums = np.add.reduceat(self._worth * stays[self._places], self._starts)
        numbers = (sums == self._given).nonzero()[0].tolist()
        return tuple(numbers), self.cost(numbers)

    def clauses(self) -> Clauses:
        """The same as arrays."""
        ends = self._starts + np.array(self.sizes, np.int64)
        return Clauses(self._places, self._given, ends, np.array(self.prices, np.float64))

    def cost(self, numbers: Iterable[int]) -> float:
        """What breaking these ties costs."""
        price = 0.0
        for number in numbers:
            price += self.prices[number]
        return price


MOST_ALTERNATIVES = 6
"""Words any of which mends a tie; each is a search of its own."""


def first_few(words: Iterable[int]) -> tuple[int, ...]:
    """As many different words as a tie has alternatives."""
    return tuple(dict.fromkeys(words))[:MOST_ALTERNATIVES]
