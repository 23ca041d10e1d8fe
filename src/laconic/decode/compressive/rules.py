"""The deduction rules of compressive parsing, first and second order, unrolled for one sentence length.

Positions are 0 for the start, which is also the root, 1 to n for the words, n + 1 for the end. An item
describes part of a compression between two positions:

    HOOK(i, j)      word i is kept, the words i + 1 … j are dropped, and j + 1 is kept or the end
    RIGHT(i, j)     the right dependents of word i with all below them; what follows their last word is
                    dropped up to j, and j + 1 is kept or the end
    LEFT(i, j)      the left dependents of word j with all below them, of which i is the first word;
                    LEFT(j, j) stands for none, and is UNIT in the rules
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

from laconic.decode.chart.decoder import BIGRAMS
from laconic.decode.chart.rules import NOTHING, UNIT, Int32, Rules
from laconic.kernel import kernel

_GAP, _LEFT, _RIGHT = 0, 1, 2  # the items of a span in first order
_HOOK2, _GAP2, _TO_R2, _TO_L2, _LEFT2, _RIGHT2 = 0, 1, 2, 3, 4, 5  # in second order


def arcs_begin(words: int) -> int:
    """The part of the first arc: arcs follow the bigrams, [head, dependent] or [head, sibling, dependent]."""
    return BIGRAMS + (words + 2) ** 2


@kernel
def _item(n: int, kinds: int, kind: int, i: int, j: int) -> int:
    # Spans are numbered by descending i, then ascending j: premises come before what they prove.
    return 1 + ((n - i) * (n - i + 1) // 2 + j - i) * kinds + kind


@kernel
def _add(left: Int32, right: Int32, part: Int32, size: int, premise: int, other: int, introduced: int) -> int:
    left[size] = premise
    right[size] = other
    part[size] = introduced
    return size + 1


@kernel
def _unroll_first_order(n: int, single_root: bool) -> Rules:
    spans = (n + 1) * (n + 2) // 2
    splits = n * (n + 1) * (n + 2) // 6
    room = 3 * splits + spans + n
    first = np.zeros(3 * spans + 3, np.int32)  # UNIT, the spans, the goal, the end
    left = np.empty(room, np.int32)
    right = np.empty(room, np.int32)
    part = np.empty(room, np.int32)
    arcs = BIGRAMS + (n + 2) * (n + 2)
    size = 0
    item = UNIT + 1
    for i in range(n, -1, -1):
        for j in range(i, n + 1):
            # GAP(i, j) = max over i <= k < j of RIGHT(i, k) + LEFT(k + 1, j)
            for k in range(i, j):
                after = _item(n, 3, _LEFT, k + 1, j) if k + 1 < j else UNIT
                size = _add(left, right, part, size, _item(n, 3, _RIGHT, i, k), after, NOTHING)
            first[item + 1] = size
            # LEFT(i, j) = max over i <= k < j of LEFT(i, k) + GAP(k, j) + arc(j, k); the root has none
            if i > 0:
                for k in range(i, j):
                    before = _item(n, 3, _LEFT, i, k) if i < k else UNIT
                    size = _add(
                        left, right, part, size, _item(n, 3, _GAP, k, j), before, arcs + j * (n + 1) + k
                    )
            first[item + 2] = size
            # RIGHT(i, j) = max of bigram(i, j + 1) and, over i < k <= j, GAP(i, k) + arc(i, k) + RIGHT(k, j);
            # a single root takes its one dependent in the goal
            size = _add(left, right, part, size, UNIT, UNIT, BIGRAMS + i * (n + 2) + j + 1)
            if i > 0 or not single_root:
                for k in range(i + 1, j + 1):
                    after = _item(n, 3, _RIGHT, k, j)
                    size = _add(
                        left, right, part, size, _item(n, 3, _GAP, i, k), after, arcs + i * (n + 1) + k
                    )
            first[item + 3] = size
            item += 3
    # goal = max over 1 <= k <= n of GAP(0, k) + arc(0, k) + RIGHT(k, n)
    for k in range(1, n + 1):
        size = _add(left, right, part, size, _item(n, 3, _GAP, 0, k), _item(n, 3, _RIGHT, k, n), arcs + k)
    first[item + 1] = size
    return Rules(first, left[:size], right[:size], part[:size])


@kernel
def _unroll_second_order(n: int, single_root: bool) -> Rules:
    spans = (n + 1) * (n + 2) // 2
    splits = n * (n + 1) * (n + 2) // 6
    room = 6 * splits + 3 * spans + n
    first = np.zeros(6 * spans + 3, np.int32)  # UNIT, the spans, the goal, the end
    left = np.empty(room, np.int32)
    right = np.empty(room, np.int32)
    part = np.empty(room, np.int32)
    arcs = BIGRAMS + (n + 2) * (n + 2)
    side = n + 1
    size = 0
    item = UNIT + 1
    for i in range(n, -1, -1):
        for j in range(i, n + 1):
            # HOOK(i, j) = bigram(i, j + 1)
            size = _add(left, right, part, size, UNIT, UNIT, BIGRAMS + i * (n + 2) + j + 1)
            first[item + 1] = size
            # GAP(i, j) = max over i <= k < j of RIGHT(i, k) + LEFT(k + 1, j), between two siblings
            if i > 0:
                for k in range(i, j):
                    after = _item(n, 6, _LEFT2, k + 1, j) if k + 1 < j else UNIT
                    size = _add(left, right, part, size, _item(n, 6, _RIGHT2, i, k), after, NOTHING)
            first[item + 2] = size
            # TO_R(i, j) = max of HOOK(i, k) + LEFT(k + 1, j) + arc(i, i, j) over i <= k < j: no sibling
            #          and TO_R(i, k) + GAP(k, j) + arc(i, k, j) over i < k < j: sibling k
            for k in range(i, j):
                after = _item(n, 6, _LEFT2, k + 1, j) if k + 1 < j else UNIT
                arc = arcs + (i * side + i) * side + j
                size = _add(left, right, part, size, _item(n, 6, _HOOK2, i, k), after, arc)
            if i > 0 or not single_root:
                for k in range(i + 1, j):
                    arc = arcs + (i * side + k) * side + j
                    between = _item(n, 6, _GAP2, k, j)
                    size = _add(left, right, part, size, _item(n, 6, _TO_R2, i, k), between, arc)
            first[item + 3] = size
            # TO_L(i, j) = max of RIGHT(i, j - 1) + arc(j, j, i): no sibling
            #          and GAP(i, k) + TO_L(k, j) + arc(j, k, i) over i < k < j: sibling k
            if 0 < i < j:
                arc = arcs + (j * side + j) * side + i
                size = _add(left, right, part, size, _item(n, 6, _RIGHT2, i, j - 1), UNIT, arc)
                for k in range(i + 1, j):
                    arc = arcs + (j * side + k) * side + i
                    nearer = _item(n, 6, _TO_L2, k, j)
                    size = _add(left, right, part, size, _item(n, 6, _GAP2, i, k), nearer, arc)
            first[item + 4] = size
            # LEFT(i, j) = max over i <= k < j of LEFT(i, k) + TO_L(k, j)
            if i > 0:
                for k in range(i, j):
                    before = _item(n, 6, _LEFT2, i, k) if i < k else UNIT
                    size = _add(left, right, part, size, _item(n, 6, _TO_L2, k, j), before, NOTHING)
            first[item + 5] = size
            # RIGHT(i, j) = max of HOOK(i, j) and, over i < k <= j, TO_R(i, k) + RIGHT(k, j)
            if i > 0:
                size = _add(left, right, part, size, _item(n, 6, _HOOK2, i, j), UNIT, NOTHING)
                for k in range(i + 1, j + 1):
                    after = _item(n, 6, _RIGHT2, k, j)
                    size = _add(left, right, part, size, _item(n, 6, _TO_R2, i, k), after, NOTHING)
            first[item + 6] = size
            item += 6
    # goal = max over 1 <= k <= n of TO_R(0, k) + RIGHT(k, n): k is the last dependent of the root
    for k in range(1, n + 1):
        after = _item(n, 6, _RIGHT2, k, n)
        size = _add(left, right, part, size, _item(n, 6, _TO_R2, 0, k), after, NOTHING)
    first[item + 1] = size
    return Rules(first, left[:size], right[:size], part[:size])


@lru_cache(maxsize=32)
def first_order_rules(words: int, single_root: bool) -> Rules:
    """The rules with a score for each arc: O(n³) of them."""
    return _unroll_first_order(words, single_root)


@lru_cache(maxsize=32)
def second_order_rules(words: int, single_root: bool) -> Rules:
    """The rules with a score for each arc and the previous dependent on its side: O(n³), twice as many."""
    return _unroll_second_order(words, single_root)
