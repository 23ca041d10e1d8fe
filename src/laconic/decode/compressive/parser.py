"""Compressive parsing: the best words to keep, with the best projective tree over them, in O(n³)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.decode.chart.decoder import ChartDecoder
from laconic.decode.chart.inputs import check_arcs, check_bigrams, check_siblings
from laconic.decode.chart.rules import Float64, Int64
from laconic.decode.compressive.rules import arcs_begin, first_order_rules, second_order_rules
from laconic.decode.contract import Limit


@dataclass(frozen=True, slots=True)
class Marginals:
    """The log partition and its gradient by the scores: the probabilities of words, bigrams, arcs, siblings.

    `siblings` is None in first order.
    """

    log_partition: float
    words: Float64
    bigrams: Float64
    arcs: Float64
    siblings: Float64 | None


class CompressiveParser(ChartDecoder):
    """All compressions of a sentence with a projective dependency tree over the kept words.

    score = Σ arc[head, word] + Σ bigram[word, next word] (+ Σ sibling[head, previous, word]) + Σ prices.

    Positions are 0 for the start and the root, 1 … n for the words, n + 1 for the end: `arc` has shape
    (n + 1, n + 1), `bigram` (n + 2, n + 2) and `sibling` (n + 1, n + 1, n + 1), where `previous` is the
    dependent of the head before this one, counted from the head outwards, or the head itself if there is
    none on that side. Cells that name no arc and no bigram are not read. A score of -inf forbids. A
    `single_root` has one dependent; otherwise the root has one or more.

    `Solution.structure` holds the heads of the kept words, as indices into `kept`, -1 for the root.

    >>> import numpy as np
    >>> arc, bigram = np.zeros((4, 4)), np.zeros((5, 5))
    >>> arc[0, 2] = arc[2, 1] = bigram[1, 2] = 1.0  # the second word is the root, the first depends on it
    >>> arc[:, 3] = -1.0  # nothing wants the third
    >>> best = CompressiveParser(arc, bigram).best()
    >>> best.kept, best.structure, best.score
    ((0, 1), (1, -1), 3.0)

    First order after Eisner (1996), second order after McDonald and Pereira (2006), both with hooks for the
    dropped words.
    """

    def __init__(
        self,
        arc: ArrayLike,
        bigram: ArrayLike,
        *,
        sibling: ArrayLike | None = None,
        single_root: bool = True,
        gaps: ArrayLike | None = None,
    ) -> None:
        bigrams = check_bigrams(bigram)
        words = len(bigrams) - 2
        scores = check_arcs(arc, words)
        self._second_order = sibling is not None
        rules = (second_order_rules if self._second_order else first_order_rules)(words, single_root)
        if sibling is not None:
            scores = check_siblings(sibling, words) + scores[:, None, :]
        super().__init__(words, rules, np.concatenate([[0.0], bigrams.ravel(), scores.ravel()]), gaps)

    def marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Marginals:
        """The probability of everything that is scored, under the distribution exp(score)/Z."""
        total, parts = self._expected_parts(prices, limit)
        side = self._words + 1
        bigrams = self._bigrams(parts)
        arcs = parts[arcs_begin(self._words) :]
        siblings = arcs.reshape(side, side, side) if self._second_order else None
        heads = arcs.reshape(side, side) if siblings is None else siblings.sum(axis=1)
        return Marginals(total, bigrams[1:-1].sum(axis=1), bigrams, heads, siblings)

    def arc_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Float64:
        """The probability [h, m] that m is kept with head h, under the distribution exp(score)/Z."""
        return self.marginals(prices=prices, limit=limit).arcs

    def _structure(self, kept: tuple[int, ...], parts: Int64) -> tuple[int, ...]:
        side = self._words + 1
        begin = arcs_begin(self._words)
        arcs = parts[parts >= begin] - begin
        heads = arcs // (side * side) if self._second_order else arcs // side
        head_of = np.zeros(side, np.int64)
        head_of[arcs % side] = heads
        place = np.full(side, -1, np.int64)
        words = np.array(kept) + 1
        place[words] = np.arange(len(kept))
        return tuple(place[head_of[words]].tolist())
