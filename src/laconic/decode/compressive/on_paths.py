"""The best tree within a limit, by paths.

No tree over a compression scores more than its path with every word's best head. So where arcs count little beside
bigrams, the best path with its best tree is nearly the best of all, and few paths that may be better are looked at one
by one. Nothing is lost: what is left out is proven worse.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int8, Int64
from laconic.decode.counted_paths import Paths, PathTables, best_path, fill, paths_of
from laconic.forest.shape import frozen
from laconic.kernel import inner_kernel, kernel


class Trees(NamedTuple):
    """What is scored, and the paths that bound it: their bigrams have the best head of the word that each leaves."""

    paths: Paths
    bigrams: Float64
    arcs: Float64
    single_root: bool


def trees_of(
    bigrams: Float64, arcs: Float64, costs: Int64, least: int, most: int, *, single_root: bool = True
) -> Trees | None:
    """The trees over these scores; None where costs are too great to count."""
    paths = paths_of(frozen(bigrams + _best_heads(arcs)[:, None]), costs, least, most)
    return None if paths is None else Trees(paths, bigrams, arcs, single_root)


def _best_heads(arc: Float64) -> Float64:
    """The score of each position's best head; 0 for the start and the end, which have none."""
    scores = arc[:, 1:].copy()
    words = np.arange(scores.shape[1])
    scores[words + 1, words] = -np.inf
    return np.concatenate([[0.0], scores.max(axis=0), [0.0]])


@kernel
def best_on_paths(
    trees: Trees, promised: float, looks: int, tables: PathTables, kept: Int8
) -> tuple[float, bool]:
    """The score of the best compression, and which words it keeps; -inf if there is none.

    No path scores more than what is `promised`. With so many looks at trees, there may be a better one; otherwise it
    is certain.
    """
    paths, (allowed, next_end, after, _, _) = trees.paths, tables
    side, width = after.shape
    free, path, following = np.zeros(side - 2, np.int8), np.zeros(side, np.int64), np.empty(side, np.int64)
    highest, lowest = best_path(paths, free, -np.inf, promised, tables, path)
    if highest == -np.inf:
        return -np.inf, True
    # The best path with its best tree is known to be within the limit, and few others promise more.
    depth = 0
    while path[depth] < side - 1:
        depth += 1
    score = _best_tree(trees, path, depth)
    _keep(path, depth, kept)
    if score < lowest:
        fill(paths, free, score, tables, path)
    # Depth first, along what can still be better; one of these is that path again.
    spent, value = np.zeros(side, np.int64), np.zeros(side)
    needed = score - paths.slack
    depth, following[0] = 0 if score < highest - paths.slack else -1, 1
    while depth >= 0 and looks > 0:
        i, j = path[depth], following[depth]
        if i == side - 1:
            looks -= 1
            found = _best_tree(trees, path, depth)
            if found > score:
                score, needed = found, found - paths.slack
                _keep(path, depth, kept)
        if j >= next_end[i]:
            depth -= 1
            continue
        following[depth] += 1
        cost = spent[depth] + paths.costs[i, j]
        reached = value[depth] + allowed[i, j]
        if cost < width and reached > -np.inf and reached + after[j, cost] >= needed:
            depth += 1
            path[depth], following[depth], spent[depth], value[depth] = j, j + 1, cost, reached
    return score, looks > 0


@inner_kernel
def _keep(path: Int64, size: int, kept: Int8) -> None:
    for word in range(len(kept)):
        kept[word] = 0
    for place in range(1, size):
        kept[path[place] - 1] = 1


@inner_kernel
def _best_tree(trees: Trees, path: Int64, size: int) -> float:
    """The score of a path with its best tree, after Eisner (1996).

    Items over places i <= j of the path: R[i, j] headed by i; L[i, j] headed by j; A[i, j] and B[i, j] with an arc
    between both. The root is place 0.
    """
    total = trees.bigrams[path[size - 1], path[size]]
    for place in range(1, size):
        total += trees.bigrams[path[place - 1], path[place]]
    right, left = np.empty((size, size)), np.empty((size, size))
    arc_right, arc_left = np.empty((size, size)), np.empty((size, size))
    first = 1 if trees.single_root else 0
    for i in range(size):
        right[i, i] = left[i, i] = 0.0
    for j in range(1, size):
        for i in range(j - 1, first - 1, -1):
            # A[i, j] = arc(i, j) + max over i <= k < j of R[i, k] + L[k + 1, j]; B likewise with arc(j, i)
            best = -np.inf
            for k in range(i, j):
                best = max(best, right[i, k] + left[k + 1, j])
            arc_right[i, j] = best + trees.arcs[path[i], path[j]]
            arc_left[i, j] = best + trees.arcs[path[j], path[i]]
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
    if not trees.single_root:
        return float(total + right[0, size - 1])
    best = -np.inf
    for root in range(1, size):
        best = max(best, trees.arcs[0, path[root]] + left[1, root] + right[root, size - 1])
    return float(total + best)
