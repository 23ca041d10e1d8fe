"""The best compression at every number of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from laconic.budgets.meeting import Meeting
from laconic.compression import Compression
from laconic.decode.contract import Solution


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths that a sentence can have: what is known of each at once, and the best compression when asked for.

    `outlines` holds for each length a compression that scores at least as much as the best one, and looks like it.
    """

    outlines: Mapping[int, Solution]
    find: Callable[[int], Compression | None]

    @classmethod
    def of(cls, meeting: Meeting) -> Lengths:
        """The lengths of what a meeting searches."""
        return cls(meeting.outlines(), lambda words: meeting.find(words, words))

    def __iter__(self) -> Iterator[Compression]:
        found = (self.find(words) for words in sorted(self.outlines))
        return (compression for compression in found if compression is not None)
