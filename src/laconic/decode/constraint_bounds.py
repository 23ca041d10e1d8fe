"""How high a path through each n-gram may score under constraints: what cannot be on the best need not be searched.

The constraints low <= A x <= high on the kept words x are relaxed by a multiplier for each, so that words have prices:

    L(m) = max over paths of (score - m · A x) + Σ (m high where m > 0, m low where m < 0)

is never below the best that keeps to them, and falls as m is moved against what the best path violates; the same for
the best path through any n-gram. The steps are those of Polyak towards a level below the best L so far, which is moved
up when it is not reached. See Claude Lemaréchal: Lagrangian Relaxation. LNCS 2241, 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.decode.contract import Limit
from laconic.decode.counted_paths import best_through_steps
from laconic.decode.inputs import check_costs
from laconic.decode.programme import Rows
from laconic.forest.limits import best_of, best_parts, best_through
from laconic.forest.shape import UNIT, frozen, shape_of
from laconic.forest.tables import cost_table

_ROUNDS = 200
_STEPS = 25_000_000  # of all rounds
_PATIENCE = 15  # rounds without progress, before less of it is looked for
_MOMENTUM = 0.7  # of the step before


class NgramPaths:
    """All paths over n-grams of positions: those start at 0, and words + 1 is the end."""

    def __init__(self, ngrams: Iterable[tuple[int, ...]], words: int) -> None:
        positions = np.array(list(ngrams), dtype=np.int64)
        # Contexts are numbered by their last words: what leads to one has a lower number. The start is UNIT.
        side = words + 2
        place = side ** np.arange(positions.shape[1] - 1, dtype=np.int64)
        end = side ** len(place)
        before = positions[:, :-1] @ place
        after = np.where(positions[:, -1] > words, end, positions[:, 1:] @ place)
        names, contexts = np.unique(np.concatenate([before, after, [UNIT, end]]), return_inverse=True)
        heads = contexts[len(positions) : -2]
        order = np.argsort(heads, kind="stable")
        self._words, self._order = words, order
        self._previous, self._last = positions[order, -2] - 1, positions[order, -1] - 1
        first = np.searchsorted(heads[order], np.arange(len(names) + 1)).astype(np.int32)
        left = contexts[order].astype(np.int32)
        self._shape = shape_of(first, left, np.zeros_like(left), np.arange(len(order), dtype=np.int32))
        self._before, self._after = contexts[order], heads[order]

    def bounds(self, scores: Float64, prices: Float64, rows: Rows, limit: Limit | None = None) -> Float64:
        """For each n-gram a score that no path through it surpasses that keeps to the rows, whose columns are words.

        Prices are as everywhere; -inf where there is no such path. A limit is the first of the rows: it is relaxed as
        they are, and at last counted along the paths, where that does not take long.
        """
        values = self._priced(scores, prices)
        relaxed, counted = _Relaxed(rows, self._words), None
        rounds = min(_ROUNDS, _STEPS // len(values))
        multipliers = self._lowest(values, relaxed, self._best, np.zeros(len(rows.low)), rounds)
        if limit is not None:
            costs = np.append(check_costs(limit.costs, self._words), 0)
            purse = _Purse(frozen(costs[self._last]), limit.least, min(limit.most, int(costs.sum())))
            rounds = min(_ROUNDS, _STEPS // ((purse.most + 1) * len(values)))
            if rounds:
                counted = purse
                relaxed.low[0], relaxed.high[0] = -np.inf, np.inf
                multipliers = self._lowest(
                    values, relaxed, partial(self._best_counted, purse), relaxed.allowed(multipliers), rounds
                )
        values += relaxed.prices(multipliers)[self._last]
        found = np.empty(len(values))
        if counted is None:
            found[self._order] = best_through(self._shape, frozen(values))
        else:
            steps, (costs, least, most) = (self._before, self._after, values), counted
            # Kernels ask the same of arrays that they made: what is not frozen is no other type.
            contexts = len(self._shape.first) - 1
            found[self._order] = best_through_steps(*steps, costs.copy(), least, most, contexts)
        return found + relaxed.owed(multipliers)

    def bounds_of_lengths(self, scores: Float64, prices: Float64, rows: Rows) -> Float64:
        """For each number of words a score that no path of so many words surpasses that keeps to the rows."""
        values = self._priced(scores, prices)
        relaxed = _Relaxed(rows, self._words)
        multipliers = self._lowest(values, relaxed, self._best, np.zeros(len(rows.low)), _ROUNDS)
        values += relaxed.prices(multipliers)[self._last]
        table = cost_table(self._shape, frozen(values), frozen(np.where(self._last < self._words, 1, 0)))
        found = np.full(self._words + 1, -np.inf)
        found[table.low[-1] : table.high[-1] + 1] = table.goal()
        return found + relaxed.owed(multipliers)

    def _lowest(
        self,
        values: Float64,
        relaxed: _Relaxed,
        best: Callable[[Float64], tuple[float, Int64]],
        multipliers: Float64,
        rounds: int,
    ) -> Float64:
        """The multipliers of the lowest bound that was found, from some on, by the steps of the best paths."""
        best_multipliers, velocity = multipliers, np.zeros_like(multipliers)
        lowest = level = np.inf
        progress, waited = 0.0, 0
        for _ in range(rounds):
            score, steps = best(values + relaxed.prices(multipliers)[self._last])
            bound = score + relaxed.owed(multipliers)
            if bound == -np.inf:
                break
            if lowest == np.inf:
                progress, level = 0.1 * (abs(bound) + 1.0), bound
            if bound < lowest:
                lowest, best_multipliers = bound, multipliers
            waited += 1
            if lowest < level - progress / 2:
                level, waited, progress = lowest, 0, 1.5 * progress
            elif waited == _PATIENCE:
                level, waited, progress = lowest, 0, progress / 2
                multipliers, velocity = best_multipliers, np.zeros_like(velocity)
                continue
            kept = np.zeros(self._words + 1)
            kept[self._last[steps]] = 1.0
            slack = relaxed.slack(multipliers, kept)
            velocity = slack + _MOMENTUM * velocity
            length = float((velocity * velocity).sum())
            if not slack.any() or length == 0.0:
                break
            multipliers = relaxed.allowed(multipliers - (bound - lowest + progress) / length * velocity)
        return best_multipliers

    def _priced(self, scores: Float64, prices: Float64) -> Float64:
        """The scores in order with what the last word of each is paid; -inf where a word to be kept is left out."""
        pinned = np.concatenate([[0], np.cumsum(prices == np.inf)])
        skipped = pinned[self._last] > pinned[self._previous + 1]
        paid = np.append(np.where(prices == np.inf, 0.0, prices), 0.0)
        return np.where(skipped, -np.inf, scores[self._order] + paid[self._last])

    def _best(self, values: Float64) -> tuple[float, Int64]:
        """The score of the best path, -inf if there is none, and its steps."""
        steps = best_parts(self._shape, frozen(values))
        return (-np.inf, self._order[:0]) if steps is None else (float(values[steps].sum()), steps)

    def _best_counted(self, purse: _Purse, values: Float64) -> tuple[float, Int64]:
        """The score of the best path that a purse pays for, -inf if there is none, and its steps."""
        table = cost_table(self._shape, frozen(values), purse.costs, purse.least, purse.most)
        steps = best_of(self._shape, values, purse.costs, table)
        return (-np.inf, self._order[:0]) if steps is None else (float(values[steps].sum()), steps)


class _Purse(NamedTuple):
    """What each step costs, and what a path may cost."""

    costs: Int64
    least: int
    most: int


class _Relaxed:
    """Rows of constraints, each of length 1, and what follows from multipliers of them."""

    def __init__(self, rows: Rows, words: int) -> None:
        self._words = words
        self._row = np.repeat(np.arange(len(rows.low)), np.diff(rows.ends))
        self._word, weights = np.array(rows.columns, dtype=np.int64), np.array(rows.coefficients)
        size = np.sqrt(np.bincount(self._row, weights * weights, len(rows.low)))
        size[size == 0.0] = 1.0  # a limit on what no word costs
        self._weights = weights / size[self._row]
        self.low, self.high = np.array(rows.low) / size, np.array(rows.high) / size

    def prices(self, multipliers: Float64) -> Float64:
        """What each word is paid, and the end nothing."""
        paid = np.bincount(self._word, -self._weights * multipliers[self._row], self._words + 1)
        return paid.astype(np.float64)

    def owed(self, multipliers: Float64) -> float:
        """What all paths are paid."""
        return float((multipliers * self._side(multipliers, np.zeros_like(multipliers))).sum())

    def slack(self, multipliers: Float64, kept: Float64) -> Float64:
        """How the bound rises with each multiplier, by the words of its path."""
        total = np.bincount(self._row, self._weights * kept[self._word], len(self.low))
        return self._side(multipliers, np.clip(total, self.low, self.high)) - total

    def allowed(self, multipliers: Float64) -> Float64:
        """The multipliers, 0 where what is not limited would be paid for."""
        return np.where(np.isinf(self._side(multipliers, self.low)), 0.0, multipliers)

    def _side(self, multipliers: Float64, otherwise: Float64) -> Float64:
        return np.where(multipliers > 0, self.high, np.where(multipliers < 0, self.low, otherwise))
