"""How often each rule and each pair of root labels is used: flat tables for kernels.

Rules stand in an open-addressing table with linear probing, a row each: first hash, second hash, count. A rule that
is no longer used leaves the table, and those behind it move up, so that the table never holds more rules than
there are source nodes and need not grow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.kernel import kernel

_ONE, _NONE = np.uint64(1), np.uint64(0)


class Counts(NamedTuple):
    """A table of rules, the number of rules for each pair of root labels, and how many rules differ."""

    rules: NDArray[np.uint64]
    roots: NDArray[np.int64]
    size: NDArray[np.int64]


def empty_counts(most_rules: int, root_count: int) -> Counts:
    """Tables with room for so many different rules, at most half full."""
    rows = 1 << (2 * max(most_rules, 1)).bit_length()
    return Counts(np.zeros((rows, 3), np.uint64), np.zeros(root_count, np.int64), np.zeros(1, np.int64))


@kernel
def row_of(rules: NDArray[np.uint64], first: np.uint64, second: np.uint64) -> int:
    """The row of a rule, or the free row where it would stand."""
    last = len(rules) - 1
    row = int(np.int64(first & np.uint64(last)))  # `int` alone keeps it unsigned in a kernel
    while rules[row, 2] != _NONE and (rules[row, 0] != first or rules[row, 1] != second):
        row = (row + 1) & last
    return row


@kernel
def add_rule(counts: Counts, first: np.uint64, second: np.uint64, root: int) -> None:
    """Count a rule once more."""
    rules = counts.rules
    row = row_of(rules, first, second)
    if rules[row, 2] == _NONE:
        rules[row, 0] = first
        rules[row, 1] = second
        counts.size[0] += 1
    rules[row, 2] += _ONE
    counts.roots[root] += 1


@kernel
def remove_rule(counts: Counts, first: np.uint64, second: np.uint64, root: int) -> None:
    """Count a rule, which is there, once less."""
    rules = counts.rules
    last = len(rules) - 1
    free = row_of(rules, first, second)
    rules[free, 2] -= _ONE
    counts.roots[root] -= 1
    if rules[free, 2] != _NONE:
        return
    counts.size[0] -= 1
    # What was pushed beyond the free row because this one was taken moves up into it.
    row = (free + 1) & last
    while rules[row, 2] != _NONE:
        home = int(np.int64(rules[row, 0] & np.uint64(last)))
        if ((row - home) & last) >= ((row - free) & last):
            rules[free, 0] = rules[row, 0]
            rules[free, 1] = rules[row, 1]
            rules[free, 2] = rules[row, 2]
            rules[row, 2] = _NONE
            free = row
        row = (row + 1) & last
