"""The best path: which words to keep when only neighbours in the compression are scored, in O(n²)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from laconic.decode.chart.decoder import BIGRAMS, ChartDecoder
from laconic.decode.chart.inputs import check_bigrams
from laconic.decode.chart.rules import UNIT, Int64, Rules
from laconic.kernel import kernel


class PathDecoder(ChartDecoder):
    """All compressions of a sentence as paths from the start over the kept words to the end.

    score = Σ bigram[word, next word] + Σ prices, with `bigram` of shape (n + 2, n + 2): 0 is the start, 1 … n
    the words, n + 1 the end. Cells [i, j] with i >= j are not read; -inf forbids. `Solution.structure` is
    None: the words say all.

    >>> import numpy as np
    >>> bigram = np.zeros((5, 5))
    >>> bigram[0, 1] = bigram[1, 3] = bigram[3, 4] = 1.0
    >>> PathDecoder(bigram).best().kept
    (0, 2)

    After McDonald (2006), where the best path is a Viterbi search over the last kept word.
    """

    def __init__(self, bigram: ArrayLike, *, gaps: ArrayLike | None = None) -> None:
        scores = check_bigrams(bigram)
        words = len(scores) - 2
        super().__init__(words, _path_rules(words), np.concatenate([[0.0], scores.ravel()]), gaps)

    def _structure(self, kept: tuple[int, ...], parts: Int64) -> None:  # noqa: ARG002
        return None


@kernel
def _unroll(n: int) -> Rules:
    # PATH(j) = max of bigram(0, j) and, over 1 <= i < j, PATH(i) + bigram(i, j): item j, as UNIT is item 0.
    # The goal is PATH(n + 1) without bigram(0, n + 1), which keeps no word.
    room = (n + 1) * (n + 2) // 2
    first = np.zeros(n + 3, np.int32)
    left = np.empty(room, np.int32)
    part = np.empty(room, np.int32)
    size = 0
    for j in range(1, n + 2):
        for i in range(0 if j <= n else 1, j):
            left[size] = i
            part[size] = BIGRAMS + i * (n + 2) + j
            size += 1
        first[j + 1] = size
    return Rules(first, left[:size], np.full(size, UNIT, np.int32), part[:size])


@lru_cache(maxsize=128)
def _path_rules(words: int) -> Rules:
    return _unroll(words)
