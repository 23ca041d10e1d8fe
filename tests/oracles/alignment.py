"""Alignments by enumeration and by the literal definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from laconic.trees.alignment.edits import Edit
from laconic.trees.constituency import Tree


def last_deletion(source: Sequence[str], target: Sequence[str]) -> tuple[int, ...] | None:
    """The placement of the target whose positions, read from the end, are the greatest; None if none fits."""
    placements = [
        kept
        for kept in combinations(range(len(source)), len(target))
        if [source[i] for i in kept] == list(target)
    ]
    return max(placements, key=lambda kept: kept[::-1], default=None)


def fewest_edits(source: Sequence[str], target: Sequence[str], *, substitute: bool) -> tuple[Edit, ...]:
    """The first of all edit sequences by (edits, -matches, the edits read from the end)."""
    return min(
        _edit_sequences(source, target, substitute=substitute),
        key=lambda edits: (len(edits) - edits.count(Edit.MATCH), -edits.count(Edit.MATCH), edits[::-1]),
    )


def _edit_sequences(
    source: Sequence[str], target: Sequence[str], *, substitute: bool
) -> Iterator[tuple[Edit, ...]]:
    if not source and not target:
        yield ()
    if source:
        for rest in _edit_sequences(source[1:], target, substitute=substitute):
            yield (Edit.DELETE, *rest)
    if target:
        for rest in _edit_sequences(source, target[1:], substitute=substitute):
            yield (Edit.INSERT, *rest)
    if source and target and (source[0] == target[0] or substitute):
        edit = Edit.MATCH if source[0] == target[0] else Edit.SUBSTITUTE
        for rest in _edit_sequences(source[1:], target[1:], substitute=substitute):
            yield (edit, *rest)


def aligned_constituents(
    source: Tree, target: Tree, links: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Equation 2 of Cohn & Lapata (2009), written out."""

    def words(tree: Tree, node: int) -> set[int]:
        return set(range(tree.starts[node], tree.ends[node]))

    return tuple(
        (v, w)
        for v in range(len(source.labels))
        for w in range(len(target.labels))
        if any(s in words(source, v) and t in words(target, w) for s, t in links)
        and not any((s in words(source, v)) != (t in words(target, w)) for s, t in links)
    )
