"""How high a path through each n-gram may score under constraints: what cannot be on the best need not be searched.

The constraints low <= A x <= high on the kept words x are relaxed by a multiplier for each, so that words have prices:

    L(m) = max over paths of (score - m · A x) + Σ (m high where m > 0, m low where m < 0)

is never below the best that keeps to them, and falls as m is moved against what the best path violates; the same for
the best path through any n-gram. The steps are those of Polyak towards a level below the best L so far, which is moved
up when it is not reached. See Claude Lemaréchal: Lagrangian Relaxation. LNCS 2241, 2001.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.decode.programme import Rows
from laconic.kernel import kernel

_ROUNDS = 200
_PATIENCE = 15  # rounds without progress, before less of it is looked for
_MOMENTUM = 0.7  # of the step before


class Paths:
    """All paths over n-grams of positions: those start at 0, and words + 1 is the end."""

    def __init__(self, ngrams: Iterable[tuple[int, ...]], words: int) -> None:
        positions = np.array(list(ngrams), dtype=np.int64)
        order = np.argsort(positions[:, -1], kind="stable")  # what leads to a context comes before what leaves it
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

    def bounds(self, scores: Float64, prices: Float64, rows: Rows) -> Float64:
        """For each n-gram a score that no path through it surpasses that keeps to the rows, whose columns are words.

        Prices are as everywhere; -inf where there is no such path.
        """
        relaxed = _Relaxed(rows, self._words)
        values = self._priced(scores, prices)
        multipliers = best_multipliers = velocity = np.zeros(len(relaxed.low))
        best = level = np.inf
        progress, waited = 0.0, 0
        for _ in range(_ROUNDS):
            reached, steps = self._best(values + relaxed.prices(multipliers)[self._last])
            bound = float(reached[self._end]) + relaxed.owed(multipliers)
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
            slack = relaxed.slack(multipliers, self._kept(steps))
            velocity = slack + _MOMENTUM * velocity
            length = float((velocity * velocity).sum())
            if not slack.any() or length == 0.0:
                break
            multipliers = relaxed.allowed(multipliers - (bound - best + progress) / length * velocity)
        values += relaxed.prices(best_multipliers)[self._last]
        to, _ = self._best(values)
        onward, _ = _best(self._after[::-1].copy(), self._before[::-1].copy(), values[::-1].copy(), self._end, len(to))
        found = np.empty(len(values))
        found[self._order] = to[self._before] + values + onward[self._after] + relaxed.owed(best_multipliers)
        return found

    def _priced(self, scores: Float64, prices: Float64) -> Float64:
        """The scores in order with what the last word of each is paid; -inf where a word to be kept is left out."""
        pinned = np.concatenate([[0], np.cumsum(prices == np.inf)])
        skipped = pinned[self._last] > pinned[self._previous + 1]
        paid = np.append(np.where(prices == np.inf, 0.0, prices), 0.0)
        return np.where(skipped, -np.inf, scores[self._order] + paid[self._last])

    def _best(self, values: Float64) -> tuple[Float64, Int64]:
        return _best(self._before, self._after, values, self._start, self._contexts)

    def _kept(self, steps: Int64) -> Float64:
        """1 for each word of the path that came last to the end, else 0."""
        kept = np.zeros(self._words + 1)
        context = self._end
        while context != self._start:
            step = steps[context]
            kept[self._last[step]] = 1.0
            context = self._before[step]
        return kept[:-1]


class _Relaxed:
    """Rows of constraints, each of length 1, and what follows from multipliers of them."""

    def __init__(self, rows: Rows, words: int) -> None:
        self._words = words
        self._row = np.repeat(np.arange(len(rows.low)), np.diff(rows.ends))
        self._word, weights = np.array(rows.columns, dtype=np.int64), np.array(rows.coefficients)
        size = np.sqrt(np.bincount(self._row, weights * weights, len(rows.low)))
        self._weights = weights / size[self._row]
        self.low, self.high = np.array(rows.low) / size, np.array(rows.high) / size

    def prices(self, multipliers: Float64) -> Float64:
        """What each word is paid, and the end nothing."""
        found: Float64 = np.bincount(self._word, -self._weights * multipliers[self._row], self._words + 1)
        return found

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
def _best(before: Int64, after: Int64, values: Float64, start: int, contexts: int) -> tuple[Float64, Int64]:
    """The highest value of a path to each context, and the last step of it."""
    reached = np.full(contexts, -np.inf)
    steps = np.full(contexts, -1, np.int64)
    reached[start] = 0.0
    for step in range(len(values)):
        value = reached[before[step]] + values[step]
        if value > reached[after[step]]:
            reached[after[step]] = value
            steps[after[step]] = step
    return reached, steps
