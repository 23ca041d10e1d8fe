"""The k best compressions that differ in their words, out of a search that can pin words in and out."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator

from laconic.decode.contract import Solution

Pins = tuple[bool | None, ...]
"""For each word: kept, dropped, or free (None)."""


def distinct_words(search: Callable[[Pins], Solution | None], words: int) -> Iterator[Solution]:
    """All compressions with different words, from the best down, each with its best structure.

    Lawler's partition: once an answer is given, what remains is split by the first free word on which a
    compression differs from it; the words before are pinned as in the answer and the word itself is
    pinned the other way. The best of each cell is one search, so k answers take at most k·n of them.
    """
    heap: list[tuple[float, int, Solution, int]] = []
    discovered = itertools.count()

    def push(pins: Pins, free: int) -> None:
        found = search(pins)
        if found is not None:
            heapq.heappush(heap, (-found.score, next(discovered), found, free))

    push((None,) * words, 0)
    while heap:
        _, _, answer, free = heapq.heappop(heap)
        yield answer
        kept = set(answer.kept)
        # Everything before `free` is pinned as this answer has it.
        fate = tuple(word in kept for word in range(words))
        for word in range(free, words):
            push((*fate[:word], not fate[word], *(None,) * (words - word - 1)), word + 1)
