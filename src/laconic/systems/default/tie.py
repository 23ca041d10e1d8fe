"""Ties: words that must not be torn apart, and what is left where they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from laconic.arrays import Int64
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
    """The ties of a sentence of so many words with their prices, numbered, to be looked at all at once."""

    def __init__(self, prices: Mapping[Tie, float], words: int) -> None:
        self.ties, self.prices = tuple(prices), list(prices.values())
        self._words = words
        named = [(*tie.given, *tie.needed) for tie in self.ties]
        self.sizes = [*map(len, named)]
        self._places = np.fromiter(chain.from_iterable(named), np.int64)
        self._given = np.array([len(tie.given) for tie in self.ties], np.int64)
        self._ends = np.fromiter(accumulate(self.sizes), np.int64)

    def dearer(self, harshness: float) -> PricedTies:
        """The same ties at so many times their prices."""
        found = copy(self)
        found.prices = [harshness * price for price in self.prices]
        return found

    def broken(self, kept: Sequence[int]) -> tuple[tuple[int, ...], float]:
        """The numbers of the ties that keeping these words breaks, and what they cost together."""
        numbers = tuple(_broken(np.array(kept, np.int64), self._words, self._places, self._given, self._ends).tolist())
        return numbers, self.cost(numbers)

    def cost(self, numbers: Iterable[int]) -> float:
        """What breaking these ties costs."""
        price = 0.0
        for number in numbers:
            price += self.prices[number]
        return price


@kernel
def _broken(kept: Int64, words: int, places: Int64, given: Int64, ends: Int64) -> Int64:
    stays = np.zeros(words, np.bool_)
    for word in kept:
        stays[word] = True
    found, count, place = np.empty(len(ends), np.int64), 0, 0
    for tie in range(len(ends)):
        needed, broken = place + given[tie], True
        for each in range(place, ends[tie]):
            broken = broken and stays[places[each]] == (each < needed)
        if broken:
            found[count] = tie
            count += 1
        place = ends[tie]
    return found[:count]


MOST_ALTERNATIVES = 6
"""Words any of which mends a tie; each is a search of its own."""


def first_few(words: Iterable[int]) -> tuple[int, ...]:
    """As many different words as a tie has alternatives."""
    return tuple(dict.fromkeys(words))[:MOST_ALTERNATIVES]
