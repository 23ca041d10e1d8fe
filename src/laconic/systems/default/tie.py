"""Ties: words that must not be torn apart, and what is left where they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from laconic.arrays import Int64
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


class ListedTies(NamedTuple):
    """Ties with their prices as arrays, and what is left where each is torn."""

    arrays: TieArrays
    torn: list[str]

    def tie(self, number: int) -> Tie:
        """One of them."""
        words, given, ends, _ = self.arrays
        begin, end = ends[number - 1] if number else 0, ends[number]
        needed = begin + given[number]
        return Tie(tuple(words[begin:needed].tolist()), tuple(words[needed:end].tolist()), self.torn[number])

    def items(self) -> Iterator[tuple[Tie, float]]:
        """The ties with their prices."""
        return zip(map(self.tie, range(len(self.torn))), self.arrays.prices.tolist(), strict=True)


def listed(priced: Iterable[tuple[Tie, float]]) -> ListedTies:
    """Ties that were made one by one."""
    ties, prices = zip(*both, strict=True) if (both := [*priced]) else ((), ())
    parts = [part for tie in ties for part in (tie.given, tie.needed)]
    sizes = np.array([*map(len, parts)], np.int64)
    words = np.array([*chain.from_iterable(parts)], np.int64)
    arrays = TieArrays(words, sizes[::2], sizes.cumsum()[1::2], np.array(prices, np.float64))
    return ListedTies(arrays, [tie.torn for tie in ties])


class PricedTies:
    """The ties of a sentence of so many words with their prices, numbered, to be looked at all at once.

    Of those between the same words, the dearest says what is torn; what costs nothing is left out.
    """

    def __init__(self, first: ListedTies, second: ListedTies, words: int) -> None:
        mine, others = first.arrays, second.arrays
        later = others._replace(ends=others.ends + len(mine.words))
        columns: Iterator[Any] = map(np.concatenate, zip(mine, later, strict=True))
        ties = TieArrays(*columns)
        torn, begins = first.torn + second.torn, np.concatenate(([0], ties.ends))[:-1]
        chosen = _dearest(ties, begins)
        self.torn = [torn[number] for number in chosen]
        begins, sizes, given = begins[chosen], (ties.ends - begins)[chosen], ties.given[chosen]
        ends = sizes.cumsum()
        moved = np.repeat(begins - ends + sizes, sizes) + np.arange(sizes.sum())
        self.arrays = TieArrays(ties.words[moved], given, ends, ties.prices[chosen])
        self._listed = ListedTies(self.arrays, self.torn)
        self.prices: list[float] = self.arrays.prices.tolist()
        self._words = words
        # Where what is given begins, and what is needed, in turn.
        self._starts = np.stack((ends - sizes, ends - sizes + given), axis=1).ravel()

    def items(self) -> Iterator[tuple[Tie, float]]:
        """The ties with their prices."""
        return self._listed.items()

    def broken(self, kept: Collection[int]) -> tuple[tuple[int, ...], float]:
        """The numbers of the ties that keeping these words breaks, and what they cost together."""
        if not self.prices:
            return (), 0.0
        stays = np.zeros(self._words, np.int64)
        stays[[*kept]] = 1
        # No product of matrices: on a long sentence that wakes threads, which take more than they give. Where nothing
        # is given, the sum is that of the first word that is needed, and 0 where the tie is broken, too.
        sums = np.add.reduceat(stays[self.arrays.words], self._starts)
        numbers = ((sums[::2] == self.arrays.given) & (sums[1::2] == 0)).nonzero()[0].tolist()
        price = 0.0
        for number in numbers:
            price += self.prices[number]
        return tuple(numbers), price

    def torn_by(self, kept: Collection[int]) -> list[tuple[Tie, float]]:
        """The ties that keeping these words breaks, with their prices."""
        return [(self._listed.tie(number), self.prices[number]) for number in self.broken(kept)[0]]


def _dearest(ties: TieArrays, begins: Int64) -> list[int]:
    """The numbers of the dearest ties between different words, in the order in which those come first."""
    text, size, prices = ties.words.tobytes(), ties.words.itemsize, ties.prices.tolist()
    places = zip(
        prices, ties.given.tolist(), (size * begins).tolist(), (size * ties.ends).tolist(), strict=True
    )
    found: dict[tuple[int, bytes], int] = {}
    for number, (price, given, begin, end) in enumerate(places):
        if price > 0.0:
            between = given, text[begin:end]
            known = found.setdefault(between, number)
            if price > prices[known]:
                found[between] = number
    return [*found.values()]


MOST_ALTERNATIVES = 6
"""Words any of which mends a tie; each is a search of its own."""


def first_few(words: Iterable[int]) -> tuple[int, ...]:
    """As many different words as a tie has alternatives."""
    return tuple(dict.fromkeys(words))[:MOST_ALTERNATIVES]
