"""Charts: shapes that depend on a sentence's length alone, whose kept words pay on the step that leaves them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.arrays import Float64, Int64
from laconic.decode.contract import Limit, Solution
from laconic.decode.decoder import Query, ShapeDecoder
from laconic.decode.inputs import check_costs, check_gaps
from laconic.forest.lazy import Emissions
from laconic.forest.shape import Shape, frozen
from laconic.kernel import kernel

Number = TypeVar("Number", np.float64, np.int64)
FIRST_STEP = 1  # where the block of steps begins among the parts, after NOTHING


class Steps(NamedTuple):
    """The parts of a path over positions, 0 for the start, 1 … n for the words, n + 1 for the end.

    Part FIRST_STEP + s steps from position leaves[s] to position enters[s]; where that is not further on, it is not
    used.
    """

    leaves: Int64
    enters: Int64


@lru_cache(maxsize=128)
def bigram_steps(words: int) -> Steps:
    """The steps that depend on nothing else: from i to j is part FIRST_STEP + i · (n + 2) + j."""
    leaves, enters = np.divmod(np.arange((words + 2) ** 2), words + 2)
    return Steps(frozen(leaves), frozen(enters))


class ChartDecoder(ShapeDecoder):
    """Compressions as derivations of a chart, in which a path steps over the kept words.

    The parts of a derivation are the steps of its path, and whatever else the subclass scores. A kept word i is left
    by exactly one step (i, j), which carries its price and its cost: so prices, pins and limits are changes of the
    steps. A price of +inf forbids the steps that jump over the word and adds nothing to the score. Every
    compression keeps at least one word. Where arcs are scored, alone or with a sibling, the `order` is 1 or 2, and
    they follow the steps.
    """

    counts_gaps: ClassVar[bool] = True

    def __init__(self, words: int, shape: Shape, scores: Float64, steps: Steps, *, order: int = 0) -> None:
        super().__init__(words, shape, frozen(scores))
        self._steps, self._order = steps, order
        # What was counted last, as searches ask again and again.
        self._counted: tuple[Limit, Int64] | None = None

    def bigram_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Float64:
        """The probability [i, j] that j follows i in the compression; 0 is the start, n + 1 the end."""
        parts = self._sums(self._query(prices, limit)).posteriors()
        square = np.zeros((self._words + 2, self._words + 2))
        np.add.at(square, (self._steps.leaves, self._steps.enters), parts[self._block()])
        return square

    def _block(self) -> slice:
        return slice(FIRST_STEP, FIRST_STEP + len(self._steps.leaves))

    def _square(self, parts: NDArray[Number]) -> NDArray[Number]:
        """The block of steps as a square [word, next word], where each depends on nothing else."""
        return parts[self._block()].reshape(self._words + 2, self._words + 2)

    def _emissions(self, query: Query) -> Emissions:  # noqa: ARG002
        # A step emits the word that it leaves; yields are sets, as charts join words in any order.
        templates = np.zeros(len(self._scores), np.int32)
        templates[self._block()] = np.where(self._steps.leaves > self._words, 0, self._steps.leaves)
        items = [-1, -2, *(item for word in range(self._words) for item in (-1, -2, word))]
        starts = np.concatenate(([0], np.arange(2, 3 * self._words + 3, 3))).astype(np.int32)
        return Emissions(frozen(templates), frozen(starts), frozen(np.array(items, np.int32)), False)

    def _priced(self, prices: Float64) -> Float64:
        return frozen(_with_prices(self._scores, *self._steps, prices))

    def _part_costs(self, limit: Limit) -> Int64:
        if self._counted is not None:
            known, costs = self._counted
            if known.gaps is limit.gaps and known.costs == limit.costs:
                return costs
        costs = self._costs_of_steps(limit)
        self._counted = limit, costs
        return costs

    def _costs_of_steps(self, limit: Limit) -> Int64:
        leaves, enters = self._steps
        positions = np.zeros(self._words + 2, np.int64)
        positions[1:-1] = check_costs(limit.costs, self._words)
        costs = np.zeros(len(self._scores), np.int64)
        costs[self._block()] = positions[leaves]
        gaps = check_gaps(limit.gaps, self._words)
        if gaps is not None:
            costs[self._block()] += gaps[leaves, enters]
        return frozen(costs)

    def _whole_cost(self, limit: Limit) -> int:
        gaps = check_gaps(limit.gaps, self._words)
        between = 0 if gaps is None else int(gaps.max(axis=1).sum())
        return int(check_costs(limit.costs, self._words).sum()) + between

    def _kept(self, query: Query, parts: Float64) -> Float64:  # noqa: ARG002
        return _times_left(parts, self._steps.leaves, self._words)

    def _solution(self, query: Query, parts: Int64, score: float = 0.0) -> Solution:
        kept, heads = _words_and_heads(parts, self._steps.leaves, self._words, self._order)
        # Whatever the order of the parts, they score the same.
        score = math.fsum(query.scores[parts].tolist())
        return Solution(score, tuple(kept.tolist()), tuple(heads.tolist()) if self._order else None)


@kernel
def _with_prices(scores: Float64, leaves: Int64, enters: Int64, prices: Float64) -> Float64:
    words = len(prices)
    paid = np.empty(words + 2)
    # How many pinned words stand before each position: a step over one of them is not allowed.
    before = np.empty(words + 3, np.int64)
    paid[0] = paid[-1] = 0.0
    before[0] = before[1] = 0
    for word in range(words):
        pinned = prices[word] == np.inf
        paid[word + 1] = 0.0 if pinned else prices[word]
        before[word + 2] = before[word + 1] + pinned
    before[-1] = 0
    priced = np.empty(len(scores))
    for part in range(len(scores)):
        priced[part] = scores[part]
    for step in range(len(leaves)):
        if before[enters[step]] > before[leaves[step] + 1]:
            priced[FIRST_STEP + step] = -np.inf
        else:
            priced[FIRST_STEP + step] += paid[leaves[step]]
    return priced


@kernel
def _words_and_heads(parts: Int64, leaves: Int64, words: int, order: int) -> tuple[Int64, Int64]:
    """The words that steps leave, and the head of each among them, -1 for the root, where arcs follow the steps."""
    place, head_of = np.empty(words + 1, np.int64), np.empty(words + 1, np.int64)
    for position in range(words + 1):
        place[position], head_of[position] = -1, 0
    for part in parts:
        step = part - FIRST_STEP
        if step >= len(leaves):  # [head, dependent], in second order [head, sibling, dependent]
            above = (step - len(leaves)) // (words + 1)
            head_of[(step - len(leaves)) % (words + 1)] = above if order == 1 else above // (words + 1)
        elif step >= 0:
            place[leaves[step]] = 0
    kept, heads = np.empty(words, np.int64), np.empty(words, np.int64)
    size, place[0] = 0, -1
    for word in range(words):
        if place[word + 1] >= 0:
            kept[size], place[word + 1] = word, size
            size += 1
    for i in range(size):
        heads[i] = place[head_of[kept[i] + 1]]
    return kept[:size], heads[:size]


@kernel
def _times_left(parts: Float64, leaves: Int64, words: int) -> Float64:
    positions = np.zeros(words + 2)
    for step in range(len(leaves)):
        positions[leaves[step]] += parts[FIRST_STEP + step]
    return positions[1:-1].copy()
