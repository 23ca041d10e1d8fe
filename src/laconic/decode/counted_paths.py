"""Paths whose costs are counted: the best within a limit, and the best through each step, as bounds.

Over paths, a limit on the cost is cheap to keep exactly. So whoever searches with more and more words pinned, or for
what no path scores less than, asks here first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int8, Int64
from laconic.errors import check_size
from laconic.kernel import inner_kernel, kernel

_WIDEST = 1 << 14
"""The greatest cost up to which paths are counted; beyond, the tables would cost more than they save."""

_LARGEST = 400_000_000  # sums in a table, likewise
_ROUNDING = 1e-12  # of each term of a sum, relative to the largest; more only searches more
_NEARLY = 12.0  # below what is promised, where the best mostly is: to look no further is faster


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
    greatest = min(most, int(costs.max(axis=1).sum()))
    if greatest > _WIDEST or greatest * bigrams.size > _LARGEST:
        return None
    scores, through, over, around, slack = _bounds(bigrams, costs, least, greatest)
    return Paths(scores, costs, through, over, around, slack, least, greatest)


def bounded_paths(bigrams: Float64, costs: Int64, least: int, most: int, through: Float64) -> Paths:
    """The paths over these scores, where no path through a bigram scores more than `through`: few are then counted."""
    greatest = min(most, int(costs.max(axis=1).sum()))
    check_size(len(bigrams) * (greatest + 1), greatest)
    scores = bigrams.copy()
    scores[0, -1] = -np.inf
    largest = float(np.abs(scores, where=scores > -np.inf, out=np.zeros_like(scores)).max())
    slack = _ROUNDING * len(scores) * (1.0 + largest)
    from_no_later = np.maximum.accumulate(through, axis=0)
    to_no_earlier = np.maximum.accumulate(from_no_later[:, ::-1], axis=1)[:, ::-1]
    over, around = through[1:-1].max(axis=1), np.diagonal(to_no_earlier, 2).copy()
    return Paths(scores, costs, through, over, around, slack, least, greatest)


class PathTables(NamedTuple):
    """The scores of the bigrams (i, j) that paths with some pins may use, and what may follow positions.

    From i they go on to j < next_end[i]: what must stay is not jumped over.

    after(i, c) = max over j > i of score(i, j) + after(j, c + cost(i, j)); after(end, c) = 0 where least <= c <= most.
    A row i holds for the `pins` of its word and of those behind it, and for all that scores as much as `lowest[i]`,
    down to the first row where that is infinite.
    """

    allowed: Float64
    next_end: Int64
    after: Float64
    pins: Int8
    lowest: Float64


def tables_of(paths: Paths) -> PathTables:
    """Tables to be filled."""
    side = len(paths.scores)
    return PathTables(
        np.empty((side, side)), np.empty(side, np.int64), np.empty((side, paths.most + 1)),
        np.empty(side - 2, np.int8), np.full(side, np.inf),
    )  # fmt: skip


@inner_kernel
def fill(
    paths: Paths, pins: Int8, threshold: float, tables: PathTables, path: Int64
) -> tuple[float, int, int]:
    """Fill tables for the paths over every word of pin 1 and none of -1, as far as they score the threshold.

    Over the words at the beginning that are pinned leads one way: `path` gets it, and of what follows it no more is
    filled than it costs. Returned are the score of the best, the length of that way, and its cost.
    """
    allowed, next_end, after, known, filled = tables
    scores, costs, through, over, around, slack, least, _ = paths
    side, width = after.shape
    lowest = threshold - slack
    for word in range(side - 2):
        if (pins[word] > 0 and over[word] < lowest) or (pins[word] < 0 and around[word] < lowest):
            return -np.inf, 0, 0
    start, spent, depth, path[0] = 0, 0, 0, 0
    while start < side - 2 and pins[start] != 0:
        start += 1
        if pins[start - 1] > 0:
            if through[path[depth], start] < lowest:
                return -np.inf, 0, 0
            spent += costs[path[depth], start]
            depth += 1
            path[depth] = start
    # Whoever pins one word after the other asks for the same rows again.
    row = side - 1
    while row > start and filled[row] <= threshold:
        if row < side - 1 and known[row - 1] != pins[row - 1]:
            break
        row -= 1
    filled[start] = np.inf
    for i in range(row, start, -1):
        here, last = after[i], i == side - 1
        filled[i] = threshold if last else max(threshold, filled[i + 1])
        if not last:
            known[i - 1] = pins[i - 1]
        for c in range(width):
            here[c] = 0.0 if last and c >= least else -np.inf
        next_end[i] = side
        if last or pins[i - 1] < 0 or over[i - 1] < lowest:
            continue
        for j in range(i + 1, side):
            pin = 0 if j == side - 1 else pins[j - 1]
            score = -np.inf if pin < 0 or through[i, j] < lowest else scores[i, j]
            allowed[i, j] = score
            if score > -np.inf:
                there = after[j]
                # Unsigned indices need no test for negative ones, and so become vector instructions.
                cost = np.uint64(costs[i, j])
                for c in range(np.uint64(max(0, width - costs[i, j]))):
                    value = score + there[c + cost]
                    here[c] = value if value > here[c] else here[c]
            if pin > 0:
                next_end[i] = j + 1
                break
    best, i = -np.inf, path[depth]
    next_end[i] = side
    for j in range(i + 1, side):
        pin = 0 if j == side - 1 else pins[j - 1]
        score = -np.inf if pin < 0 or through[i, j] < lowest else scores[i, j]
        allowed[i, j] = score
        if score > -np.inf and spent + costs[i, j] < width:
            best = max(best, score + after[j, spent + costs[i, j]])
        if pin > 0:
            next_end[i] = j + 1
            break
    for place in range(depth, 0, -1):
        best += scores[path[place - 1], path[place]]
    return best, depth, spent


@inner_kernel
def best_path(
    paths: Paths, pins: Int8, threshold: float, promised: float, tables: PathTables, path: Int64
) -> tuple[float, float]:
    """The score of the best path with these pins, and what tables are filled for; -inf if it is below the threshold.

    They are filled for less than all that scores the threshold where the best is near to what is promised. `path` gets
    its positions, from 0 to the last.
    """
    allowed, next_end, after, _, _ = tables
    costs, slack = paths.costs, paths.slack
    side, width = after.shape
    lowest = max(threshold, promised - _NEARLY)
    best, depth, spent = fill(paths, pins, lowest, tables, path)
    while best == -np.inf or best < lowest - slack:
        if lowest == threshold:
            return -np.inf, lowest
        lowest = threshold
        best, depth, spent = fill(paths, pins, lowest, tables, path)
    while path[depth] < side - 1:
        i, most = path[depth], -np.inf
        for j in range(i + 1, next_end[i]):
            cost = spent + costs[i, j]
            if cost < width and allowed[i, j] + after[j, cost] > most:
                most, path[depth + 1] = allowed[i, j] + after[j, cost], j
        spent += costs[i, path[depth + 1]]
        depth += 1
    return best, lowest


@kernel
def _bounds(
    bigrams: Float64, costs: Int64, least: int, most: int
) -> tuple[Float64, Float64, Float64, Float64, float]:
    """The scores of paths over at least one word, and the rest of `Paths`."""
    side = len(bigrams)
    scores, through = np.empty((side, side)), np.empty((side, side))
    largest = 0.0
    for i in range(side):
        for j in range(side):
            scores[i, j] = bigrams[i, j] if i > 0 or j < side - 1 else -np.inf
            if scores[i, j] > -np.inf:
                largest = max(largest, abs(scores[i, j]))
    slack = _ROUNDING * side * (1.0 + largest)
    numbers, values, size = np.empty((3, side * side), np.int64), np.empty(side * side), 0
    before, after, amounts = numbers[0], numbers[1], numbers[2]
    for j in range(side):
        for i in range(side):
            through[i, j] = -np.inf
        for i in range(j):
            if scores[i, j] > -np.inf:
                before[size], after[size], values[size], amounts[size] = i, j, scores[i, j], costs[i, j]
                size += 1
    found = best_through_steps(before[:size], after[:size], values[:size], amounts[:size], least, most, side)
    for step in range(size):
        through[before[step], after[step]] = found[step]
    # over(w) = max over j of through(w, j); around(w) = max over i < w < j of through(i, j), w being a position
    over, around, ahead = np.empty(side - 2), np.empty(side - 2), np.empty(side)
    for j in range(side):
        ahead[j] = through[0, j]
    for word in range(side - 2):
        over[word] = around[word] = -np.inf
        for j in range(word + 2, side):
            around[word] = max(around[word], ahead[j])
            over[word] = max(over[word], through[word + 1, j])
            ahead[j] = max(ahead[j], through[word + 1, j])
    return scores, through, over, around, slack


@kernel
def best_through_steps(
    before: Int64, after: Int64, values: Float64, costs: Int64, least: int, most: int, contexts: int
) -> Float64:
    """The highest value of a path with each step that costs from least to most.

    Steps lead from contexts to later ones, from the first to the last, and are in order of those that they lead to.
    """
    # onward(context, c) = max over its steps of value + onward(next, c + cost); 0 at the end where least <= c <= most
    onward = np.full((contexts, most + 1), -np.inf)
    onward[contexts - 1, least:] = 0.0
    for step in range(len(values) - 1, -1, -1):
        here, there, value = onward[before[step]], onward[after[step]], values[step]
        # Unsigned indices need no test for negative ones, and so become vector instructions.
        cost = np.uint64(costs[step])
        if value > -np.inf:
            for spent in range(np.uint64(max(0, most + 1 - costs[step]))):
                whole = value + there[spent + cost]
                here[spent] = whole if whole > here[spent] else here[spent]
    # reached(next, c + cost) = max over the steps to it of reached(context, c) + value; reached(start, 0) = 0
    reached = np.full((contexts, most + 1), -np.inf)
    found = np.full(len(values), -np.inf)
    reached[0, 0] = 0.0
    for step in range(len(values)):
        here, there, value, ahead = (
            reached[before[step]],
            reached[after[step]],
            values[step],
            onward[after[step]],
        )
        cost, best = np.uint64(costs[step]), -np.inf
        if value > -np.inf:
            for spent in range(np.uint64(max(0, most + 1 - costs[step]))):
                so_far = here[spent] + value
                there[spent + cost] = so_far if so_far > there[spent + cost] else there[spent + cost]
                whole = so_far + ahead[spent + cost]
                best = whole if whole > best else best
            found[step] = best
    return found
