"""Alignment of two word sequences by the fewest edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from laconic.kernel import kernel


class Edit(IntEnum):
    """What happens to a word on the way from source to target."""

    MATCH = 0
    SUBSTITUTE = 1
    INSERT = 2
    DELETE = 3


_MATCH, _SUBSTITUTE, _INSERT, _DELETE = map(int, Edit)  # kernels know numbers only


@dataclass(frozen=True, slots=True)
class Alignment:
    """The edits that turn a source into a target, from left to right."""

    edits: tuple[Edit, ...]

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """The (source position, target position) pairs of matches and substitutions, ascending."""
        return self._pairs(Edit.MATCH, Edit.SUBSTITUTE)

    @property
    def matches(self) -> tuple[tuple[int, int], ...]:
        """The links between equal words."""
        return self._pairs(Edit.MATCH)

    @property
    def distance(self) -> int:
        """The number of edits that are no match."""
        return len(self.edits) - self.edits.count(Edit.MATCH)

    def _pairs(self, *kinds: Edit) -> tuple[tuple[int, int], ...]:
        pairs = []
        source = target = 0
        for edit in self.edits:
            if edit in kinds:
                pairs.append((source, target))
            source += edit != Edit.INSERT
            target += edit != Edit.DELETE
        return tuple(pairs)


def align_edits(source: Sequence[str], target: Sequence[str], *, fold_case: bool = False) -> Alignment:
    """The fewest substitutions, deletions and insertions that turn the source into the target.

    Among those, the most matches; among those, reading from the end of both, a match is taken before a
    substitution, that before an insertion, and that before a deletion, so that words align to their last
    appearance. Time and space are proportional to the product of the lengths.

    >>> align_edits("He quickly left home".split(), "He went home".split()).links
    ((0, 0), (2, 1), (3, 2))
    """
    return _align(source, target, fold_case=fold_case, substitute=True)


def align_common(source: Sequence[str], target: Sequence[str], *, fold_case: bool = False) -> Alignment:
    """The deletions and insertions around a longest common subsequence, with the ties of `align_edits`.

    >>> align_common("He quickly left home".split(), "He went home".split()).links
    ((0, 0), (3, 2))
    """
    return _align(source, target, fold_case=fold_case, substitute=False)


def _align(source: Sequence[str], target: Sequence[str], *, fold_case: bool, substitute: bool) -> Alignment:
    numbers: dict[str, int] = {}

    def numbered(words: Sequence[str]) -> NDArray[np.int32]:
        keys = (word.casefold() if fold_case else word for word in words)
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int32)

    edits = _fewest_edits(numbered(source), numbered(target), substitute)
    return Alignment(tuple(map(Edit, edits.tolist())))


@kernel
def _fewest_edits(source: NDArray[np.int32], target: NDArray[np.int32], substitute: bool) -> NDArray[np.int8]:
    rows, columns = len(source), len(target)
    # One edit costs more than all possible matches earn: fewest edits first, then most matches.
    edit_cost = min(rows, columns) + 1
    cost = np.empty((rows + 1, columns + 1), dtype=np.int64)
    for i in range(rows + 1):
        cost[i, 0] = i * edit_cost
    for j in range(columns + 1):
        cost[0, j] = j * edit_cost
    # C(i,j) = min{ C(i-1,j) + e  (delete s_i),  C(i,j-1) + e  (insert t_j),
    #               C(i-1,j-1) - 1  if s_i = t_j,  C(i-1,j-1) + e  if not, and substitution is allowed }
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            best = min(cost[i - 1, j], cost[i, j - 1]) + edit_cost
            if source[i - 1] == target[j - 1]:
                best = min(best, cost[i - 1, j - 1] - 1)
            elif substitute:
                best = min(best, cost[i - 1, j - 1] + edit_cost)
            cost[i, j] = best
    edits = np.empty(rows + columns, dtype=np.int8)
    first = rows + columns
    i, j = rows, columns
    while i > 0 or j > 0:
        first -= 1
        same = i > 0 and j > 0 and source[i - 1] == target[j - 1]
        if same and cost[i, j] == cost[i - 1, j - 1] - 1:
            edits[first] = _MATCH
            i, j = i - 1, j - 1
        elif substitute and i > 0 and j > 0 and not same and cost[i, j] == cost[i - 1, j - 1] + edit_cost:
            edits[first] = _SUBSTITUTE
            i, j = i - 1, j - 1
        elif j > 0 and cost[i, j] == cost[i, j - 1] + edit_cost:
            edits[first] = _INSERT
            j -= 1
        else:
            edits[first] = _DELETE
            i -= 1
    return edits[first:]
