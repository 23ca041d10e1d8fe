"""Brute-force twins of the annotator's decoders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product


def bracketings(start: int, end: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every binary bracketing of words start … end-1, as its set of spans."""
    if end - start == 1:
        yield ((start, end),)
        return
    for split in range(start + 1, end):
        for left in bracketings(start, split):
            for right in bracketings(split, end):
                yield ((start, end), *left, *right)


def best_bracketing_gain(gains: Sequence[Sequence[float]]) -> float:
    n = len(gains) - 1
    return max(sum(max(0.0, gains[i][j]) for i, j in spans) for spans in bracketings(0, n))


def is_projective_tree(heads: Sequence[int]) -> bool:
    """One root, no cycle, and every word between a head and its dependent descends from the head."""
    n = len(heads)
    if sum(head == -1 for head in heads) != 1:
        return False

    def ancestors(word: int) -> set[int]:
        seen: set[int] = set()
        while word != -1 and word not in seen:
            seen.add(word)
            word = heads[word]
        return seen if word == -1 else {-2}

    lines = [ancestors(word) for word in range(n)]
    if any(-2 in line for line in lines):
        return False
    return all(
        head in lines[between]
        for word, head in enumerate(heads)
        if head >= 0
        for between in range(min(word, head) + 1, max(word, head))
    )


@cache
def projective_trees(n: int) -> tuple[tuple[int, ...], ...]:
    """All projective single-root trees over n words."""
    return tuple(heads for heads in product(range(-1, n), repeat=n) if is_projective_tree(heads))


def tree_score(scores: Sequence[Sequence[float]], heads: Sequence[int]) -> float:
    return sum(scores[word + 1][head + 1] for word, head in enumerate(heads))
