"""Compressive parsing: the best words to keep, with the best projective tree over them, in O(n³)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.decode.chart import FIRST_STEP, Candidate, ChartDecoder, bigram_steps
from laconic.decode.compressive.paths import PathBounds, path_bounds
from laconic.decode.compressive.rules import arcs_begin, first_order_shape, second_order_shape
from laconic.decode.contract import Floats, Integers, Limit, Solution
from laconic.decode.decoder import Query
from laconic.decode.inputs import check_arcs, check_bigrams, check_siblings
from laconic.forest.limits import best_of, best_parts, best_parts_above, best_parts_within
from laconic.forest.shape import frozen
from laconic.forest.tables import best_by_cost
from laconic.kernel import kernel

Number = TypeVar("Number", np.float64, np.int64)
_FEW = 4  # steps for each word up to which a table over costs is cheaper than leaving more of them out
_NEAR = 1.0  # trees seldom take more than this from what the best path promises
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
        self._second_order, self._single_root = sibling is not None, single_root
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
    ) -> Callable[[ArrayLike], Candidate | None]:
        """A function of prices that finds the best compression within the limit if it scores the threshold."""
        asked = self._query(prices, limit)
        if threshold == -np.inf or self._path_bounds(asked) is None:
            return super().finder(threshold, prices=prices, limit=limit)

        def find(prices: ArrayLike) -> Candidate | None:
            query = self._repriced(asked, prices)
            bounds = self._path_bounds(query)
            if bounds is None or not bounds.reach(threshold):
                return None
            return Candidate(bounds.best + bounds.slack, lambda: self._best_above(query, bounds, threshold))

        return find

    def _best(self, query: Query) -> Solution | None:
        bounds = None if query.limit is None else self._path_bounds(query)
        return super()._best(query) if bounds is None else self._best_above(query, bounds, -np.inf)

    def _best_above(self, query: Query, bounds: PathBounds, threshold: float) -> Solution | None:
        """The best compression within the limit, if it scores at least the threshold."""
        if not bounds.reach(threshold):
            return None
        scores, slack = query.scores, bounds.slack
        if query.limit is None:
            nearly = max(threshold, bounds.best - _NEAR)
            known = self._best_along(query, bounds.through() >= nearly - slack, -np.inf)
        else:
            # The best path with its best tree is known to be within the limit.
            nearly = bounds.best
            known = self._best_along(query, bounds.path(), -np.inf)
        score = -np.inf if known is None else float(scores[known].sum())
        highest = max(score, threshold)
        if score < nearly - slack and highest < bounds.best - _TIGHT:
            known = best_parts_within(self._shape, scores, query.costs, query.least, query.most)
        elif score < nearly - slack:
            better = self._best_along(query, bounds.through() >= highest - slack, highest)
            known = known if better is None else better
        if known is None or scores[known].sum() < threshold - slack:
            return None
        return self._solution(query, known)

    def _best_along(
        self, query: Query, steps: NDArray[np.bool_], threshold: float
    ) -> Integers | None:
        """The parts of the best compression whose path takes these steps alone: a search among the words on them."""
        parts, scores, costs, words = _parts_along(query.scores, query.costs, steps)
        scores, costs = frozen(scores), frozen(costs)
        shape = first_order_shape(words, self._single_root)
        limit = (query.least, query.most)
        if query.limit is None or threshold == -np.inf:
            found = best_parts(shape, scores)
        elif np.count_nonzero(steps) <= _FEW * words:
            found = best_of(shape, scores, costs, best_by_cost(shape, scores, costs, *limit))
        else:
            found = best_parts_above(shape, scores, costs, *limit, threshold)
        return None if found is None else parts[found]

    def _path_bounds(self, query: Query) -> PathBounds | None:
        if self._best_heads is None:
            return None
        bigrams = self._bigrams(query.scores) + self._best_heads[:, None]
        return path_bounds(bigrams, self._bigrams(query.costs), query.least, query.most)

    def _bigrams(self, parts: NDArray[Number]) -> NDArray[Number]:
        """The block of steps as a square [word, next word]."""
        side = self._words + 2
        return parts[self._block()].reshape(side, side)

    def _heads(self, kept: tuple[int, ...], parts: Integers) -> tuple[int, ...]:
        heads = _heads_among(np.array(kept), parts, self._words, self._second_order)
        return tuple(heads.tolist())


@kernel
def _heads_among(kept: Integers, parts: Integers, words: int, second_order: bool) -> Integers:
    side = words + 1
    arcs = FIRST_STEP + (words + 2) * (words + 2)
    place, head_of = np.full(side, -1), np.zeros(side, np.int64)
    for i in range(len(kept)):
        place[kept[i] + 1] = i
    for part in parts:
        if part >= arcs:
            above = (part - arcs) // side
            head_of[(part - arcs) % side] = above // side if second_order else above
    heads = np.empty(len(kept), np.int64)
    for i in range(len(kept)):
        heads[i] = place[head_of[kept[i] + 1]]
    return heads


@kernel
def _parts_along(
    scores: Floats, costs: Integers, steps: NDArray[np.bool_]
) -> tuple[Integers, Floats, Integers, int]:
    """The parts of a first-order chart over the words on these steps alone: which each is, its score, its cost.

    And how many words these are.
    """
    side = len(steps)
    places = np.empty(side, np.int64)
    places[0] = 0
    words = 0
    for word in range(1, side - 1):
        if steps[word].any():
            words += 1
            places[words] = word
    places[words + 1] = side - 1
    fewer = words + 2
    parts = np.zeros(FIRST_STEP + fewer * fewer + (words + 1) * (words + 1), np.int64)
    fewer_scores, fewer_costs = np.zeros(len(parts)), np.zeros(len(parts), np.int64)
    size = FIRST_STEP
    for i in places[:fewer]:
        for j in places[:fewer]:
            part = FIRST_STEP + i * side + j
            parts[size] = part
            fewer_scores[size] = scores[part] if steps[i, j] else -np.inf
            fewer_costs[size] = costs[part]
            size += 1
    arcs = FIRST_STEP + side * side
    for head in places[: words + 1]:
        for word in places[: words + 1]:
            part = arcs + head * (side - 1) + word
            parts[size] = part
            fewer_scores[size], fewer_costs[size] = scores[part], costs[part]
            size += 1
    return parts, fewer_scores, fewer_costs, words


def _best_heads(arc: Floats) -> Floats:
    """The score of each position's best head; 0 for the start and the end, which have none."""
    scores = arc[:, 1:].copy()
    words = np.arange(scores.shape[1])
    scores[words + 1, words] = -np.inf
    return np.concatenate([[0.0], scores.max(axis=0), [0.0]])
