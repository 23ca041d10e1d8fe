"""The shapes of compressive parsing, first and second order, unrolled for one sentence length.

Positions are 0 for the start, which is also the root, 1 to n for the words, n + 1 for the end. An item
describes part of a compression between two positions:

    HOOK(i, j)      word i is kept, the words i + 1 … j are dropped, and j + 1 is kept or the end
    RIGHT(i, j)     the right dependents of word i with all below them; what follows their last word is
                    dropped up to j, and j + 1 is kept or the end
    LEFT(i, j)      the left dependents of word j with all below them, of which i is the first word;
                    LEFT(j, j) stands for none, and is UNIT
    GAP(i, j)       all between two kept words: RIGHT of i, then LEFT of j
    TO_R(i, j)      second order: i is the head of j, with all between them
    TO_L(i, j)      second order: j is the head of i, with all between them

The hook of a word predicts how many words are dropped after it and scores the bigram that jumps over them,
so that all rules combine neighbours, as in Eisner's algorithm, and dropping words costs no extra variable.
Each kept word has exactly one hook, which also carries its price and its cost. Every compression with its
tree has exactly one derivation, so sums over derivations are sums over compressions.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Int32
from laconic.decode.chart import FIRST_STEP
from laconic.forest.shape import NOTHING, UNIT, Shape, as_int64, shape_of
from laconic.kernel import inner_kernel, kernel

_GAP, _LEFT, _RIGHT = 0, 1, 2  # the items of a span in first order
_HOOK2, _GAP2, _TO_R2, _TO_L2, _LEFT2, _RIGHT2 = 0, 1, 2, 3, 4, 5  # in second order


def arcs_begin(words: int) -> int:
    """The part of the first arc: arcs follow the bigrams, [head, dependent] or [head, sibling, dependent]."""
    return FIRST_STEP + (words + 2) ** 2


@lru_cache(maxsize=96)  # of few words as of many
def first_order_shape(words: int, single_root: bool) -> Shape:
    """The shape with a score for each arc: O(n³) edges."""
    return _shape(*_unroll_first_order(words, single_root, _spans(words, 3)))


@lru_cache(maxsize=32)
def second_order_shape(words: int, single_root: bool) -> Shape:
    """The shape with a score for each arc and the previous dependent on its side: O(n³) edges, twice as many."""
    return _shape(*_unroll_second_order(words, single_root, _spans(words, 6)))


def _shape(first: Int32, edges: NDArray[np.int32]) -> Shape:
    left, right, part = (np.ascontiguousarray(column) for column in edges[: first[-1]].T)
    return shape_of(first, left, right, part)


def _spans(words: int, kinds: int) -> NDArray[np.int32]:
    """The number of the first item of every span [i, j]: by descending i, then ascending j, after UNIT.

    So tails come before what they make.
    """
    i, j = np.ogrid[: words + 1, : words + 1]
    spans: NDArray[np.int32] = 1 + ((words - i) * (words - i + 1) // 2 + j - i).astype(np.int32) * kinds
    return spans


@kernel
def _unroll_first_order(
    n: int, single_root: bool, span: NDArray[np.int32]
) -> tuple[Int32, NDArray[np.int32]]:
    spans = (n + 1) * (n + 2) // 2
    splits = n * (n + 1) * (n + 2) // 6
    first = np.empty(3 * spans + 3, np.int32)  # UNIT, the spans, the goal, the end
    unit, nothing, size = as_int64(UNIT), as_int64(NOTHING), as_int64(0)
    first[UNIT] = first[UNIT + 1] = 0
    edges = np.empty((3 * splits + spans + n, 3), np.int32)
    arcs = FIRST_STEP + (n + 2) * (n + 2)
    item = UNIT + 1
    for i in range(n, -1, -1):
        for j in range(i, n + 1):
            # GAP(i, j) = max over i <= k < j of RIGHT(i, k) + LEFT(k + 1, j)
            for k in range(i, j):
                left = span[k + 1, j] + _LEFT if k + 1 < j else unit
                size = _add(edges, size, span[i, k] + _RIGHT, left, nothing)
            first[item + 1] = size
            # LEFT(i, j) = max over i <= k < j of LEFT(i, k) + GAP(k, j) + arc(j, k); the root has none
            if i > 0:
                for k in range(i, j):
                    left = span[i, k] + _LEFT if i < k else unit
                    size = _add(edges, size, span[k, j] + _GAP, left, arcs + j * (n + 1) + k)
            first[item + 2] = size
            # RIGHT(i, j) = max of bigram(i, j + 1) and, over i < k <= j, GAP(i, k) + arc(i, k) + RIGHT(k, j);
            # a single root takes its one dependent in the goal
            size = _add(edges, size, unit, unit, FIRST_STEP + i * (n + 2) + j + 1)
            if i > 0 or not single_root:
                for k in range(i + 1, j + 1):
                    size = _add(edges, size, span[i, k] + _GAP, span[k, j] + _RIGHT, arcs + i * (n + 1) + k)
            first[item + 3] = size
            item += 3
    # goal = max over 1 <= k <= n of GAP(0, k) + arc(0, k) + RIGHT(k, n)
    for k in range(1, n + 1):
        size = _add(edges, size, span[0, k] + _GAP, span[k, n] + _RIGHT, arcs + k)
    first[item + 1] = size
    return first, edges


@kernel
def _unroll_second_order(
    n: int, single_root: bool, span: NDArray[np.int32]
) -> tuple[Int32, NDArray[np.int32]]:
    spans = (n + 1) * (n + 2) // 2
    splits = n * (n + 1) * (n + 2) // 6
    first = np.empty(6 * spans + 3, np.int32)  # UNIT, the spans, the goal, the end
    unit, nothing, size = as_int64(UNIT), as_int64(NOTHING), as_int64(0)
    first[UNIT] = first[UNIT + 1] = 0
    edges = np.empty((6 * splits + 3 * spans + n, 3), np.int32)
    arcs = FIRST_STEP + (n + 2) * (n + 2)
    side = n + 1
    item = UNIT + 1
    for i in range(n, -1, -1):
        for j in range(i, n + 1):
            # HOOK(i, j) = bigram(i, j + 1)
            size = _add(edges, size, unit, unit, FIRST_STEP + i * (n + 2) + j + 1)
            first[item + 1] = size
            # GAP(i, j) = max over i <= k < j of RIGHT(i, k) + LEFT(k + 1, j), between two siblings
            if i > 0:
                for k in range(i, j):
                    left = span[k + 1, j] + _LEFT2 if k + 1 < j else unit
                    size = _add(edges, size, span[i, k] + _RIGHT2, left, nothing)
            first[item + 2] = size
            # TO_R(i, j) = max of HOOK(i, k) + LEFT(k + 1, j) + arc(i, i, j) over i <= k < j: no sibling
            #          and TO_R(i, k) + GAP(k, j) + arc(i, k, j) over i < k < j: sibling k
            for k in range(i, j):
                left = span[k + 1, j] + _LEFT2 if k + 1 < j else unit
                size = _add(edges, size, span[i, k] + _HOOK2, left, arcs + (i * side + i) * side + j)
            if i > 0 or not single_root:
                for k in range(i + 1, j):
                    sibling = arcs + (i * side + k) * side + j
                    size = _add(edges, size, span[i, k] + _TO_R2, span[k, j] + _GAP2, sibling)
            first[item + 3] = size
            # TO_L(i, j) = max of RIGHT(i, j - 1) + arc(j, j, i): no sibling
            #          and GAP(i, k) + TO_L(k, j) + arc(j, k, i) over i < k < j: sibling k
            if 0 < i < j:
                size = _add(edges, size, span[i, j - 1] + _RIGHT2, unit, arcs + (j * side + j) * side + i)
                for k in range(i + 1, j):
                    sibling = arcs + (j * side + k) * side + i
                    size = _add(edges, size, span[i, k] + _GAP2, span[k, j] + _TO_L2, sibling)
            first[item + 4] = size
            # LEFT(i, j) = max over i <= k < j of LEFT(i, k) + TO_L(k, j)
            if i > 0:
                for k in range(i, j):
                    left = span[i, k] + _LEFT2 if i < k else unit
                    size = _add(edges, size, span[k, j] + _TO_L2, left, nothing)
            first[item + 5] = size
            # RIGHT(i, j) = max of HOOK(i, j) and, over i < k <= j, TO_R(i, k) + RIGHT(k, j)
            if i > 0:
                size = _add(edges, size, span[i, j] + _HOOK2, unit, nothing)
                for k in range(i + 1, j + 1):
                    size = _add(edges, size, span[i, k] + _TO_R2, span[k, j] + _RIGHT2, nothing)
            first[item + 6] = size
            item += 6
    # goal = max over 1 <= k <= n of TO_R(0, k) + RIGHT(k, n): k is the last dependent of the root
    for k in range(1, n + 1):
        size = _add(edges, size, span[0, k] + _TO_R2, span[k, n] + _RIGHT2, nothing)
    first[item + 1] = size
    return first, edges


@inner_kernel
def _add(edges: NDArray[np.int32], size: int, left: int, right: int, part: int) -> int:
    """Add an edge behind so many; returns how many there are."""
    edges[size, 0], edges[size, 1], edges[size, 2] = left, right, part
    return size + 1
