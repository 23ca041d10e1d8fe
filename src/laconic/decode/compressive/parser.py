"""Compressive parsing: the best words to keep, with the best projective tree over them, in O(n³)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.decode.chart import FIRST_STEP, ChartDecoder, bigram_steps
from laconic.decode.compressive.paths import PathBounds, path_bounds
from laconic.decode.compressive.rules import arcs_begin, first_order_shape, second_order_shape
from laconic.decode.contract import Floats, Integers, Limit, Solution
from laconic.decode.decoder import Query
from laconic.decode.inputs import check_arcs, check_bigrams, check_siblings
from laconic.forest.limits import best_parts, best_parts_above, best_parts_within, shape_reaching
from laconic.forest.shape import Shape, frozen

Number = TypeVar("Number", np.float64, np.int64)
_TIGHT = 15.0  # where paths promise more than this beyond what is known, they leave out too little


@dataclass(frozen=True, slots=True)
class Marginals:
    """The log partition and its gradient by the scores: the probabilities of words, bigrams, arcs, siblings.

    `siblings` is None in first order.
    """

    log_partition: float
    words: Floats
    bigrams: Floats
    arcs: Floats
    siblings: Floats | None


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
        self._second_order = sibling is not None
        self._best_heads = None if self._second_order else _best_heads(scores)
        shape = (second_order_shape if self._second_order else first_order_shape)(words, single_root)
        if sibling is not None:
            scores = check_siblings(sibling, words) + scores[:, None, :]
        flat = np.concatenate([[0.0], bigrams.ravel(), scores.ravel()])
        super().__init__(words, shape, flat, bigram_steps(words))

    def marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Marginals:
        """The probability of everything that is scored, under the distribution exp(score)/Z."""
        sums = self._sums(self._query(prices, limit))
        total, parts = sums.log_partition, sums.posteriors()
        side = self._words + 1
        bigrams = self._bigrams(parts)
        arcs = parts[arcs_begin(self._words) :]
        siblings = arcs.reshape(side, side, side) if self._second_order else None
        heads = arcs.reshape(side, side) if siblings is None else siblings.sum(axis=1)
        return Marginals(total, bigrams[1:-1].sum(axis=1), bigrams, heads, siblings)

    def arc_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Floats:
        """The probability [h, m] that m is kept with head h, under the distribution exp(score)/Z."""
        return self.marginals(prices=prices, limit=limit).arcs

    def finder(
        self, threshold: float, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Callable[[ArrayLike], Solution | None]:
        """A function of prices that finds the best compression within the limit if it scores the threshold."""
        query = self._query(prices, limit)
        bounds = self._path_bounds(query)
        if bounds is None or threshold == -np.inf:
            return super().finder(threshold, prices=prices, limit=limit)
        reaching = shape_reaching(self._shape, self._above(query, bounds, threshold), threshold)

        def find(prices: ArrayLike) -> Solution | None:
            if reaching is None:
                return None
            priced = self._query(prices, limit)
            parts = self._best_above(reaching[0], priced, threshold)
            return None if parts is None else self._solution(priced, parts)

        return find

    def _best(self, query: Query) -> Solution | None:
        if query.limit is None:
            return super()._best(query)
        parts = self._best_above(self._shape, query, -np.inf)
        return None if parts is None else self._solution(query, parts)

    def _best_above(self, shape: Shape, query: Query, threshold: float) -> Integers | None:
        """The parts of the best compression within the limit, if it scores at least the threshold."""
        scores, limit = query.scores, (query.costs, query.least, query.most)
        bounds = self._path_bounds(query)
        if bounds is None:
            return best_parts_within(shape, scores, *limit)
        if bounds.best == -np.inf or bounds.best < threshold - bounds.slack:
            return None
        # The best path with its best tree is known to be possible.
        alone = scores.copy()
        self._bigrams(alone)[:] = -np.inf
        alone[FIRST_STEP + bounds.steps] = scores[FIRST_STEP + bounds.steps]
        known = best_parts(shape, frozen(alone))
        score = -np.inf if known is None else float(scores[known].sum())
        highest = max(score, threshold)
        if highest < bounds.best - _TIGHT:
            known = best_parts_within(shape, scores, *limit)
        elif score < bounds.best - bounds.slack:
            better = best_parts_above(shape, self._above(query, bounds, highest), *limit, highest)
            known = known if better is None else better
        return known if known is not None and scores[known].sum() >= threshold - bounds.slack else None

    def _path_bounds(self, query: Query) -> PathBounds | None:
        if self._best_heads is None:
            return None
        bigrams = self._bigrams(query.scores) + self._best_heads[:, None]
        return path_bounds(bigrams, self._bigrams(query.costs), query.least, query.most)

    def _above(self, query: Query, bounds: PathBounds, threshold: float) -> Floats:
        """The scores without the bigrams that lie on no path as good as the threshold."""
        scores = query.scores.copy()
        self._bigrams(scores)[bounds.through() < threshold - bounds.slack] = -np.inf
        return frozen(scores)

    def _bigrams(self, parts: NDArray[Number]) -> NDArray[Number]:
        """The block of steps as a square [word, next word]."""
        side = self._words + 2
        return parts[self._block()].reshape(side, side)

    def _heads(self, kept: tuple[int, ...], parts: Integers) -> tuple[int, ...]:
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


def _best_heads(arc: Floats) -> Floats:
    """The score of each position's best head; 0 for the start and the end, which have none."""
    scores = arc[:, 1:].copy()
    words = np.arange(scores.shape[1])
    scores[words + 1, words] = -np.inf
    return np.concatenate([[0.0], scores.max(axis=0), [0.0]])
