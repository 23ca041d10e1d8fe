"""Compressive parsing: the best words to keep, with the best projective tree over them, in O(n³)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.arrays import Float64, Int64
from laconic.decode.chart import FIRST_STEP, Candidate, ChartDecoder, ChartSearch, bigram_steps
from laconic.decode.compressive.paths import PathBounds, path_bounds
from laconic.decode.compressive.rules import arcs_begin, first_order_shape, second_order_shape
from laconic.decode.contract import Limit, Solution
from laconic.decode.decoder import Query
from laconic.decode.inputs import check_arcs, check_bigrams, check_siblings
from laconic.forest.best import parts_of_best
from laconic.forest.limits import best_parts_above
from laconic.forest.shape import NOTHING, Shape, frozen
from laconic.kernel import kernel

Number = TypeVar("Number", np.float64, np.int64)
_TIGHT = 15.0  # where paths promise more than this beyond what is known, they leave out too little


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
        self._best_heads = _best_heads(scores) if sibling is None else None
        shape = (first_order_shape if sibling is None else second_order_shape)(words, single_root)
        if sibling is not None:
            scores = check_siblings(sibling, words) + scores[:, None, :]
        flat = np.concatenate([[0.0], bigrams.ravel(), scores.ravel()])
        super().__init__(words, shape, flat, bigram_steps(words), order=1 if sibling is None else 2)

    def marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Marginals:
        """The probability of everything that is scored, under the distribution exp(score)/Z."""
        sums = self._sums(self._query(prices, limit))
        total, parts = sums.log_partition, sums.posteriors()
        side = self._words + 1
        bigrams = self._bigrams(parts)
        arcs = parts[arcs_begin(self._words) :]
        siblings = arcs.reshape(side, side, side) if self._order == 2 else None
        heads = arcs.reshape(side, side) if siblings is None else siblings.sum(axis=1)
        return Marginals(total, bigrams[1:-1].sum(axis=1), bigrams, heads, siblings)

    def arc_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Float64:
        """The probability [h, m] that m is kept with head h, under the distribution exp(score)/Z."""
        return self.marginals(prices=prices, limit=limit).arcs

    def search(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> ChartSearch:
        """The search under prices and within a limit, for whoever pins one word after another."""
        asked = self._query(prices, limit)
        trees, bounds = _Trees(self, asked), self._path_bounds(asked)
        if bounds is None:
            return super().search(prices=prices, limit=limit)

        through = cache(bounds.through)

        def candidates(rows: Float64, few: PathBounds, threshold: float) -> list[Candidate | None]:
            return [
                found
                and Candidate(
                    found.best + found.slack, partial(trees.best_above, found, threshold), threshold
                )
                for found in few.pinned(rows, threshold)
            ]

        def above(threshold: float) -> Callable[[Float64], list[Candidate | None]]:
            return partial(candidates, few=bounds.above(threshold, through()), threshold=threshold)

        if limit is None:
            return ChartSearch(super().search(prices=prices).best, above)
        return ChartSearch(lambda pins: candidates(pins[None], bounds, -np.inf)[0], above)

    def _best(self, query: Query) -> Solution | None:
        bounds = None if query.limit is None else self._path_bounds(query)
        return super()._best(query) if bounds is None else _Trees(self, query).best_above(bounds, -np.inf)

    def along(self, query: Query, steps: Int64) -> Solution | None:
        """The compression on a path, with its best tree."""
        shape = first_order_shape(len(steps) - 1, self._single_root)
        parts = _parts_along(query.scores, steps, self._words, shape)
        return self._solution(query, parts) if len(parts) else None

    def searched(self, query: Query, bounds: PathBounds, threshold: float) -> Solution | None:
        """The best compression on the paths if it scores at least the threshold, out of the whole chart."""
        scores = query.scores.copy()
        if query.limit is None or threshold < bounds.best - _TIGHT:
            self._bigrams(scores)[bounds.scores == -np.inf] = -np.inf
            return super()._best(replace(query, scores=frozen(scores)))
        # Only bigrams on a path as good as the threshold are of use.
        self._bigrams(scores)[bounds.through() < threshold - bounds.slack] = -np.inf
        limit = (query.costs, query.least, query.most)
        found = best_parts_above(self._shape, frozen(scores), *limit, threshold)
        return None if found is None else self._solution(query, found)

    def _path_bounds(self, query: Query) -> PathBounds | None:
        if self._best_heads is None:
            return None
        bigrams = self._bigrams(query.scores) + self._best_heads[:, None]
        return path_bounds(bigrams, self._bigrams(query.costs), query.least, query.most)

    def _bigrams(self, parts: NDArray[Number]) -> NDArray[Number]:
        """The block of steps as a square [word, next word]."""
        side = self._words + 2
        return parts[self._block()].reshape(side, side)


class _Trees(dict[bytes, Solution | None]):
    """The compression on each path with its best tree, by the bigrams of the path; each is looked for once."""

    def __init__(self, parser: CompressiveParser, query: Query) -> None:
        self._parser, self._query = parser, query

    def __missing__(self, path: bytes) -> Solution | None:
        self[path] = found = self._parser.along(self._query, np.frombuffer(path, np.int64))
        return found

    def best_above(self, bounds: PathBounds, threshold: float) -> Solution | None:
        """The best compression on the paths of the bounds, if it scores at least the threshold."""
        if not bounds.reach(threshold):
            return None
        # The best path with its best tree is known to be within the limit, and few others promise more.
        known = self[bounds.steps.tobytes()]
        score = -np.inf if known is None else known.score
        if score < bounds.best - bounds.slack:
            highest = max(score, threshold)
            paths = bounds.paths_above(highest)
            if paths is None:
                others = [self._parser.searched(self._query, bounds, highest)]
            else:
                others = [self[path.tobytes()] for path in paths]
            for found in others:
                if found is not None and found.score > score:
                    known, score = found, found.score
        return None if score < threshold - bounds.slack else known


@kernel
def _parts_along(scores: Float64, steps: Int64, words: int, shape: Shape) -> Int64:
    """The parts of the best tree over the words of a path alone, for which there is a chart of their own; none if none is."""
    side, kept = words + 2, len(steps) - 1
    arcs, fewer_arcs = FIRST_STEP + side * side, FIRST_STEP + (kept + 2) * (kept + 2)
    parts = np.empty(fewer_arcs + (kept + 1) * (kept + 1), np.int64)
    fewer = np.empty(len(parts))
    for step in range(fewer_arcs):
        parts[step], fewer[step] = NOTHING, 0.0 if step == NOTHING else -np.inf
    for i in range(kept + 1):
        step = FIRST_STEP + i * (kept + 2) + i + 1
        parts[step] = FIRST_STEP + steps[i]
        fewer[step] = scores[parts[step]]
    for i in range(kept + 1):
        for j in range(kept + 1):
            arc = fewer_arcs + i * (kept + 1) + j
            parts[arc] = arcs + steps[i] // side * (words + 1) + steps[j] // side
            fewer[arc] = scores[parts[arc]]
    found = parts_of_best(shape, fewer)
    for place in range(len(found)):
        found[place] = parts[found[place]]
    return found


def _best_heads(arc: Float64) -> Float64:
    """The score of each position's best head; 0 for the start and the end, which have none."""
    scores = arc[:, 1:].copy()
    words = np.arange(scores.shape[1])
    scores[words + 1, words] = -np.inf
    return np.concatenate([[0.0], scores.max(axis=0), [0.0]])
