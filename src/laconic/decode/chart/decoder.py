"""The decoder contract over any chart whose kept words each pay on the bigram that leaves them."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.decode.chart.derivations import best_first, derive
from laconic.decode.chart.distinct import Pins, distinct_words
from laconic.decode.chart.free import as_table, inside, part_posteriors, weigh
from laconic.decode.chart.lengths import NEVER, cost_ranges, log_sums_by_cost, part_posteriors_by_cost
from laconic.decode.chart.limited import best_derivation, best_within, exact_table, nearest_costs
from laconic.decode.chart.rules import Float64, Int32, Int64, Rules, Table
from laconic.decode.contract import Frontier, Limit, Solution
from laconic.errors import InfeasibleBudget, LaconicError

BIGRAMS = 1  # where the block of bigrams begins among the parts, after NOTHING
_LARGEST_TABLE = 1 << 27  # values: one gibibyte


@dataclass(frozen=True, slots=True)
class _Request:
    """The scores of all parts and the weights and costs of all rules, for one set of prices and one limit."""

    potentials: Float64
    weights: Float64
    costs: Int64
    limit: Limit | None


class ChartDecoder(ABC):
    """Best, k best, every length, marginals and samples of one sentence, by the rules of a subclass.

    The parts of a derivation are the bigrams (i, j) of its path, 0 <= i < j <= n + 1, in a block of
    (n + 2)² from BIGRAMS on, and whatever else the subclass scores. A kept word i leaves by exactly one
    bigram (i, j), which carries its price and its cost: so prices, pins and limits are changes of the
    bigrams. A price of +inf forbids the bigrams that jump over the word and adds nothing to the score.
    Every compression keeps at least one word.
    """

    def __init__(self, words: int, rules: Rules, potentials: Float64) -> None:
        self._words = words
        self._rules = rules
        self._potentials = potentials

    def __len__(self) -> int:
        return self._words

    @abstractmethod
    def _structure(self, kept: tuple[int, ...], parts: Int32) -> Any:
        """The witness of a compression: what its parts say beyond the kept words."""

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score: O(rules), under a limit as `best_within` says."""
        request = self._request(prices, limit)
        solution = self._best(request)
        if solution is None:
            raise self._infeasible(request)
        return solution

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
            derivations = best_first(self._rules, request.weights, request.costs, table, within)
            found = (self._solution(request, used) for used in derivations)
        solutions = list(itertools.islice(found, k))
        if not solutions:
            raise self._infeasible(request)
        return solutions

    def frontier(self, *, prices: ArrayLike | None = None, costs: Sequence[int] | None = None) -> Frontier:
        """The best score at every total cost, in one run."""
        total = self._words if costs is None else sum(costs)
        request = self._request(prices, Limit(0, total, None if costs is None else tuple(costs)))
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

    def _request(self, prices: ArrayLike | None, limit: Limit | None) -> _Request:
        potentials = self._potentials
        if prices is not None:
            values = np.asarray(prices, dtype=np.float64)
            if values.shape != (self._words,) or np.isnan(values).any():
                raise LaconicError(
                    f"prices must be {self._words} numbers, one for each word, none of them NaN"
                )
            potentials = potentials.copy()
            pinned = values == np.inf
            self._bigrams(potentials)[1:-1] += np.where(pinned, 0.0, values)[:, None]
            self._pin(potentials, np.flatnonzero(pinned), ())
        weights = weigh(self._rules, potentials)
        if limit is None:
            return _Request(potentials, weights, np.zeros(len(weights), np.int64), None)
        if not 0 <= limit.least <= limit.most:
            raise LaconicError(f"a limit needs 0 <= least <= most, not {limit.least} to {limit.most}")
        costs = np.zeros(len(potentials), np.int64)
        self._bigrams(costs)[1:-1] = self._amounts(limit.costs)[:, None]
        return _Request(potentials, weights, weigh(self._rules, costs), limit)

    def _amounts(self, costs: Sequence[int] | None) -> Int64:
        if costs is None:
            return np.ones(self._words, np.int64)
        amounts = np.asarray(costs)
        if amounts.shape != (self._words,) or amounts.dtype.kind not in "iu" or (amounts < 0).any():
            raise LaconicError(f"costs must be {self._words} integers of at least 0, one for each word")
        return amounts.astype(np.int64)

    def _pin(self, potentials: Float64, kept: Sequence[int] | Int64, dropped: Sequence[int]) -> None:
        bigrams = self._bigrams(potentials)
        for word in kept:
            bigrams[: word + 1, word + 2 :] = -np.inf  # word w stands at position w + 1
        for word in dropped:
            bigrams[word + 1] = -np.inf

    def _pinned(self, request: _Request, pins: Pins) -> _Request:
        potentials = request.potentials.copy()
        kept = [word for word, pin in enumerate(pins) if pin is True]
        self._pin(potentials, kept, [word for word, pin in enumerate(pins) if pin is False])
        return _Request(potentials, weigh(self._rules, potentials), request.costs, request.limit)

    def _best(self, request: _Request) -> Solution | None:
        rules, weights, costs, limit = self._rules, request.weights, request.costs, request.limit
        if limit is None:
            used = best_derivation(rules, weights)
        else:
            used = best_within(rules, weights, costs, limit.least, min(limit.most, NEVER))
        return None if used is None else self._solution(request, used)

    def _table(self, request: _Request, *, soft: bool) -> Table:
        rules, weights, costs, limit = self._rules, request.weights, request.costs, request.limit
        if limit is None:
            return as_table(inside(rules, weights, soft))
        low, high = cost_ranges(rules, weights, costs, limit.least, min(limit.most, NEVER))
        size = int(np.maximum(high - low + 1, 0).sum())
        if size > _LARGEST_TABLE:
            raise LaconicError(
                f"costs up to {int(high[-1])} need a chart of {size} values: use a coarser unit of cost"
            )
        return (log_sums_by_cost if soft else exact_table)(rules, weights, costs, low, high)

    def _expected_parts(self, prices: ArrayLike | None, limit: Limit | None) -> tuple[float, Float64]:
        """The log partition and its gradient: the probability of every part."""
        request = self._request(prices, limit)
        table = self._table(request, soft=True)
        total = self._log_sum(request, table)
        rules, weights, count = self._rules, request.weights, len(self._potentials)
        if limit is None:
            return total, part_posteriors(rules, weights, table.values, count)
        return total, part_posteriors_by_cost(rules, weights, request.costs, table, total, count)

    def _log_sum(self, request: _Request, table: Table) -> float:
        goal = table.goal()
        peak = goal.max(initial=-np.inf)
        if peak == -np.inf:
            raise self._infeasible(request)
        return float(peak + np.log(np.exp(goal - peak).sum()))

    def _derive(self, request: _Request, table: Table, cost: int, uniforms: Float64) -> Solution:
        return self._solution(
            request, derive(self._rules, request.weights, request.costs, table, cost, uniforms)
        )

    def _solution(self, request: _Request, used: Int64) -> Solution:
        parts = self._rules.part[used]
        side = self._words + 2
        leaving = parts[(parts >= BIGRAMS + side) & (parts < BIGRAMS + side * side)]  # all but the start's
        kept = tuple(np.sort((leaving - BIGRAMS) // side - 1).tolist())
        return Solution(float(request.potentials[parts].sum()), kept, self._structure(kept, parts))

    def _infeasible(self, request: _Request) -> InfeasibleBudget:
        limit = request.limit
        least, most = (0, NEVER) if limit is None else (limit.least, limit.most)
        possible = nearest_costs(self._rules, request.weights, request.costs, least, most)
        if possible is None or limit is None:
            return InfeasibleBudget(f"scores and prices rule out all compressions of the {self._words} words")
        asked = f"{least}" if least == most else f"{least} to {most}"
        unit = "words" if limit.costs is None else "units of cost"
        return InfeasibleBudget(f"no compression has {asked} {unit}", possible=possible)
