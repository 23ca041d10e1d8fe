"""The decoder contract over any chart whose kept words each pay on the bigram that leaves them."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.decode.chart.derivations import best_first, derive
from laconic.decode.chart.distinct import Pins, distinct_words
from laconic.decode.chart.free import as_table, inside, part_posteriors
from laconic.decode.chart.inputs import check_costs, check_gaps, check_limit, check_prices
from laconic.decode.chart.lengths import NEVER, best_scores_within, part_posteriors_by_cost, sums_within
from laconic.decode.chart.limited import Reach, best_derivation, best_within, nearest_costs
from laconic.decode.chart.rules import Float64, Int64, Rules, Table
from laconic.decode.contract import Frontier, Limit, Solution
from laconic.errors import InfeasibleBudget, LaconicError

BIGRAMS = 1  # where the block of bigrams begins among the parts, after NOTHING


@dataclass(frozen=True, slots=True)
class Query:
    """The scores and costs of all parts under given prices, and the limit on the costs."""

    scores: Float64
    costs: Int64
    least: int
    most: int
    limit: Limit | None


class ChartDecoder(ABC):
    """Best, k best, every length, marginals and samples of one sentence, by the rules of a subclass.

    The parts of a derivation are the bigrams (i, j) of its path, 0 <= i < j <= n + 1, in a block of
    (n + 2)² from BIGRAMS on, and whatever else the subclass scores. A kept word i leaves by exactly one
    bigram (i, j), which carries its price and its cost: so prices, pins and limits are changes of the
    bigrams. A price of +inf forbids the bigrams that jump over the word and adds nothing to the score.
    Every compression keeps at least one word. `gaps`, of shape (n + 2, n + 2), hold what stands between each
    two neighbours costs, such as a space; a limit counts it with the words.
    """

    def __init__(self, words: int, rules: Rules, scores: Float64, gaps: ArrayLike | None = None) -> None:
        self._words = words
        self._rules = rules
        self._scores = scores
        self._gaps = check_gaps(gaps, words)

    counts_gaps = True

    def __len__(self) -> int:
        return self._words

    @abstractmethod
    def _structure(self, kept: tuple[int, ...], parts: Int64) -> Any:
        """The witness of a compression: what its parts say beyond the kept words."""

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score: O(rules), under a limit as `best_within` says."""
        request = self._request(prices, limit)
        solution = self._best(request)
        if solution is None:
            raise self._infeasible(request)
        return solution

    def find(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution | None:
        """The same, but None where there is no compression: what is possible instead is not looked for."""
        return self._best(self._request(prices, limit))

    def finder(
        self, threshold: float, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Callable[[ArrayLike], Solution | None]:
        """A function of prices that finds the best compression within the limit if it scores the threshold.

        It never looks at what cannot, and so is the faster the closer the threshold is to the best under
        `prices`. The prices it is given must be those, or lower, or pins; something must be within the limit.
        """
        request = self._request(prices, limit)
        # Without a limit nothing costs anything, so that any will do.
        reach = Reach.of(self._rules, request.scores, request.costs, request.least, request.most, threshold)

        def find(prices: ArrayLike) -> Solution | None:
            request = self._request(prices, limit)
            parts = reach.best(request.scores, request.costs)
            return None if parts is None else self._solution(request, parts)

        return find

    def k_best(
        self,
        k: int,
        *,
        prices: ArrayLike | None = None,
        limit: Limit | None = None,
        distinct: bool = False,
    ) -> Sequence[Solution]:
        """The k compressions of highest score, best first (fewer if fewer exist).

        Two of them differ in their words or their structure; if `distinct`, always in their words, and
        each has its best structure.
        """
        if k < 1:
            raise LaconicError(f"k best needs a k of at least 1, not {k}")
        request = self._request(prices, limit)
        if distinct:
            found = distinct_words(lambda pins: self._best(self._pinned(request, pins)), self._words)
        else:
            table = self._table(request, soft=False)
            within = range(int(table.low[-1]), int(table.high[-1]) + 1)
            derivations = best_first(self._rules, request.scores, request.costs, table, within)
            found = (self._solution(request, parts) for parts in derivations)
        solutions = list(itertools.islice(found, k))
        if not solutions:
            raise self._infeasible(request)
        return sorted(solutions, key=lambda solution: -solution.score)  # undoes what rounding did to ties

    def frontier(
        self,
        *,
        prices: ArrayLike | None = None,
        costs: Sequence[int] | None = None,
        gaps: ArrayLike | None = None,
    ) -> Frontier:
        """The best score at every total cost, in one run."""
        amounts = check_costs(costs, self._words)
        between = self._gaps if gaps is None else check_gaps(gaps, self._words)
        total = int(amounts.sum() + between.max(axis=1).sum())
        request = self._request(prices, Limit(0, total, tuple(amounts.tolist()), between))
        table = self._table(request, soft=False)
        scores = np.full(total + 1, -np.inf)
        goal = table.goal()
        scores[table.low[-1] : table.low[-1] + len(goal)] = goal
        return Frontier(scores, lambda cost: self._derive(request, table, cost, np.empty(0)))

    def log_partition(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> float:
        """The log of the sum of exp(score) over all compressions within the limit."""
        request = self._request(prices, limit)
        return self._log_sum(request, self._table(request, soft=True))

    def bigram_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Float64:
        """The probability [i, j] that j follows i in the compression; 0 is the start, n + 1 the end."""
        return self._bigrams(self._expected_parts(prices, limit)[1])

    def word_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Float64:
        """The probability that each word is kept, under the distribution exp(score)/Z."""
        marginals: Float64 = self.bigram_marginals(prices=prices, limit=limit)[1:-1].sum(axis=1)
        return marginals

    def samples(
        self,
        count: int,
        generator: np.random.Generator,
        *,
        prices: ArrayLike | None = None,
        limit: Limit | None = None,
    ) -> list[Solution]:
        """Independent compressions drawn from exp(score)/Z, out of one chart."""
        request = self._request(prices, limit)
        table = self._table(request, soft=True)
        shares = np.exp(table.goal() - self._log_sum(request, table))
        drawn = table.low[-1] + generator.choice(len(shares), size=count, p=shares / shares.sum())
        items = len(self._rules.first) - 1
        return [self._derive(request, table, int(cost), generator.random(items)) for cost in drawn]

    def sample(
        self, generator: np.random.Generator, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Solution:
        """One compression drawn from exp(score)/Z."""
        return self.samples(1, generator, prices=prices, limit=limit)[0]

    def _bigrams(self, parts: NDArray[Any]) -> NDArray[Any]:
        side = self._words + 2
        return parts[BIGRAMS : BIGRAMS + side * side].reshape(side, side)

    def _request(self, prices: ArrayLike | None, limit: Limit | None) -> Query:
        scores = self._scores
        if prices is not None:
            values = check_prices(prices, self._words)
            pinned = values == np.inf
            scores = scores.copy()
            self._bigrams(scores)[1:-1] += np.where(pinned, 0.0, values)[:, None]
            self._pin(scores, np.flatnonzero(pinned).tolist(), [])
        costs = np.zeros(len(scores), np.int64)
        if limit is None:
            return Query(scores, costs, 0, NEVER, None)
        check_limit(limit)
        bigrams = self._bigrams(costs)
        bigrams[1:-1] = check_costs(limit.costs, self._words)[:, None]
        bigrams += self._gaps if limit.gaps is None else limit.gaps
        return Query(scores, costs, min(limit.least, NEVER), min(limit.most, NEVER), limit)

    def _pin(self, scores: Float64, kept: Sequence[int], dropped: Sequence[int]) -> None:
        bigrams = self._bigrams(scores)
        for word in kept:
            bigrams[: word + 1, word + 2 :] = -np.inf  # word w stands at position w + 1
        for word in dropped:
            bigrams[word + 1] = -np.inf

    def _pinned(self, request: Query, pins: Pins) -> Query:
        scores = request.scores.copy()
        kept = [word for word, pin in enumerate(pins) if pin is True]
        self._pin(scores, kept, [word for word, pin in enumerate(pins) if pin is False])
        return replace(request, scores=scores)

    def _best(self, request: Query) -> Solution | None:
        if request.limit is None:
            parts = best_derivation(self._rules, request.scores)
        else:
            parts = best_within(self._rules, request.scores, request.costs, request.least, request.most)
        return None if parts is None else self._solution(request, parts)

    def _table(self, request: Query, *, soft: bool) -> Table:
        if request.limit is None:
            return as_table(inside(self._rules, request.scores, soft))
        fill = sums_within if soft else best_scores_within
        return fill(self._rules, request.scores, request.costs, request.least, request.most)

    def _expected_parts(self, prices: ArrayLike | None, limit: Limit | None) -> tuple[float, Float64]:
        """The log partition and its gradient: the probability of every part."""
        request = self._request(prices, limit)
        table = self._table(request, soft=True)
        total = self._log_sum(request, table)
        if limit is None:
            return total, part_posteriors(self._rules, request.scores, table.values)
        return total, part_posteriors_by_cost(self._rules, request.scores, request.costs, table, total)

    def _log_sum(self, request: Query, table: Table) -> float:
        goal = table.goal()
        peak = goal.max(initial=-np.inf)
        if peak == -np.inf:
            raise self._infeasible(request)
        return float(peak + np.log(np.exp(goal - peak).sum()))

    def _derive(self, request: Query, table: Table, cost: int, uniforms: Float64) -> Solution:
        parts = derive(self._rules, request.scores, request.costs, table, cost, uniforms)
        return self._solution(request, parts)

    def _solution(self, request: Query, parts: Int64) -> Solution:
        side = self._words + 2
        leaving = parts[(parts >= BIGRAMS + side) & (parts < BIGRAMS + side * side)]  # all but the start's
        kept = tuple(np.sort((leaving - BIGRAMS) // side - 1).tolist())
        score = math.fsum(request.scores[parts])  # whatever the order of the parts
        return Solution(score, kept, self._structure(kept, parts))

    def _infeasible(self, request: Query) -> InfeasibleBudget:
        least, most, limit = request.least, request.most, request.limit
        possible = nearest_costs(self._rules, request.scores, request.costs, least, most)
        if possible is None or limit is None:
            return InfeasibleBudget(f"scores and prices rule out all compressions of the {self._words} words")
        asked = f"{least}" if least == most else f"{least} to {most}"
        unit = "words" if limit.costs is None else "units of cost"
        return InfeasibleBudget(f"no compression has {asked} {unit}", possible=possible)
