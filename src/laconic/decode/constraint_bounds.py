"""How high a path through each n-gram may score under constraints: what cannot be on the best need not be searched.

The constraints low <= A x <= high on the kept words x are relaxed by a multiplier for each, so that words have prices:

    L(m) = max over paths of (score - m · A x) + Σ (m high where m > 0, m low where m < 0)

is never below the best that keeps to them, and falls as m is moved against what the best path violates; the same for
the best path through any n-gram. The steps are those of Polyak towards a level below the best L so far, which is moved
up when it is not reached. See Claude Lemaréchal: Lagrangian Relaxation. LNCS 2241, 2001.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.decode.contract import Limit
from laconic.decode.inputs import check_costs
from laconic.decode.programme import Rows
from laconic.kernel import kernel

_ROUNDS = 200
_STEPS = 25_000_000  # of all rounds
_PATIENCE = 15  # rounds without progress, before less of it is looked for
_MOMENTUM = 0.7  # of the step before


class NgramPaths:
    """All paths over n-grams of positions: those start at 0, and words + 1 is the end."""

    def __init__(self, ngrams: Iterable[tuple[int, ...]], words: int) -> None:
        positions = np.array(list(ngrams), dtype=np.int64)
        # What leads to a context comes before what leaves it.
        order = np.argsort(positions[:, -1], kind="stable")
        ends = positions[:, -1] > words
        side = words + 2
        place = side ** np.arange(positions.shape[1] - 1, dtype=np.int64)
        before, after = positions[:, :-1] @ place, np.where(ends, -1, positions[:, 1:] @ place)
        names, contexts = np.unique(np.concatenate([before, after, [0, -1]]), return_inverse=True)
        self._start, self._end, self._contexts = int(contexts[-2]), int(contexts[-1]), len(names)
        self._words, self._order = words, order
        self._previous, self._last = positions[order, -2] - 1, positions[order, -1] - 1
        self._before = np.ascontiguousarray(contexts[: len(order)][order])
        self._after = np.ascontiguousarray(contexts[len(order) : -2][order])

    def bounds(self, scores: Float64, prices: Float64, rows: Rows, limit: Limit | None = None) -> Float64:
        """For each n-gram a score that no path through it surpasses that keeps to the rows, whose columns are words.

        Prices are as everywhere; -inf where there is no such path. A limit is the first of the rows: it is relaxed as
        they are, and at last counted along the paths, where that does not take long.
        """
        values = self._priced(scores, prices)
        relaxed = _Relaxed(rows, self._words)
        purse = self._purse()
        rounds = min(_ROUNDS, _STEPS // len(values))
        multipliers = self._lowest(values, relaxed, purse, np.zeros(len(rows.low)), rounds)
        if limit is not None:
            costs = np.append(check_costs(limit.costs, self._words), 0)
            counted = _Purse(costs[self._last], limit.least, 1 + min(limit.most, int(costs.sum())))
            rounds = min(_ROUNDS, _STEPS // (counted.width * len(values)))
            if rounds:
                purse = counted
                relaxed.low[0], relaxed.high[0] = -np.inf, np.inf
                multipliers = self._lowest(values, relaxed, purse, relaxed.allowed(multipliers), rounds)
        values += relaxed.prices(multipliers)[self._last]
        onward, _ = self._onward(values, purse)
        found = np.empty(len(values))
        found[self._order] = _through(self._before, self._after, values, purse.costs, onward, self._start)
        return found + relaxed.owed(multipliers)

    def bounds_of_lengths(self, scores: Float64, prices: Float64, rows: Rows) -> Float64:
        """For each number of words a score that no path of so many words surpasses that keeps to the rows."""
        values = self._priced(scores, prices)
        relaxed = _Relaxed(rows, self._words)
        multipliers = self._lowest(values, relaxed, self._purse(), np.zeros(len(rows.low)), _ROUNDS)
        values += relaxed.prices(multipliers)[self._last]
        counted = _Purse(np.where(self._last < self._words, 1, 0), self._words, self._words + 1)
        onward, _ = self._onward(values, counted)
        found: Float64 = onward[self._start, ::-1] + relaxed.owed(multipliers)
        return found

    def _purse(self) -> _Purse:
        return _Purse(np.zeros(len(self._last), np.int64), 0, 1)

    def _lowest(
        self, values: Float64, relaxed: _Relaxed, purse: _Purse, multipliers: Float64, rounds: int
    ) -> Float64:
        """The multipliers of the lowest bound that was found, from some on."""
        best_multipliers, velocity = multipliers, np.zeros_like(multipliers)
        best = level = np.inf
        progress, waited = 0.0, 0
        for _ in range(rounds):
            onward, steps = self._onward(values + relaxed.prices(multipliers)[self._last], purse)
            bound = float(onward[self._start, 0]) + relaxed.owed(multipliers)
            if bound == -np.inf:
                break
            if best == np.inf:
                progress, level = 0.1 * (abs(bound) + 1.0), bound
            if bound < best:
                best, best_multipliers = bound, multipliers
            waited += 1
            if best < level - progress / 2:
                level, waited, progress = best, 0, 1.5 * progress
            elif waited == _PATIENCE:
                level, waited, progress = best, 0, progress / 2
                multipliers, velocity = best_multipliers, np.zeros_like(velocity)
                continue
            slack = relaxed.slack(multipliers, self._kept(steps, purse))
            velocity = slack + _MOMENTUM * velocity
            length = float((velocity * velocity).sum())
            if not slack.any() or length == 0.0:
                break
            multipliers = relaxed.allowed(multipliers - (bound - best + progress) / length * velocity)
        return best_multipliers

    def _priced(self, scores: Float64, prices: Float64) -> Float64:
        """The scores in order with what the last word of each is paid; -inf where a word to be kept is left out."""
        pinned = np.concatenate([[0], np.cumsum(prices == np.inf)])
        skipped = pinned[self._last] > pinned[self._previous + 1]
        paid = np.append(np.where(prices == np.inf, 0.0, prices), 0.0)
        return np.where(skipped, -np.inf, scores[self._order] + paid[self._last])

    def _onward(self, values: Float64, purse: _Purse) -> tuple[Float64, Int64]:
        return _onward(
            self._before,
            self._after,
            values,
            purse.costs,
            purse.least,
            purse.width,
            self._contexts,
            self._end,
        )

    def _kept(self, steps: Int64, purse: _Purse) -> Float64:
        """1 for each word of the best path, else 0."""
        kept = np.zeros(self._words + 1)
        context, spent = self._start, 0
        while context != self._end:
            step = steps[context, spent]
            kept[self._last[step]] = 1.0
            context, spent = self._after[step], spent + purse.costs[step]
        return kept[:-1]


class _Purse(NamedTuple):
    """What each step costs, and what a path may cost: `least` and more, below `width`."""

    costs: Int64
    least: int
    width: int


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


@kernel
def _onward(
    before: Int64,
    after: Int64,
    values: Float64,
    costs: Int64,
    least: int,
    width: int,
    contexts: int,
    end: int,
) -> tuple[Float64, Int64]:
    """The highest value of a path from each context on, by what was spent before, and the first step of it."""
    best = np.full((contexts, width), -np.inf)
    steps = np.full((contexts, width), -1, np.int64)
    best[end, least:] = 0.0
    for step in range(len(values) - 1, -1, -1):
        here, there, value, cost = before[step], after[step], values[step], costs[step]
        if value == -np.inf:
            continue
        for spent in range(width - cost):
            onward = value + best[there, spent + cost]
            if onward > best[here, spent]:
                best[here, spent] = onward
                steps[here, spent] = step
    return best, steps


@kernel
def _through(
    before: Int64, after: Int64, values: Float64, costs: Int64, onward: Float64, start: int
) -> Float64:
    """The highest value of a path with each step."""
    contexts, width = onward.shape
    reached = np.full((contexts, width), -np.inf)
    found = np.full(len(values), -np.inf)
    reached[start, 0] = 0.0
    for step in range(len(values)):
        here, there, value, cost = before[step], after[step], values[step], costs[step]
        for spent in range(width - cost):
            so_far = reached[here, spent] + value
            reached[there, spent + cost] = max(reached[there, spent + cost], so_far)
            found[step] = max(found[step], so_far + onward[there, spent + cost])
    return found
