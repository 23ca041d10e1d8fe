"""Ties: words that must not be torn apart, and what is left where they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from laconic.decode.branches import TieArrays


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


tie_of: Callable[[tuple[tuple[int, ...], tuple[int, ...], str]], Tie] = partial(tuple.__new__, Tie)
"""The tie of these fields, in a third of the time that its constructor takes."""


class PricedTies:
    """The ties of a sentence of so many words with their prices, numbered, to be looked at all at once.

    Of those between the same words, the dearest says what is torn.
    """

    def __init__(self, priced: Iterable[tuple[Tie, float]], words: int) -> None:
        dearest: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Tie, float]] = {}
        for each in priced:
            tie, price = each
            between = tie[0], tie[1]
            known = dearest.get(between)
            if known is None or price > known[1]:
                dearest[between] = each
        self.ties = [tie for tie, _ in dearest.values()]
        self.prices = [price for _, price in dearest.values()]
        self._words = words
        # What is given and what is needed, in turn: their words, and how many.
        parts = [*chain.from_iterable(dearest)]
        self._places = np.array([*chain.from_iterable(parts)], np.int64)
        counts = np.array([*map(len, parts)], np.int64)
        ends = counts.cumsum()
        self._starts, self._given, self._ends = ends - counts, counts[::2], ends[1::2]

    def items(self) -> Iterator[tuple[Tie, float]]:
        """The ties with their prices."""
        return zip(self.ties, self.prices, strict=True)

    def broken(self, kept: Collection[int]) -> tuple[tuple[int, ...], float]:
        """The numbers of the ties that keeping these words breaks, and what they cost together."""
        if not self.ties:
            return (), 0.0
        stays = np.zeros(self._words, np.int64)
        stays[[*kept]] = 1
        # No product of matrices: on a long sentence that wakes threads, which take more than they give. Where nothing
        # is given, the sum is that of the first word that is needed, and 0 where the tie is broken, too.
        sums = np.add.reduceat(stays[self._places], self._starts)
        numbers = ((sums[::2] == self._given) & (sums[1::2] == 0)).nonzero()[0].tolist()
        price = 0.0
        for number in numbers:
            price += self.prices[number]
        return tuple(numbers), price

    def torn_by(self, kept: Collection[int]) -> list[tuple[Tie, float]]:
        """The ties that keeping these words breaks, with their prices."""
        return [(self.ties[number], self.prices[number]) for number in self.broken(kept)[0]]

    def arrays(self) -> TieArrays:
        """The ties with their prices as arrays, which kernels read."""
        return TieArrays(self._places, self._given, self._ends, np.array(self.prices, np.float64))


MOST_ALTERNATIVES = 6
"""Words any of which mends a tie; each is a search of its own."""


def first_few(words: Iterable[int]) -> tuple[int, ...]:
    """As many different words as a tie has alternatives."""
    return tuple(dict.fromkeys(words))[:MOST_ALTERNATIVES]
