"""Shapes: what every derivation is made of, apart from scores, and tables of values over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float64, Int32, Int64
from laconic.kernel import kernel

Array = TypeVar("Array", bound=NDArray[Any])

UNIT = 0  # the item that is given: it emits nothing, scores 0 and costs 0
NOTHING = 0  # the part that scores 0 and costs 0
NEVER = 1 << 60  # above every cost
# A number inside a kernel that is no constant: a kernel is compiled once more for every constant it is given.
as_int64 = cast(Callable[[int], int], np.int64)


class Shape(NamedTuple):
    """Items and the edges that make them out of others, each scored by a numbered part.

    Items are numbered bottom-up: item UNIT is given, the last one is the goal, and item t is made by the edges
    first[t]:first[t + 1]. An edge has two tails, `left` and `right` (UNIT where it needs none), which come
    before its item, and one `part`, an index into the vectors of scores and costs. A *derivation* chooses one
    edge for the goal, then one for each tail, and so on; it scores the sum of its parts. A part of score -inf
    disables its edges. All arrays are read-only, so that every kernel is compiled for one type of shape.
    """

    first: Int32
    left: Int32
    right: Int32
    part: Int32


class Table(NamedTuple):
    """The value of every item at every cost of a derivation below it.

    Item t at cost c has cell offset[t] + c - low[t] of `values`, for low[t] <= c <= high[t]; an item that
    takes part in nothing has high[t] < low[t].
    """

    values: Float64
    offset: Int64
    low: Int64
    high: Int64

    def goal(self) -> Float64:
        """The values of the goal at the costs low[-1] to high[-1]."""
        begin = int(self.offset[-1])
        return self.values[begin : begin + max(0, int(self.high[-1] - self.low[-1]) + 1)]


def free_table(values: Float64) -> Table:
    """Values regardless of cost, as a table in which everything costs 0."""
    return free_cells(len(values))._replace(values=frozen(values))


@lru_cache(maxsize=256)
def free_cells(items: int) -> Table:
    """The cells of a table in which everything costs 0, without values."""
    zeros = frozen(np.zeros(items, np.int64))
    return Table(frozen(np.empty(items)), frozen(np.arange(items)), zeros, zeros)


@lru_cache(maxsize=256)
def free_costs(parts: int) -> Int64:
    """Costs of nothing."""
    return frozen(np.zeros(parts, np.int64))


def shape_of(first: Int32, left: Int32, right: Int32, part: Int32) -> Shape:
    """The shape of these arrays, which from now on cannot be changed."""
    return Shape(frozen(first), frozen(left), frozen(right), frozen(part))


def frozen(array: Array) -> Array:
    """The array itself, which from now on cannot be changed."""
    array.setflags(write=False)
    return array


def row_lengths(starts: Int32) -> Int32:
    """How long rows are that start there, one behind the other; the last start is the end."""
    return starts[1:] - starts[:-1]


@kernel
def longer(array: Int64) -> Int64:
    """A copy of the array twice as long."""
    copy = np.empty(2 * len(array), np.int64)
    for i in range(len(array)):
        copy[i] = array[i]
    return copy
