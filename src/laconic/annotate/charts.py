"""The annotator's two decoders: scores of spans and arcs to the best well-formed tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float32
from laconic.kernel import kernel

Scores = Float32


@kernel
def best_spans(gains: Scores) -> NDArray[np.int32]:
    """The spans of the binary bracketing with the highest sum of gains, by CKY in O(n^3).

    gains[i, j] is what the best label of words i … j-1 is worth more than no label; a span worth less
    than nothing stays without a label and only holds the bracketing together. Returns the (start, end)
    of every labelled span in preorder. Ties go to the leftmost split.
    """
    n = gains.shape[0] - 1
    # Cells are read only where they were written: to compile code that fills arrays takes longer than all else.
    best = np.empty((n + 1, n + 1), np.float32)
    mirrored = np.empty(
        (n + 1, n + 1), np.float32
    )  # mirrored[j, i] = best[i, j], so that both operands run along rows
    split = np.empty((n + 1, n + 1), np.int32)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            # best[i, j] = max(0, gains[i, j]) + max_{i < k < j} best[i, k] + best[k, j]
            total = np.float32(0.0)
            if width > 1:
                total = np.float32(-np.inf)
                split[i, j] = i + 1
                for k in range(i + 1, j):
                    value = best[i, k] + mirrored[j, k]
                    if value > total:
                        total = value
                        split[i, j] = k
            total += max(np.float32(0.0), gains[i, j])
            best[i, j] = total
            mirrored[j, i] = total
    spans = np.empty((2 * n, 2), np.int32)
    stack = np.empty((2 * n + 2, 2), np.int32)
    count, depth = 0, 0
    if n > 0:
        stack[0, 0], stack[0, 1] = 0, n
        depth = 1
    while depth > 0:
        depth -= 1
        i, j = stack[depth, 0], stack[depth, 1]
        if gains[i, j] > 0:
            spans[count, 0], spans[count, 1] = i, j
            count += 1
        if j - i > 1:
            k = split[i, j]
            stack[depth, 0], stack[depth, 1] = k, j
            stack[depth + 1, 0], stack[depth + 1, 1] = i, k
            depth += 2
    return spans[:count]


@kernel
def best_heads(scores: Scores) -> NDArray[np.int32]:
    """The heads of the best projective tree with one root, by Eisner's algorithm in O(n^3).

    scores[m, h] is the score of the arc from h to m, both from 0 to n; 0 is the root. Returns for each
    word its head, 0-based, -1 for the root. Ties go to the leftmost split.

    Items over words i <= j (1-based): R[i, j] complete, headed by i; L[i, j] complete, headed by j;
    and both with an arc between i and j, A[i, j] (i to j) and B[i, j] (j to i).
    """
    n = scores.shape[0] - 1
    zero = np.float32(-np.inf)
    side = (n + 2, n + 2)
    right, right_of = np.empty(side, np.float32), np.empty(side, np.float32)  # right_of[j, i] = R[i, j]
    left, left_of = np.empty(side, np.float32), np.empty(side, np.float32)  # left_of[j, i] = L[i, j]
    arc_right, arc_left = np.empty(side, np.float32), np.empty(side, np.float32)  # arc_right[j, i] = A[i, j]
    joint = np.empty(side, np.int32)
    right_split, left_split = np.empty(side, np.int32), np.empty(side, np.int32)
    for i in range(1, n + 1):
        right[i, i] = right_of[i, i] = left[i, i] = left_of[i, i] = np.float32(0.0)
        # Words of which no window of the network holds both score -inf: there is a tree over them all the same.
        for j in range(i + 1, n + 1):
            joint[i, j], right_split[i, j], left_split[i, j] = i, j, i
    for width in range(1, n):
        for i in range(1, n - width + 1):
            j = i + width
            # A[i, j] = score(i -> j) + max_{i <= k < j} R[i, k] + L[k+1, j]; B likewise with j -> i
            total = zero
            for k in range(i, j):
                value = right[i, k] + left_of[j, k + 1]
                if value > total:
                    total = value
                    joint[i, j] = k
            arc_right[j, i] = total + scores[j, i]
            arc_left[i, j] = total + scores[i, j]
            # R[i, j] = max_{i < k <= j} A[i, k] + R[k, j]
            total = zero
            for k in range(i + 1, j + 1):
                value = arc_right[k, i] + right_of[j, k]
                if value > total:
                    total = value
                    right_split[i, j] = k
            right[i, j] = right_of[j, i] = total
            # L[i, j] = max_{i <= k < j} L[i, k] + B[k, j]
            total = zero
            for k in range(i, j):
                value = left[i, k] + arc_left[k, j]
                if value > total:
                    total = value
                    left_split[i, j] = k
            left[i, j] = left_of[j, i] = total
    heads = np.empty(n, np.int32)
    root, total = 1, zero
    for r in range(1, n + 1):
        value = left[1, r] + right[r, n] + scores[r, 0]
        if value > total:
            root, total = r, value
    # Items still to be taken apart: (kind, i, j); kinds R, L, A, B as above.
    stack = np.empty((4 * n + 4, 3), np.int32)
    depth = 0
    if n > 0:
        stack[0, 0], stack[0, 1], stack[0, 2] = 1, 1, root
        stack[1, 0], stack[1, 1], stack[1, 2] = 0, root, n
        heads[root - 1] = -1
        depth = 2
    while depth > 0:
        depth -= 1
        kind, i, j = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        if i == j:
            continue
        if kind == 0:
            k = right_split[i, j]
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 2, i, k
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = 0, k, j
        elif kind == 1:
            k = left_split[i, j]
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 1, i, k
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = 3, k, j
        else:
            if kind == 2:
                heads[j - 1] = i - 1
            else:
                heads[i - 1] = j - 1
            k = joint[i, j]
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 0, i, k
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = 1, k + 1, j
        depth += 2
    return heads
