"""Paths whose costs are counted: the best within a limit, and the best through each step, as bounds.

Over paths, a limit on the cost is cheap to keep exactly. So whoever searches with more and more words pinned, or for
what no path scores less than, asks here first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int8, Int64
from laconic.forest.tables import check_size
from laconic.kernel import inner_kernel, kernel

_WIDEST = 1 << 14
"""The greatest cost up to which paths are counted; beyond, the tables would cost more than they save."""

_LARGEST = 400_000_000  # sums in a table, likewise
_ROUNDING = 1e-12  # of each term of a sum, relative to the largest; more only searches more
_NEARLY = 3.0  # below what is promised, where the best mostly is: to look no further is faster


class Paths(NamedTuple):
    """All paths from position 0 over at least one word to the last position that cost from least to most.

    `through`, `over` and `around` are the best of the paths through each bigram, over each word and not over it;
    `slack` is what rounding may do to the sum of a path.
    """

    scores: Float64
    costs: Int64
    through: Float64
    over: Float64
    around: Float64
    slack: float
    least: int
    most: int


def paths_of(bigrams: Float64, costs: Int64, least: int, most: int) -> Paths | None:
    """The paths over these scores; None where costs are so great that to count them all takes too long."""
    paths = _unbounded(bigrams, costs, least, most)
    if paths.most > _WIDEST or paths.most * bigrams.size > _LARGEST:
        return None
    return _bounded(paths, _best_through(paths, tables_of(paths)))


def bounded_paths(bigrams: Float64, costs: Int64, least: int, most: int, through: Float64) -> Paths:
    """The same, where it is known what no path through each bigram scores more than: only few are then counted."""
    paths = _unbounded(bigrams, costs, least, most)
    check_size(len(bigrams) * (paths.most + 1), paths.most)
    return _bounded(paths, through)


def _unbounded(bigrams: Float64, costs: Int64, least: int, most: int) -> Paths:
    scores = bigrams.copy()
    scores[0, -1] = -np.inf
    largest = float(np.abs(scores, where=scores > -np.inf, out=np.zeros_like(scores)).max())
    slack = _ROUNDING * len(scores) * (1.0 + largest)
    unknown = np.full(len(scores) - 2, np.inf)
    greatest = min(most, int(costs.max(axis=1).sum()))
    return Paths(scores, costs, scores, unknown, unknown, slack, least, greatest)


def _bounded(paths: Paths, through: Float64) -> Paths:
    from_no_later = np.maximum.accumulate(through, axis=0)
    to_no_earlier = np.maximum.accumulate(from_no_later[:, ::-1], axis=1)[:, ::-1]
    over, around = through[1:-1].max(axis=1), np.diagonal(to_no_earlier, 2).copy()
    return paths._replace(through=through, over=over, around=around)


class Tables(NamedTuple):
    """The scores of the bigrams (i, j) that paths with some pins may use, j < stops[i], and what may follow positions.

    after(i, c) = max over j > i of score(i, j) + after(j, c + cost(i, j)); after(end, c) = 0 where least <= c <= most.
    """

    allowed: Float64
    stops: Int64
    after: Float64


def tables_of(paths: Paths) -> Tables:
    """Tables to be filled."""
    side = len(paths.scores)
    return Tables(np.empty((side, side)), np.empty(side, np.int64), np.empty((side, paths.most + 1)))


@inner_kernel
def fill(paths: Paths, pins: Int8, threshold: float, tables: Tables) -> float:
    """Fill tables for the paths over every word of pin 1 and none of -1, as far as they score the threshold."""
    allowed, stops, after = tables
    side, width = after.shape
    lowest = threshold - paths.slack
    for word in range(side - 2):
        if (pins[word] > 0 and paths.over[word] < lowest) or (pins[word] < 0 and paths.around[word] < lowest):
            return -np.inf
    for i in range(side - 1, -1, -1):
        here, last = after[i], i == side - 1
        for c in range(width):
            here[c] = 0.0 if last and c >= paths.least else -np.inf
        stops[i] = side
        if last or (i > 0 and (pins[i - 1] < 0 or paths.over[i - 1] < lowest)):
            continue
        for j in range(i + 1, side):
            pin = 0 if j == side - 1 else pins[j - 1]
            score = -np.inf if pin < 0 or paths.through[i, j] < lowest else paths.scores[i, j]
            allowed[i, j] = score
            if score > -np.inf:
                there = after[j]
                # Unsigned indices need no test for negative ones, and so become vector instructions.
                cost = np.uint64(paths.costs[i, j])
                for c in range(np.uint64(max(0, width - paths.costs[i, j]))):
                    value = score + there[c + cost]
                    here[c] = value if value > here[c] else here[c]
            if pin > 0:
                stops[i] = j + 1  # what must stay is not jumped over
                break
    return float(after[0, 0])


@inner_kernel
def best_path(
    paths: Paths, pins: Int8, threshold: float, promised: float, tables: Tables, path: Int64
) -> tuple[float, float]:
    """The score of the best path with these pins, and what tables are filled for; -inf if it is below the threshold.

    They are filled for less than all that scores the threshold where the best is near to what is promised. `path` gets
    its positions, from 0 to the last.
    """
    allowed, stops, after = tables
    side, width = after.shape
    lowest = max(threshold, promised - _NEARLY)
    best = fill(paths, pins, lowest, tables)
    while best == -np.inf or best < lowest - paths.slack:
        if lowest == threshold:
            return -np.inf, lowest
        lowest = threshold
        best = fill(paths, pins, lowest, tables)
    depth, spent, path[0] = 0, 0, 0
    while path[depth] < side - 1:
        i, most = path[depth], -np.inf
        for j in range(i + 1, stops[i]):
            cost = spent + paths.costs[i, j]
            if cost < width and allowed[i, j] + after[j, cost] > most:
                most, path[depth + 1] = allowed[i, j] + after[j, cost], j
        spent += paths.costs[i, path[depth + 1]]
        depth += 1
    return best, lowest


@kernel
def _best_through(paths: Paths, tables: Tables) -> Float64:
    # before(j, c + cost(i, j)) = max over i < j of before(i, c) + score(i, j); before(start, 0) = 0
    # through(i, j) = max over c of before(i, c) + score(i, j) + after(j, c + cost(i, j))
    after = tables.after
    side, width = after.shape
    fill(paths, np.zeros(side - 2, np.int8), -np.inf, tables)
    before, through = np.empty((side, width)), np.empty((side, side))
    for j in range(side):
        for c in range(width):
            before[j, c] = 0.0 if j == 0 and c == 0 else -np.inf
        for i in range(side):
            through[i, j] = -np.inf
        for i in range(j):
            score, cost = paths.scores[i, j], paths.costs[i, j]
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
