"""Deduction rules unrolled for one sentence length, and the tables that are computed over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

UNIT = 0  # the item that is given: it holds no word, scores 0 and costs 0
NOTHING = 0  # the part that scores 0 and costs 0
NEGLIGIBLE = -50.0  # a term so many nats below the largest is lost in the rounding of their sum


class Rules(NamedTuple):
    """Every instance of a deduction system's rules, grouped by the item they prove.

    Items are numbered so that premises come before what they prove: item UNIT is given, the last is the
    goal, and item t is proved by the rules first[t]:first[t + 1]. A rule has two premises, `left` and `right`
    (UNIT where it needs none), and introduces one `part`, an index into the vectors of scores and costs
    (NOTHING where it scores none). A part of score -inf disables its rules. Rules depend on the length of
    the sentence alone, never on scores, so all sentences of a length share them. A tuple, because kernels
    take it whole.
    """

    first: Int32
    left: Int32
    right: Int32
    part: Int32


class Table(NamedTuple):
    """The value of every item at every total cost of the words it keeps.

    Item t at cost c stands at values[offset[t] + c - low[t]] for low[t] <= c <= high[t]; an item that
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
