"""Bounds from paths: no tree over a compression scores more than its path with every word's best head.

Over paths, a limit on the cost is cheap to keep exactly. So where arcs count little beside bigrams, the best path
with its best tree is nearly the best of all, few bigrams lie on a path that may be better, and the chart over costs
is computed over these alone. Nothing is lost: what is left out is proven worse.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.kernel import kernel

_WIDEST = 1 << 12
"""The greatest cost up to which paths are counted; beyond, the tables would cost more than they save."""

_MANY = 16  # paths, from which on searching them all at once is faster than one by one
_ROUNDING = 1e-12  # of each term of a sum, relative to the largest; more only searches more


class PathBounds(NamedTuple):
    """The best of all paths within a limit: its score, and its bigrams as indices into the flat scores.

    `slack` is what rounding may do to the sum of a path's scores; bigrams that no path may use score -inf.
    """

    best: float
    steps: Int64
    slack: float
    scores: Float64
    costs: Int64
    after: Float64
    least: int

    def reach(self, threshold: float) -> bool:
        """Whether a path may score the threshold."""
        return self.best > -np.inf and self.best >= threshold - self.slack

    def pinned(self, prices: Float64, threshold: float) -> list[PathBounds | None]:
        """The same for every row of prices, of the paths over each word of price +inf and none of price -inf.

        None where no path may score the threshold.
        """
        width = self.after.shape[1]
        best, sizes, steps, scores, after = _paths(self.scores, self.costs, prices, self.least, width - 1)
        return [
            PathBounds(high, steps[row, :size], self.slack, scores[row], self.costs, after[row], self.least)
            if high >= threshold - self.slack and size
            else None
            for row, (high, size) in enumerate(zip(best.tolist(), sizes.tolist(), strict=True))
        ]

    def above(self, threshold: float, through: Float64) -> PathBounds:
        """The same without the bigrams that lie on no path that scores the threshold, but for rounding."""
        return self._replace(scores=np.where(through >= threshold - self.slack, self.scores, -np.inf))

    def paths_above(self, threshold: float) -> list[Int64] | None:
        """The bigrams of each path that scores at least the threshold, but for rounding; None if these are many."""
        steps, sizes = _paths_above(self.scores, self.costs, self.after, threshold - self.slack)
        if len(sizes) == _MANY:
            return None
        return [path[:size] for path, size in zip(steps, sizes.tolist(), strict=True)]

    def through(self) -> Float64:
        """The best score of the paths within the limit through each bigram [i, j]."""
        return _best_through(self.scores, self.costs, self.after)


def path_bounds(bigrams: Float64, costs: Int64, least: int, most: int) -> PathBounds | None:
    """The bounds of the paths whose bigrams cost from least to most; None where costs are too great to count.

    Paths lead from position 0 over at least one word to the last position.
    """
    greatest = min(most, int(costs.max(axis=1).sum()))
    if greatest > _WIDEST:
        return None
    scores = bigrams.copy()
    scores[0, -1] = -np.inf
    largest = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    slack = float(_ROUNDING * len(scores) * (1.0 + largest))
    best, [size], [steps], _, [after] = _paths(scores, costs, np.zeros((1, len(scores) - 2)), least, greatest)
    return PathBounds(float(best[0]), steps[:size], slack, scores, costs, after, least)


@kernel
def _paths(
    scores: Float64, costs: Int64, prices: Float64, least: int, most: int
) -> tuple[Float64, Int64, Int64, Float64, Float64]:
    rows, side = len(prices), len(scores)
    best, sizes, steps = np.empty(rows), np.empty(rows, np.int64), np.empty((rows, side), np.int64)
    every_score, every_after = np.empty((rows, side, side)), np.empty((rows, side, most + 1))
    for row in range(rows):
        allowed, after = every_score[row], every_after[row]
        for i in range(side):
            closed = 0 < i < side - 1 and prices[row, i - 1] == -np.inf
            for j in range(i + 1, side):
                price = prices[row, j - 1] if j < side - 1 else 0.0
                allowed[i, j] = -np.inf if closed or price == -np.inf else scores[i, j]
                closed = closed or price == np.inf  # what must stay is not jumped over
        _fill_best_after(allowed, costs, least, after)
        best[row] = after[0, 0]
        sizes[row] = _best_steps(allowed, costs, after, steps[row])
    return best, sizes, steps, every_score, every_after


@kernel
def _fill_best_after(scores: Float64, costs: Int64, least: int, after: Float64) -> None:
    # after(i, c) = max over j > i of score(i, j) + after(j, c + cost(i, j)): what can follow position i when the
    # path has cost c so far; after(end, c) = 0 where least <= c <= most
    side, width = after.shape
    for i in range(side - 1, -1, -1):
        here = after[i]
        for c in range(width):
            here[c] = 0.0 if i == side - 1 and c >= least else -np.inf
        for j in range(i + 1, side):
            score, there = scores[i, j], after[j]
            if score > -np.inf:
                # Unsigned indices need no test for negative ones, and so become vector instructions.
                cost = np.uint64(costs[i, j])
                for c in range(np.uint64(max(0, width - costs[i, j]))):
                    value = score + there[c + cost]
                    here[c] = value if value > here[c] else here[c]


@kernel
def _best_through(scores: Float64, costs: Int64, after: Float64) -> Float64:
    # before(j, c + cost(i, j)) = max over i < j of before(i, c) + score(i, j); before(start, 0) = 0
    # through(i, j) = max over c of before(i, c) + score(i, j) + after(j, c + cost(i, j))
    side, width = after.shape
    before, through = np.empty((side, width)), np.empty((side, side))
    for j in range(side):
        for c in range(width):
            before[j, c] = 0.0 if j == 0 and c == 0 else -np.inf
        for i in range(side):
            through[i, j] = -np.inf
        for i in range(j):
            score, cost = scores[i, j], costs[i, j]
            if score > -np.inf:
                best = -np.inf
                for c in range(width - cost):
                    value = before[i, c] + score
                    if value > before[j, c + cost]:
                        before[j, c + cost] = value
                    if value + after[j, c + cost] > best:
                        best = value + after[j, c + cost]
                through[i, j] = best
    return through


@kernel
def _best_steps(scores: Float64, costs: Int64, after: Float64, steps: Int64) -> int:
    # How many there are; none if there is no path.
    side, width = after.shape
    size, i, c = 0, 0, 0
    while i < side - 1 and after[0, 0] > -np.inf:
        best, chosen = -np.inf, i
        for j in range(i + 1, side):
            spent = c + costs[i, j]
            if spent < width and scores[i, j] + after[j, spent] > best:
                best, chosen = scores[i, j] + after[j, spent], j
        steps[size] = i * side + chosen
        size += 1
        c += costs[i, chosen]
        i = chosen
    return size


@kernel
def _paths_above(scores: Float64, costs: Int64, after: Float64, threshold: float) -> tuple[Int64, Int64]:
    # Depth first, along what can still reach the threshold; at most as many as are too many.
    side, width = after.shape
    found, sizes = np.empty((_MANY, side), np.int64), np.empty(_MANY, np.int64)
    path, following = np.zeros(side, np.int64), np.ones(side, np.int64)
    spent, value = np.zeros(side, np.int64), np.zeros(side)
    count, depth = 0, 0
    while depth >= 0 and count < _MANY:
        i, j = path[depth], following[depth]
        if i == side - 1:
            for place in range(depth):
                found[count, place] = path[place] * side + path[place + 1]
            sizes[count] = depth
            count += 1
        if j >= side:
            depth -= 1
            continue
        following[depth] += 1
        cost = spent[depth] + costs[i, j]
        reached = value[depth] + scores[i, j] + after[j, cost] if cost < width else -np.inf
        if reached > -np.inf and reached >= threshold:
            spent[depth + 1], value[depth + 1] = cost, value[depth] + scores[i, j]
            depth += 1
            path[depth], following[depth] = j, j + 1
    return found[:count], sizes[:count]
