"""Shapes: what every derivation is made of, apart from scores, and tables of values over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from laconic.kernel import kernel

Indices = NDArray[np.int32]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
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

    first: Indices
    left: Indices
    right: Indices
    part: Indices


class Table(NamedTuple):
    """The value of every item at every cost of a derivation below it.

    Item t at cost c has cell offset[t] + c - low[t] of `values`, for low[t] <= c <= high[t]; an item that
    takes part in nothing has high[t] < low[t].
    """

    values: Floats
    offset: Integers
    low: Integers
    high: Integers

    def goal(self) -> Floats:
        """The values of the goal at the costs low[-1] to high[-1]."""
        begin = int(self.offset[-1])
        return self.values[begin : begin + max(0, int(self.high[-1] - self.low[-1]) + 1)]


def free_table(values: Floats) -> Table:
    """Values regardless of cost, as a table in which everything costs 0."""
    return Table(frozen(values), *_free_cells(len(values)))


@lru_cache(maxsize=256)
def free_cells(items: int) -> Table:
    """The cells of a table in which everything costs 0, without values."""
    return Table(frozen(np.empty(items)), *_free_cells(items))


@lru_cache(maxsize=256)
def free_costs(parts: int) -> Integers:
    """Costs of nothing."""
    return frozen(np.zeros(parts, np.int64))


@lru_cache(maxsize=256)
def _free_cells(items: int) -> tuple[Integers, Integers, Integers]:
    zeros = frozen(np.zeros(items, np.int64))
    return frozen(np.arange(items)), zeros, zeros


def shape_of(first: Indices, left: Indices, right: Indices, part: Indices) -> Shape:
    """The shape of these arrays, which from now on cannot be changed."""
    return Shape(frozen(first), frozen(left), frozen(right), frozen(part))


def frozen(array: Array) -> Array:
    """The array itself, which from now on cannot be changed."""
    array.setflags(write=False)
    return array


@kernel
def longer(array: Integers) -> Integers:
    """A copy of the array twice as long."""
    copy = np.empty(2 * len(array), np.int64)
    for i in range(len(array)):
        copy[i] = array[i]
    return copy
