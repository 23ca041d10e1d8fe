"""Ties: words that must not be torn apart, and what is left where they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


def bits(words: Iterable[int]) -> int:
    """A set of words as the bits of an integer: ties are looked at by the hundred, and most hold."""
    found = 0
    for word in words:
        found |= 1 << word
    return found


@dataclass(frozen=True, slots=True)
class Tie:
    """If all of `given` are kept (always, if there is none), one of `needed` must be kept too.

    `torn` says what is left where it is not.
    """

    given: tuple[int, ...]
    needed: tuple[int, ...]
    torn: str
    given_bits: int = field(init=False, compare=False, repr=False)
    needed_bits: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "given_bits", bits(self.given))
        object.__setattr__(self, "needed_bits", bits(self.needed))

    def broken_by(self, kept: frozenset[int]) -> bool:
        """Whether a compression keeps all of `given` and none of `needed`."""
        return kept.issuperset(self.given) and kept.isdisjoint(self.needed)


MOST_ALTERNATIVES = 6
"""Words any of which mends a tie; each is a search of its own."""


def first_few(words: Iterable[int]) -> tuple[int, ...]:
    """As many different words as a tie has alternatives."""
    return tuple(dict.fromkeys(words))[:MOST_ALTERNATIVES]
