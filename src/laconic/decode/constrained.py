"""Paths under linear constraints on which words are kept, as an integer linear programme.

Words are indicators x(i); a unit of flow runs from the start over contexts of the n-grams' order to the end, and x(i)
is the flow through word i. As the x are whole, so is the flow: it is the one path over the kept words. James Clarke and
Mirella Lapata: Global Inference for Sentence Compression. JAIR 31, 2008; solved by HiGHS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64
from laconic.decode.contract import Frontier, Limit, Solution
from laconic.decode.inputs import check_costs, check_limit, check_prices
from laconic.decode.programme import Programme, Roughly, Rows
from laconic.errors import InfeasibleBudget

_NEXT = 8  # answers after the best that are looked for, each by another programme


@dataclass(frozen=True, slots=True)
class Constraint:
    """low <= Σ coefficient · x(word) <= high; `kind` is what messages call it."""

    kind: str
    terms: tuple[tuple[int, float], ...]
    low: float = -np.inf
    high: float = np.inf


class ConstrainedPath:
    """All selections of words that keep to the constraints, scored by n-grams of positions.

    `scores` has one for each n-gram, as in `NgramPathDecoder`: positions are 0 for the start, of which there are as
    many as there is context, 1 … n for the words and n + 1 for the end; what is not there is not possible. `likely`
    says how likely each word is to be kept, under prices.
    """

    counts_gaps = False
    _roughly: ClassVar[Roughly | None] = None

    def __init__(
        self,
        scores: Mapping[tuple[int, ...], float],
        words: int,
        constraints: Sequence[Constraint] = (),
        *,
        likely: Callable[[Float64], Float64],
    ) -> None:
        self._words, self._constraints, self._likely = words, tuple(constraints), likely
        self._all_scores = scores
        scores = {ngram: score for ngram, score in scores.items() if self._is_considered(ngram)}
        self._programme = Programme()
        self._keeps = self._programme.indicators(range(words))
        self._steps = self._programme.amounts(scores, 1.0)
        self._scores = np.array(list(scores.values()))
        rows = self._programme.rows
        into: dict[tuple[int, ...], list[int]] = {}
        out_of: dict[tuple[int, ...], list[int]] = {}
        through: list[list[int]] = [[] for _ in range(words)]
        for ngram, column in self._steps.items():
            out_of.setdefault(ngram[:-1], []).append(column)
            if ngram[-1] <= words:
                into.setdefault(ngram[1:], []).append(column)
                through[ngram[-1] - 1].append(column)
        for context in {*into, *out_of}:
            if any(context):  # what comes in goes out
                rows.add(into.get(context, []), out_of.get(context, []))
            else:  # one path leaves the start
                rows.add(out_of[context], low=1.0, high=1.0)
        for word, columns in enumerate(through):
            rows.add(columns, [self._keeps[word]])

    def _is_considered(self, ngram: tuple[int, ...]) -> bool:  # noqa: ARG002
        """Whether a step may be taken; where not all may, the best need not be found."""
        return True

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score; where there is none, the error names the constraints that forbid it."""
        return self._search(prices, limit, [])

    def best_first(self, *, prices: Float64 | None = None, limit: Limit | None = None) -> Iterator[Solution]:
        """The best compression and a few after it, each kept from being found again."""
        found: list[Solution] = []
        while len(found) <= _NEXT:
            try:
                found.append(self._search(prices, limit, found))
            except InfeasibleBudget:
                if not found:
                    raise
                return
            yield found[-1]

    def outline(self, *, prices: Float64 | None = None) -> Frontier:
        """The best at every number of words."""
        found: dict[int, Solution] = {}
        for length in range(1, self._words + 1):
            try:
                found[length] = self.best(prices=prices, limit=Limit(length, length))
            except InfeasibleBudget:
                continue
        scores = np.full(self._words + 1, -np.inf)
        for length, solution in found.items():
            scores[length] = solution.score
        return Frontier(scores, found.__getitem__)

    def word_marginals(self, *, prices: ArrayLike | None = None) -> Float64:
        """How likely each word is to be kept, constraints apart."""
        return self._likely(check_prices(prices, self._words))

    def _search(self, prices: ArrayLike | None, limit: Limit | None, but: Sequence[Solution]) -> Solution:
        values = check_prices(prices, self._words)
        objective = np.zeros(len(self._programme))
        objective[: self._words] = np.where(values == np.inf, 0.0, values)
        objective[self._words :] = self._scores
        rows = Rows()
        for word in np.flatnonzero(values == np.inf).tolist():
            rows.add([self._keeps[word]], low=1.0, high=1.0)
        if limit is not None:
            check_limit(limit, counts_gaps=self.counts_gaps)
            costs = check_costs(limit.costs, self._words)
            rows.weigh(
                [(self._keeps[word], float(cost)) for word, cost in enumerate(costs)], limit.least, limit.most
            )
        for other in but:  # at least one word is another
            kept = set(other.kept)
            terms = [(column, 1.0 if word in kept else -1.0) for word, column in self._keeps.items()]
            rows.weigh(terms, -np.inf, len(kept) - 1.0)
        try:
            found = self._programme.maximised(
                objective, self._with(rows, self._constraints), roughly=self._roughly
            )
        except InfeasibleBudget:
            raise self._refusal(rows, objective) from None
        chosen = np.flatnonzero(found[: self._words] > 0.5)
        score = float(objective[found > 0.5].sum())
        return Solution(score, tuple(chosen.tolist()))

    def _with(self, rows: Rows, constraints: Sequence[Constraint]) -> Rows:
        whole = Rows()
        whole.columns, whole.coefficients = list(rows.columns), list(rows.coefficients)
        whole.ends, whole.low, whole.high = list(rows.ends), list(rows.low), list(rows.high)
        for constraint in constraints:
            terms = [(self._keeps[word], coefficient) for word, coefficient in constraint.terms]
            whole.weigh(terms, constraint.low, constraint.high)
        return whole

    def _refusal(self, rows: Rows, objective: Float64) -> InfeasibleBudget:
        """The error that names the kinds of constraints without which there would be an answer."""
        kinds = list(dict.fromkeys(constraint.kind for constraint in self._constraints))

        def possible(constraints: Sequence[Constraint]) -> bool:
            try:
                self._programme.maximised(
                    np.where(objective > -np.inf, 0.0, -np.inf), self._with(rows, constraints)
                )
            except InfeasibleBudget:
                return False
            return True

        if not possible(()):
            return InfeasibleBudget("the limit and the pinned words rule out every compression")
        guilty = [
            kind for kind in kinds if possible([each for each in self._constraints if each.kind != kind])
        ]
        named = " and ".join(f"{kind!r}" for kind in guilty or kinds)
        return InfeasibleBudget(
            f"the constraint{'s' * (len(guilty or kinds) > 1)} {named} and the limit rule out every compression"
        )
