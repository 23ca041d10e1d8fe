"""The best path: which words to keep when only neighbours in the compression are scored, by n-grams of any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64
from laconic.decode.branches import TieArrays, branches
from laconic.decode.chart import FIRST_STEP, ChartDecoder, Steps, bigram_steps
from laconic.decode.contract import Limit, Solution
from laconic.decode.counted_paths import bounded_paths, paths_of
from laconic.decode.inputs import check_bigrams
from laconic.errors import LaconicError
from laconic.forest.limits import bounds_within
from laconic.forest.shape import Shape, frozen, shape_of


class PathDecoder(ChartDecoder):
    """All compressions of a sentence as paths from the start over the kept words to the end.

    score = Σ bigram[word, next word] + Σ prices, with `bigram` of shape (n + 2, n + 2): 0 is the start, 1 … n
    the words, n + 1 the end. Cells [i, j] with i >= j are not read; -inf forbids.

    >>> import numpy as np
    >>> bigram = np.zeros((5, 5))
    >>> bigram[0, 1] = bigram[1, 3] = bigram[3, 4] = 1.0
    >>> PathDecoder(bigram).best().kept
    (0, 2)

    After McDonald (2006), where the best path is a Viterbi search over the last kept word. O(n²).
    """

    def __init__(self, bigram: ArrayLike) -> None:
        scores = check_bigrams(bigram)
        words = len(scores) - 2
        flat = np.concatenate([[0.0], scores.ravel()])
        super().__init__(words, _bigram_shape(words), flat, bigram_steps(words))

    def tied_best_first(
        self,
        ties: TieArrays,
        searches: int,
        *,
        prices: Float64 | None = None,
        limit: Limit | None = None,
    ) -> Iterator[Solution]:
        """The compressions, each less the prices of the ties it breaks, from the best down.

        After so many searches, what is known is taken as it is.
        """
        query = self._query(prices, limit)
        bigrams, costs = self._square(query.scores), self._square(query.costs)
        paths = paths_of(bigrams, costs, query.least, query.most)
        if paths is None:
            bounds = bounds_within(self._shape, query.scores, query.costs, query.least, query.most)
            if bounds is None:
                return iter(())
            paths = bounded_paths(bigrams, costs, query.least, query.most, self._square(bounds))
        pins = np.zeros(self._words, np.int8)
        if prices is not None:
            pins[prices == np.inf], pins[prices == -np.inf] = 1, -1
        return branches(paths, ties, pins, searches)

    def ngrams(self) -> dict[tuple[int, ...], float]:
        """The score of every bigram (i, j) that may stand on a path."""
        scores, end = self._square(self._scores), self._words + 1
        return {
            (i, j): float(scores[i, j])
            for i in range(end)
            for j in range(i + 1, end + 1)
            if j - i < end and scores[i, j] > -np.inf
        }


class NgramPathDecoder(ChartDecoder):
    """The same with a score for each n-gram of positions, n >= 2.

    score = Σ ngram[context, next word] + Σ prices: `ngram` is called once for each n-gram there is, with positions
    as in `PathDecoder`; before the first word stand as many starts, 0, as there is context. O(wordsⁿ).

    >>> NgramPathDecoder(lambda before, word, after: float(word == 1 and after == 3), words=3, order=3).best().kept
    (0, 2)
    """

    def __init__(self, ngram: Callable[..., float], *, words: int, order: int) -> None:
        if words < 1 or order < 2:
            raise LaconicError(
                f"a path needs at least one word and bigrams, not {words} words, order {order}"
            )
        shape, steps, ngrams = _ngram_shape(words, order)
        scores = np.array([0.0, *(ngram(*positions) for positions in ngrams)], dtype=np.float64)
        if not np.all(scores < np.inf):
            bad = ngrams[int(np.flatnonzero(~(scores < np.inf))[0]) - 1]
            raise LaconicError(f"the score of n-gram {bad} is not a number below +inf: -inf forbids")
        super().__init__(words, shape, scores, steps)
        self._ngrams = ngrams

    def ngrams(self) -> dict[tuple[int, ...], float]:
        """The score of every n-gram that may stand on a path."""
        scored = zip(self._ngrams, self._scores[self._block()].tolist(), strict=True)
        return {ngram: score for ngram, score in scored if score > -np.inf}


@lru_cache(maxsize=128)
def _bigram_shape(words: int) -> Shape:
    # PATH(j) = max of bigram(0, j) and, over 1 <= i < j, PATH(i) + bigram(i, j): item j, as UNIT is item 0.
    # The goal is PATH(n + 1) without bigram(0, n + 1), which keeps no word.
    end = words + 1
    items, lefts = np.tril_indices(end + 1, -1)
    used = (items < end) | (lefts > 0)
    item, left = items[used], lefts[used].astype(np.int32)
    first = np.searchsorted(item, np.arange(end + 2)).astype(np.int32)
    part = (FIRST_STEP + left * (end + 1) + item).astype(np.int32)
    return shape_of(first, left, np.zeros_like(left), part)


@lru_cache(maxsize=16)
def _ngram_shape(words: int, order: int) -> tuple[Shape, Steps, tuple[tuple[int, ...], ...]]:
    """Items are contexts of order - 1 positions, after UNIT, which is the context of starts alone; the goal is last."""
    start = (0,) * (order - 1)
    contexts = [start]
    for kept in range(1, order):
        contexts += [start[kept:] + chosen for chosen in combinations(range(1, words + 1), kept)]
    contexts.sort(key=lambda context: context[::-1])  # by the last word: what comes before has a lower number
    # CONTEXT(…, i, j) = max over the contexts (h, …, i) of CONTEXT(h, …, i) + ngram(h, …, i, j)
    number = {context: item for item, context in enumerate(contexts)}
    end = words + 1
    incoming: list[list[tuple[int, ...]]] = [[] for _ in range(len(contexts) + 1)]
    for context in contexts:
        for following in range(context[-1] + 1, end + 1):
            if following <= words:
                incoming[number[(*context[1:], following)]].append((*context, following))
            elif context != start:
                incoming[-1].append((*context, following))
    ngrams = [ngram for found in incoming for ngram in found]
    first = np.concatenate(([0], np.cumsum([len(found) for found in incoming]))).astype(np.int32)
    left = np.array([number[ngram[:-1]] for ngram in ngrams], np.int32)
    part = np.arange(FIRST_STEP, FIRST_STEP + len(ngrams), dtype=np.int32)
    steps = Steps(
        frozen(np.array([ngram[-2] for ngram in ngrams])), frozen(np.array([ngram[-1] for ngram in ngrams]))
    )
    return shape_of(first, left, np.zeros_like(left), part), steps, tuple(ngrams)
