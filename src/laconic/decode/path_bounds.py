"""Bounds from paths: no tree over a compression scores more than its path with every word's best head.

Over paths, a limit on the cost is cheap to keep exactly. So where arcs count little beside bigrams, the best path
with its best tree is nearly the best of all, and few paths that may be better are looked at one by one. Nothing is
lost: what is left out is proven worse.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int8, Int64
from laconic.kernel import inner_kernel, kernel

_WIDEST = 1 << 12
"""The greatest cost up to which paths are counted; beyond, the tables would cost more than they save."""

_LARGEST = 30_000_000  # sums in a table, likewise
_ROUNDING = 1e-12  # of each term of a sum, relative to the largest; more only searches more
_NEARLY = 3.0  # below what is promised, where the best mostly is: to look no further is faster


class Paths(NamedTuple):
    """All paths from position 0 over at least one word to the last position that cost from least to most.

    There are arcs over them, or none at all. `bounds` are the scores of bigrams with the best head of the word that
    each leaves; `through`, `over` and `around` are the best of the paths through each, over each word and not over it;
    `slack` is what rounding may do to the sum of a path.
    """

    bounds: Float64
    bigrams: Float64
    arcs: Float64
    costs: Int64
    through: Float64
    over: Float64
    around: Float64
    slack: float
    least: int
    most: int
    single_root: bool


def paths_of(
    bigrams: Float64, arcs: Float64, costs: Int64, least: int, most: int, *, single_root: bool = True
) -> Paths | None:
    """The paths over these scores; None where costs are too great to count."""
    greatest = min(most, int(costs.max(axis=1).sum()))
    if greatest > _WIDEST or greatest * bigrams.size > _LARGEST:
        return None
    bounds = bigrams + _best_heads(arcs)[:, None] if arcs.size else bigrams.copy()
    bounds[0, -1] = -np.inf
    largest = float(np.abs(bounds, where=bounds > -np.inf, out=np.zeros_like(bounds)).max())
    slack = _ROUNDING * len(bounds) * (1.0 + largest)
    unknown = np.full(len(bounds) - 2, np.inf)
    paths = Paths(
        bounds, bigrams, arcs, costs, bounds, unknown, unknown, slack, least, greatest, single_root
    )  # fmt: skip
    through = _best_through(paths, tables_of(paths))
    from_no_later = np.maximum.accumulate(through, axis=0)
    to_no_earlier = np.maximum.accumulate(from_no_later[:, ::-1], axis=1)[:, ::-1]
    over, around = through[1:-1].max(axis=1), np.diagonal(to_no_earlier, 2).copy()
    return paths._replace(through=through, over=over, around=around)


def _best_heads(arc: Float64) -> Float64:
    """The score of each position's best head; 0 for the start and the end, which have none."""
    scores = arc[:, 1:].copy()
    words = np.arange(scores.shape[1])
    scores[words + 1, words] = -np.inf
    return np.concatenate([[0.0], scores.max(axis=0), [0.0]])


class Tables(NamedTuple):
    """The scores of the bigrams (i, j) that paths with some pins may use, j < stops[i], and what may follow positions.

    after(i, c) = max over j > i of score(i, j) + after(j, c + cost(i, j)); after(end, c) = 0 where least <= c <= most.
    """

    allowed: Float64
    stops: Int64
    after: Float64


def tables_of(paths: Paths) -> Tables:
    """Tables to be filled."""
    side = len(paths.bounds)
    return Tables(np.empty((side, side)), np.empty(side, np.int64), np.empty((side, paths.most + 1)))


@inner_kernel
def _fill(paths: Paths, pins: Int8, threshold: float, tables: Tables) -> float:
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
            score = -np.inf if pin < 0 or paths.through[i, j] < lowest else paths.bounds[i, j]
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
    paths: Paths, pins: Int8, threshold: float, promised: float, tables: Tables
) -> tuple[float, float]:
    """The score of the best path with these pins, -inf if it is below the threshold, and what tables are filled for.

    They are filled for less than all that scores the threshold where the best is near to what is promised.
    """
    lowest = max(threshold, promised - _NEARLY)
    best = _fill(paths, pins, lowest, tables)
    if best < lowest - paths.slack and lowest > threshold:
        lowest = threshold
        best = _fill(paths, pins, lowest, tables)
    return best if best >= lowest - paths.slack else -np.inf, lowest


@kernel
def _best_through(paths: Paths, tables: Tables) -> Float64:
    # before(j, c + cost(i, j)) = max over i < j of before(i, c) + score(i, j); before(start, 0) = 0
    # through(i, j) = max over c of before(i, c) + score(i, j) + after(j, c + cost(i, j))
    after = tables.after
    side, width = after.shape
    _fill(paths, np.zeros(side - 2, np.int8), -np.inf, tables)
    before, through = np.empty((side, width)), np.empty((side, side))
    for j in range(side):
        for c in range(width):
            before[j, c] = 0.0 if j == 0 and c == 0 else -np.inf
        for i in range(side):
            through[i, j] = -np.inf
        for i in range(j):
            score, cost = paths.bounds[i, j], paths.costs[i, j]
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
def best_on_paths(
    paths: Paths, pins: Int8, threshold: float, promised: float, looks: int, tables: Tables, kept: Int8
) -> tuple[float, bool]:
    """The score of the best compression with these pins, if it is at least the threshold, and which words it keeps.

    No path scores more than what is `promised`. With so many looks at trees, there may be a better one; otherwise it
    is certain. A score of -inf says that there is none.
    """
    allowed, stops, after = tables
    side, width = after.shape
    highest, lowest = best_path(paths, pins, threshold, promised, tables)
    if highest == -np.inf:
        return -np.inf, True
    # The best path with its best tree is known to be within the limit, and few others promise more.
    path, following = np.zeros(side, np.int64), np.empty(side, np.int64)
    spent, value = np.zeros(side, np.int64), np.zeros(side)
    depth = 0
    while path[depth] < side - 1:
        i, best = path[depth], -np.inf
        for j in range(i + 1, stops[i]):
            cost = spent[depth] + paths.costs[i, j]
            if cost < width and allowed[i, j] + after[j, cost] > best:
                best = allowed[i, j] + after[j, cost]
                path[depth + 1], spent[depth + 1] = j, cost
        depth += 1
    score = _best_tree(paths, path, depth)
    _keep(path, depth, kept)
    if max(score, threshold) < lowest:
        _fill(paths, pins, max(score, threshold), tables)
    # Depth first, along what can still be better; one of these is that path again.
    needed = max(score, threshold) - paths.slack
    depth, following[0] = 0 if score < highest - paths.slack else -1, 1
    while depth >= 0 and looks > 0:
        i, j = path[depth], following[depth]
        if i == side - 1:
            looks -= 1
            found = _best_tree(paths, path, depth)
            if found > score:
                score, needed = found, max(needed, found - paths.slack)
                _keep(path, depth, kept)
        if j >= stops[i]:
            depth -= 1
            continue
        following[depth] += 1
        cost = spent[depth] + paths.costs[i, j]
        reached = value[depth] + allowed[i, j]
        if cost < width and reached > -np.inf and reached + after[j, cost] >= needed:
            depth += 1
            path[depth], following[depth], spent[depth], value[depth] = j, j + 1, cost, reached
    return score if score >= threshold - paths.slack else -np.inf, looks > 0


@inner_kernel
def _keep(path: Int64, size: int, kept: Int8) -> None:
    for word in range(len(kept)):
        kept[word] = 0
    for place in range(1, size):
        kept[path[place] - 1] = 1


@inner_kernel
def _best_tree(paths: Paths, path: Int64, size: int) -> float:
    """The score of a path with its best tree, after Eisner (1996).

    Items over places i <= j of the path: R[i, j] headed by i; L[i, j] headed by j; A[i, j] and B[i, j] with an arc
    between both. The root is place 0. Without arcs there is nothing but the path.
    """
    total = paths.bigrams[path[size - 1], path[size]]
    for place in range(1, size):
        total += paths.bigrams[path[place - 1], path[place]]
    if paths.arcs.size == 0:
        return float(total)
    right, left = np.empty((size, size)), np.empty((size, size))
    arc_right, arc_left = np.empty((size, size)), np.empty((size, size))
    first = 1 if paths.single_root else 0
    for i in range(size):
        right[i, i] = left[i, i] = 0.0
    for j in range(1, size):
        for i in range(j - 1, first - 1, -1):
            # A[i, j] = arc(i, j) + max over i <= k < j of R[i, k] + L[k + 1, j]; B likewise with arc(j, i)
            best = -np.inf
            for k in range(i, j):
                best = max(best, right[i, k] + left[k + 1, j])
            arc_right[i, j] = best + paths.arcs[path[i], path[j]]
            arc_left[i, j] = best + paths.arcs[path[j], path[i]]
            # R[i, j] = max over i < k <= j of A[i, k] + R[k, j]
            best = -np.inf
            for k in range(i + 1, j + 1):
                best = max(best, arc_right[i, k] + right[k, j])
            right[i, j] = best
            # L[i, j] = max over i <= k < j of L[i, k] + B[k, j]
            best = -np.inf
            for k in range(i, j):
                best = max(best, left[i, k] + arc_left[k, j])
            left[i, j] = best
    if not paths.single_root:
        return float(total + right[0, size - 1])
    best = -np.inf
    for root in range(1, size):
        best = max(best, paths.arcs[0, path[root]] + left[1, root] + right[root, size - 1])
    return float(total + best)
