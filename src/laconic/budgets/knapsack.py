"""An exact knapsack over the sentences of a text: the best choice of one option for each, at every total cost.

What a sentence costs depends on what is kept before it, so there is a table for each of three states. Every choice
keeps something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from laconic.arrays import Bool, Float64, Int32
from laconic.compression import Compression
from laconic.errors import check_size

NOTHING, FRESH, INSIDE = range(3)
"""What is kept before a sentence: nothing of the text, nothing of its block, or something of its block."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may become of a sentence, None if it is dropped, and what it costs in each state before it.

    An outline has still to be searched for, at so many words.
    """

    compression: Compression | None
    costs: tuple[int, int, int]
    value: float
    outline: int = 0


@dataclass(slots=True)
class Knapsack:
    """The knapsack as it is filled, and the way back from a cost to the options that were chosen."""

    options: Sequence[Sequence[Option]]
    begins: Sequence[bool]
    best: Float64
    chosen: list[Int32] = field(default_factory=list)  # 3·option + what stands before it
    came_inside: list[Bool] = field(default_factory=list)
    ends_inside: Bool = field(default_factory=lambda: np.zeros(0, np.bool_))

    @classmethod
    def filled(cls, options: Sequence[Sequence[Option]], begins: Sequence[bool], most: int) -> Knapsack:
        """The table of all costs up to the most, for sentences some of which begin a block."""
        # inside(s, c) = max over the options o of sentence s of value(o) + before(s - 1, c - cost(o)), where before is
        # inside (of the block), fresh (something is kept, nothing of the block) or nothing at all. Where a block
        # begins, fresh is the better of fresh and inside before it.
        dearest = sum(max((max(option.costs) for option in each), default=0) for each in options)
        most = max(0, min(most, dearest))  # whatever was asked for, nothing costs more
        check_size((most + 1) * (len(options) + 1), dearest)
        fresh, inside, nothing = np.full(most + 1, -np.inf), np.full(most + 1, -np.inf), 0.0
        table = cls(options, begins, fresh)
        for each, opens in zip(options, begins, strict=True):
            table.came_inside.append(inside > fresh)
            if opens:
                fresh, inside = np.maximum(fresh, inside), np.full(most + 1, -np.inf)
            sources = fresh, fresh, inside
            after_inside, chosen = np.full(most + 1, -np.inf), np.full(most + 1, -1, np.int32)
            after_fresh, after_nothing = np.full(most + 1, -np.inf), -np.inf
            for number, option in enumerate(each):
                if option.compression is None:
                    after_nothing, after_fresh = nothing + option.value, fresh + option.value
                    _improve(after_inside, chosen, inside + option.value, 0, 3 * number + INSIDE)
                    continue
                alone, first, later = option.costs
                if alone <= most and nothing + option.value > after_inside[alone]:
                    after_inside[alone], chosen[alone] = nothing + option.value, 3 * number + NOTHING
                for state, cost in ((FRESH, first), (INSIDE, later)):
                    if cost <= most:
                        values = sources[state][: most + 1 - cost] + option.value
                        _improve(after_inside, chosen, values, cost, 3 * number + state)
            fresh, inside, nothing = after_fresh, after_inside, after_nothing
            table.chosen.append(chosen)
        table.best, table.ends_inside = np.maximum(fresh, inside), inside >= fresh
        return table

    def choice(self, cost: int) -> list[int | None]:
        """The number of the option of every sentence; None where it went with those before it."""
        numbers: list[int | None] = [None] * len(self.options)
        state = INSIDE if self.ends_inside[cost] else FRESH
        for place in reversed(range(len(self.options))):
            if state == INSIDE:
                number, state = divmod(int(self.chosen[place][cost]), 3)
                numbers[place] = number
                cost -= self.options[place][number].costs[state]
            if state == NOTHING:
                break
            if self.begins[place] and self.came_inside[place][cost]:
                state = INSIDE
        return numbers


def _improve(best: Float64, chosen: Int32, values: Float64, cost: int, choice: int) -> None:
    better = values > best[cost:]
    best[cost:][better] = values[better]
    chosen[cost:][better] = choice
