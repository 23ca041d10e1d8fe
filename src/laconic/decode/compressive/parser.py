"""Compressive parsing: the best words to keep, with the best projective tree over them, in O(n³)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int8, Int64
from laconic.decode.chart import FIRST_STEP, ChartDecoder, bigram_steps
from laconic.decode.compressive.on_paths import Trees, best_on_paths, trees_of
from laconic.decode.compressive.rules import arcs_begin, first_order_shape, second_order_shape
from laconic.decode.contract import Limit, Solution
from laconic.decode.counted_paths import tables_of
from laconic.decode.decoder import Query
from laconic.decode.inputs import check_arcs, check_bigrams, check_siblings
from laconic.forest.limits import best_parts, best_parts_above
from laconic.forest.shape import NOTHING, frozen
from laconic.kernel import kernel

_MANY = 16  # paths, from which on searching them all at once is faster than one by one
_TIGHT = 15.0  # where paths promise more than this beyond what is known, they leave out too little


@dataclass(frozen=True, slots=True)
class ParseMarginals:
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

    >>> import numpy as np
    >>> arc, bigram = np.zeros((4, 4)), np.zeros((5, 5))
    >>> arc[0, 2] = arc[2, 1] = bigram[1, 2] = 1.0  # the second word is the root, the first depends on it
    >>> arc[:, 3] = -1.0  # nothing wants the third
    >>> best = CompressiveParser(arc, bigram).best()
    >>> best.kept, best.heads, best.score
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
    ) -> None:
        bigrams = check_bigrams(bigram)
        words = len(bigrams) - 2
        scores = check_arcs(arc, words)
        self._single_root = single_root
        shape = (first_order_shape if sibling is None else second_order_shape)(words, single_root)
        if sibling is not None:
            scores = check_siblings(sibling, words) + scores[:, None, :]
        flat = np.concatenate([[0.0], bigrams.ravel(), scores.ravel()])
        super().__init__(words, shape, flat, bigram_steps(words), order=1 if sibling is None else 2)

    def marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> ParseMarginals:
        """The probability of everything that is scored, under the distribution exp(score)/Z."""
        sums = self._sums(self._query(prices, limit))
        total, parts = sums.log_partition, sums.posteriors()
        side = self._words + 1
        bigrams = self._square(parts)
        arcs = parts[arcs_begin(self._words) :]
        siblings = arcs.reshape(side, side, side) if self._order == 2 else None
        heads = arcs.reshape(side, side) if siblings is None else siblings.sum(axis=1)
        return ParseMarginals(total, bigrams[1:-1].sum(axis=1), bigrams, heads, siblings)

    def _best(self, query: Query) -> Solution | None:
        trees = None if query.limit is None else self._trees(query)
        if trees is None:
            return super()._best(query)
        through = trees.paths.through
        kept, promised = np.zeros(self._words, np.int8), float(through[0].max())
        score, certain = best_on_paths(trees, promised, _MANY, tables_of(trees.paths), kept)
        if certain:
            return self._along(query, kept) if score > -np.inf else None
        if score < promised - _TIGHT:
            return super()._best(query)
        # Only bigrams on a path as good as what was found are of use.
        scores = query.scores.copy()
        self._square(scores)[through < score - trees.paths.slack] = -np.inf
        limit = (query.costs, query.least, query.most)
        found = best_parts_above(self._shape, frozen(scores), *limit, score)
        return self._along(query, kept) if found is None else self._solution(query, found)

    def _along(self, query: Query, kept: Int8) -> Solution | None:
        """The compression of these words, with its best tree."""
        positions = np.concatenate(([0], np.flatnonzero(kept) + 1, [self._words + 1]))
        shape = first_order_shape(len(positions) - 2, self._single_root)
        parts, scores = _parts_along(query.scores, positions, self._words)
        found = best_parts(shape, frozen(scores))
        return None if found is None else self._solution(query, parts[found])

    def _trees(self, query: Query) -> Trees | None:
        if self._order > 1:
            return None
        arcs = query.scores[arcs_begin(self._words) :].reshape(self._words + 1, -1)
        limit = (query.least, query.most)
        bigrams, costs = self._square(query.scores), self._square(query.costs)
        return trees_of(bigrams, arcs, costs, *limit, single_root=self._single_root)


@kernel
def _parts_along(scores: Float64, positions: Int64, words: int) -> tuple[Int64, Float64]:
    """The parts of the chart over the positions of a path alone: which each is, and its score."""
    side, kept = words + 2, len(positions) - 2
    arcs, fewer_arcs = FIRST_STEP + side * side, FIRST_STEP + (kept + 2) * (kept + 2)
    parts = np.empty(fewer_arcs + (kept + 1) * (kept + 1), np.int64)
    fewer = np.empty(len(parts))
    for step in range(fewer_arcs):
        parts[step], fewer[step] = NOTHING, 0.0 if step == NOTHING else -np.inf
    for i in range(kept + 1):
        step = FIRST_STEP + i * (kept + 2) + i + 1
        parts[step] = FIRST_STEP + positions[i] * side + positions[i + 1]
        fewer[step] = scores[parts[step]]
    for i in range(kept + 1):
        for j in range(kept + 1):
            arc = fewer_arcs + i * (kept + 1) + j
            parts[arc] = arcs + positions[i] * (words + 1) + positions[j]
            fewer[arc] = scores[parts[arc]]
    return parts, fewer
