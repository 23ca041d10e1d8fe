"""The decoder contract over any shape: what is to be said of a space is which words its parts keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int64
from laconic.decode.contract import LONG_SENTENCE, Frontier, Limit, Selections, Solution
from laconic.decode.inputs import check_limit, check_prices
from laconic.errors import InfeasibleBudget, check_k
from laconic.forest.best import best_derivation, drawn_derivation, inside_best
from laconic.forest.lazy import Emissions, k_best_parts
from laconic.forest.limits import best_parts, best_parts_within, infeasible
from laconic.forest.shape import NEVER, Shape, Table, free_cells, free_costs, free_table
from laconic.forest.sums import Sums
from laconic.forest.sums import sums as sums_over
from laconic.forest.tables import cells_within, cost_table

_LISTED = 40_000  # words of a sentence times its compressions that are listed
_MORE = (8, 64)  # compressions to ask for where the best will not do; of a long sentence, less


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched: a shape, the scores and costs of its parts under given prices, and the limit on the costs."""

    shape: Shape
    scores: Float64
    costs: Int64
    least: int
    most: int
    limit: Limit | None


class ShapeDecoder(ABC):
    """Best, k best, every length, marginals and samples of the derivations of one shape."""

    counts_gaps: ClassVar[bool] = False
    _what: ClassVar[str] = "compression"

    def __init__(self, words: int, shape: Shape, scores: Float64) -> None:
        self._words = words
        self._shape = shape
        self._scores = scores

    def __len__(self) -> int:
        return self._words

    @abstractmethod
    def _emissions(self, query: Query) -> Emissions:
        """What the parts emit, by which compressions are distinct."""

    @abstractmethod
    def _priced(self, prices: Float64) -> Float64:
        """The scores of all parts under prices of words."""

    @abstractmethod
    def _part_costs(self, limit: Limit) -> Int64:
        """The costs of all parts."""

    @abstractmethod
    def _whole_cost(self, limit: Limit) -> int:
        """A cost that frontiers reach at least, so that those of one sentence can be added."""

    @abstractmethod
    def _solution(self, query: Query, parts: Int64, score: float) -> Solution:
        """The compression of a derivation's parts, which the engine found to have this score."""

    @abstractmethod
    def _kept(self, query: Query, parts: Float64) -> Float64:
        """The expected number of times each word is kept, if the parts are expected so often."""

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score: O(edges) without a limit."""
        query = self._query(prices, limit)
        solution = self._best(query)
        if solution is None:
            raise self._infeasible(query)
        return solution

    def k_best(
        self, k: int, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Sequence[Solution]:
        """The k compressions of highest score, best first (fewer if fewer exist).

        No two have the same words, and each has its best derivation.
        """
        return self._k_best(k, prices, limit, distinct=True)

    def best_first(
        self, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Iterator[Solution]:
        """The compressions with different words, from the best down; of long sentences, fewer."""
        yield self.best(prices=prices, limit=limit)
        seen = 1
        for count in _MORE if self._words <= LONG_SENTENCE else _MORE[:1]:
            found = self.k_best(count, prices=prices, limit=limit)
            yield from found[seen:]
            seen = len(found)
            if seen < count:
                return

    def selections(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Selections:
        """The words of as many compressions as can be had in little time."""
        count = max(1, _LISTED // max(1, self._words))
        try:
            found = self.k_best(count, prices=prices, limit=limit)
        except InfeasibleBudget:
            found = ()
        return Selections(tuple(each.kept for each in found), are_all=len(found) < count)

    def k_best_derivations(
        self, k: int, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Sequence[Solution]:
        """The k derivations of highest score, best first: two may have the same words, with other trees."""
        return self._k_best(k, prices, limit, distinct=False)

    def frontier(
        self,
        *,
        prices: ArrayLike | None = None,
        costs: Sequence[int] | None = None,
        gaps: Int64 | None = None,
    ) -> Frontier:
        """The best score at every total cost, in one run."""
        limit = Limit(0, NEVER, None if costs is None else tuple(costs), gaps)
        query = self._query_of_all_costs(prices, limit)
        table = self._table(query)
        goal = table.goal()
        low = int(table.low[-1])
        scores = np.full(max(self._whole_cost(limit), low + len(goal) - 1 if len(goal) else 0) + 1, -np.inf)
        scores[low : low + len(goal)] = goal

        def rebuild(cost: int) -> Solution:
            parts = best_derivation(query.shape, query.scores, query.costs, table, cost)
            return self._solution(query, parts, float(scores[cost]))

        return Frontier(scores, rebuild)

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """The best at every number of words."""
        return self.frontier(prices=prices)

    def log_partition(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> float:
        """log Z, the logarithm of the sum of exp(score) over all derivations within the limit."""
        return self._sums(self._query(prices, limit)).log_partition

    def word_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Float64:
        """The probability that each word is kept, under the distribution exp(score)/Z."""
        query = self._query(prices, limit)
        kept = self._kept(query, self._sums(query).posteriors())
        return np.minimum(kept, 1.0)  # a sum of rounded probabilities

    def samples(
        self,
        count: int,
        generator: np.random.Generator,
        *,
        prices: ArrayLike | None = None,
        limit: Limit | None = None,
    ) -> list[Solution]:
        """Independent compressions drawn from exp(score)/Z, out of one table."""
        query = self._query(prices, limit)
        sums = self._sums(query)
        logs = sums.logs()
        drawn = logs.low[-1] + generator.choice(len(sums.shares), size=count, p=sums.shares)
        seeds = generator.integers(1 << 62, size=count)
        found = (
            drawn_derivation(query.shape, query.scores, query.costs, logs, cost, seed)
            for cost, seed in zip(drawn.tolist(), seeds.tolist(), strict=True)
        )
        return [self._solution(query, parts, float(query.scores[parts].sum())) for parts in found]

    def _query(self, prices: ArrayLike | None, limit: Limit | None) -> Query:
        scores = self._scores
        if prices is not None:
            scores = self._priced(check_prices(prices, self._words))
        if limit is None:
            return Query(self._shape, scores, free_costs(len(scores)), 0, NEVER, None)
        check_limit(limit, counts_gaps=self.counts_gaps)
        costs = self._part_costs(limit)
        return Query(self._shape, scores, costs, min(limit.least, NEVER), min(limit.most, NEVER), limit)

    def _query_of_all_costs(self, prices: ArrayLike | None, limit: Limit) -> Query:
        """The query of a frontier: a limit that allows every cost."""
        return self._query(prices, limit)

    def _best(self, query: Query) -> Solution | None:
        shape, scores, costs = query.shape, query.scores, query.costs
        if query.limit is None:
            parts = best_parts(shape, scores)
        else:
            parts = best_parts_within(shape, scores, costs, query.least, query.most)
        return None if parts is None else self._solution(query, parts, float(scores[parts].sum()))

    def _k_best(
        self, k: int, prices: ArrayLike | None, limit: Limit | None, *, distinct: bool
    ) -> Sequence[Solution]:
        check_k(k)
        query = self._query(prices, limit)
        emissions = self._emissions(query) if distinct else None
        found = k_best_parts(query.shape, query.scores, query.costs, self._table(query), k, emissions)
        if not found:
            raise self._infeasible(query)
        solutions = [self._solution(query, parts, score) for score, parts in found]
        return sorted(solutions, key=lambda solution: -solution.score)  # undoes what rounding did to ties

    def _table(self, query: Query) -> Table:
        if query.limit is None:
            return free_table(inside_best(query.shape, query.scores))
        return cost_table(query.shape, query.scores, query.costs, query.least, query.most)

    def _sums(self, query: Query) -> Sums:
        if query.limit is None:
            cells = free_cells(len(query.shape.first) - 1)
        else:
            cells = cells_within(query.shape, query.scores, query.costs, query.least, query.most)
        found = sums_over(query.shape, query.scores, query.costs, cells)
        if found.log_partition == -np.inf:
            raise self._infeasible(query)
        return found

    def _infeasible(self, query: Query) -> InfeasibleBudget:
        unit = "words" if query.limit is None or query.limit.costs is None else "units of cost"
        return infeasible(
            query.shape, query.scores, query.costs, query.least, query.most, what=self._what, unit=unit
        )
