"""Ties: words that must not be torn apart, and what is left where they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tie:
    """If all of `given` are kept (always, if there is none), one of `needed` must be kept too.

    `torn` says what is left where it is not.
    """

    given: tuple[int, ...]
    needed: tuple[int, ...]
    torn: str

    def broken_by(self, kept: frozenset[int]) -> bool:
        """Whether a compression keeps all of `given` and none of `needed`."""
        return kept.issuperset(self.given) and kept.isdisjoint(self.needed)


MOST_ALTERNATIVES = 6
"""Words any of which mends a tie; each is a search of its own."""


def first_few(words: Iterable[int]) -> tuple[int, ...]:
    """As many different words as a tie has alternatives."""
    return tuple(dict.fromkeys(words))[:MOST_ALTERNATIVES]
