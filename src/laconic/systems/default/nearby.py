"""Selections of words that differ little from a given one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations


def nearby(kept: Collection[int], free: Collection[int]) -> Iterator[tuple[int, ...]]:
    """The selection, then those with one of the free words changed, then those with two.

    >>> list(nearby((0, 2), (1, 2)))
    [(0, 2), (0, 1, 2), (0,), (0, 1)]
    """
    chosen = frozenset(kept)
    for size in range(3):
        for changed in combinations(free, size):
            yield tuple(sorted(chosen.symmetric_difference(changed)))


def every(pinned: Collection[int], free: Collection[int]) -> Iterator[tuple[int, ...]]:
    """All selections of at least one word, the longest first."""
    for size in range(len(free), -1, -1):
        for chosen in combinations(free, size):
            if pinned or chosen:
                yield tuple(sorted((*pinned, *chosen)))
