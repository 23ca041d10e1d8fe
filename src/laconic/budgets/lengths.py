"""The best compression at every number of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from laconic.compression import Compression

if TYPE_CHECKING:
    from laconic.budgets.meeting import Meeting


class Outline(NamedTuple):
    """About what the best compression of some length looks like: its words, and a score that it does not surpass."""

    score: float
    kept: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths that a sentence can have: what is known of each at once, and the best compression when asked for.

    `outlines` holds what is known of each length that there can be.
    """

    outlines: Mapping[int, Outline]
    find: Callable[[int], Compression | None]

    @classmethod
    def of(cls, meeting: Meeting) -> Lengths:
        """The lengths of what a meeting searches."""
        outlines = {words: Outline(each.score, each.kept) for words, each in meeting.outlines().items()}
        return cls(outlines, lambda words: meeting.find(words, words))

    def __iter__(self) -> Iterator[Compression]:
        found = (self.find(words) for words in sorted(self.outlines))
        return (compression for compression in found if compression is not None)
