"""Paths over n-grams under linear constraints on which words are kept, as an integer linear programme.

Words are indicators x(i); a unit of flow runs from the start over contexts of the n-grams' order to the end, and x(i)
is the flow through word i. As the x are whole, so is the flow: it is the one path over the kept words. James Clarke and
Mirella Lapata: Global Inference for Sentence Compression. JAIR 31, 2008; solved by HiGHS.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int64
from laconic.decode.constraint_bounds import NgramPaths
from laconic.decode.contract import Frontier, Limit, Selections, Solution
from laconic.decode.inputs import check_costs, check_limit, check_prices
from laconic.decode.programme import Programme, Roughly, Rows
from laconic.errors import InfeasibleBudget

_NEXT = 8  # answers after the best that are looked for, each by another programme
_FEW = 500  # n-grams of a programme that is soon solved, or for each word
_FOR_EACH_WORD = 4
_MANY = 2_000  # of hundreds of words, no more: the time grows faster than they do
_MOST = 40_000  # n-grams of a programme that is solved roughly
_LISTED = 4_000  # beginnings of selections that are gone on with, word by word
_MORE = 4  # times as many, where these do not do
_UNLIKELY = 1e-9
_ROUNDING = 1e-6  # what the solver takes for the same score


@dataclass(frozen=True, slots=True)
class Constraint:
    """low <= Σ coefficient · x(word) <= high; `kind` is what messages call it."""

    kind: str
    terms: tuple[tuple[int, float], ...]
    low: float = -np.inf
    high: float = np.inf

    def lacking(self, kept: Collection[int]) -> list[int]:
        """The words of which one must be kept, too, for it to hold; -1 where no word can mend it."""
        total = sum(value for word, value in self.terms if word in kept)
        if self.low <= total <= self.high:
            return []
        sign = 1.0 if total < self.low else -1.0
        wanted = [word for word, value in self.terms if word not in kept and sign * value > 0]
        return wanted or [-1]


class ConstrainedPath:
    """All selections of words that keep to the constraints, scored by n-grams of positions.

    `scores` has one for each n-gram, as in `NgramPathDecoder`: positions are 0 for the start, of which there are as
    many as there is context, 1 … n for the words and n + 1 for the end; what is not there is not possible. `likely`
    says how likely each word is to be kept, under prices.

    Of many n-grams only those that may be on the best path are given to the solver: the time that a programme takes
    is that of its variables, seldom of branching.
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
        self._scores, self._ngrams = scores, list(scores)
        self._values = np.array(list(scores.values()))

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score; where there is none, the error names the constraints that forbid it."""
        values = check_prices(prices, self._words)
        try:
            return self._search(values, limit, [])
        except InfeasibleBudget:
            raise self._refusal(values, limit) from None

    def best_first(
        self, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Iterator[Solution]:
        """The best compression and a few after it, each kept from being found again."""
        values = check_prices(prices, self._words)
        found: list[Solution] = []
        for _ in range(1 if np.isinf(values).all() else 1 + _NEXT):
            try:
                found.append(self._search(values, limit, found))
            except InfeasibleBudget:
                if not found:
                    raise
                return
            yield found[-1]

    def selections(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Selections:
        """What keeps to the constraints, grown word by word from all beginnings, of many from some."""
        values = check_prices(prices, self._words)
        rows = self._rows(values, limit, [], self._constraints)
        terms, low, high = (
            rows.matrix(self._words) * (values > -np.inf),
            np.array(rows.low),
            np.array(rows.high),
        )
        # What the words that are not yet decided may still add.
        rest = np.pad(terms[:, ::-1], ((0, 0), (1, 0)))
        most, least = (
            np.cumsum(each, axis=1)[:, ::-1] for each in (np.maximum(rest, 0.0), np.minimum(rest, 0.0))
        )
        chosen, totals = np.zeros((1, self._words), np.bool_), np.zeros((1, len(low)))
        are_all = True
        for word in np.flatnonzero(values > -np.inf).tolist():
            longer = chosen.copy()
            longer[:, word] = True
            chosen = np.concatenate([longer, chosen])
            totals = np.concatenate([totals + terms[:, word], totals])
            viable = (totals + most[:, word + 1] >= low) & (totals + least[:, word + 1] <= high)
            going = np.flatnonzero(viable.all(axis=1))
            if len(going) > _LISTED:
                going, are_all = going[:: -(-len(going) // _LISTED)], False
            chosen, totals = chosen[going], totals[going]
        kept = (tuple(np.flatnonzero(each).tolist()) for each in chosen if each.any())
        return Selections(tuple(kept), are_all)

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """At every number of words that there is the likeliest words, and a score that the best does not surpass."""
        values = check_prices(prices, self._words)
        likely = np.clip(self._likely(values), _UNLIKELY, 1.0 - _UNLIKELY)
        worth = np.where(values > -np.inf, np.log(likely) - np.log(1.0 - likely), -np.inf)
        bounds = self._paths.bounds_of_lengths(self._values, values, self._always)
        scores, found = np.full(self._words + 1, -np.inf), {}
        for length in range(1, self._words + 1):
            rows = self._rows(values, Limit(length, length), [], self._constraints)
            kept = self._selection(worth, rows)
            if kept is not None:
                scores[length], found[length] = bounds[length], Solution(float(bounds[length]), kept)
        return Frontier(scores, found.__getitem__)

    def word_marginals(self, *, prices: ArrayLike | None = None) -> Float64:
        """How likely each word is to be kept, constraints apart."""
        return self._likely(check_prices(prices, self._words))

    def _search(self, prices: Float64, limit: Limit | None, but: Sequence[Solution]) -> Solution:
        """The best compression but some; where all words are pinned there is one."""
        if np.isinf(prices).all():
            only = self._scored(tuple(np.flatnonzero(prices == np.inf).tolist()), prices)
            if only is None or not self._is_within(only.kept, limit):
                raise InfeasibleBudget("the pinned words are no compression")
            return only
        rows = self._rows(prices, limit, but, self._constraints)
        # What no path through an n-gram surpasses; the best is looked for among those above the floor.
        bounds, floor = np.zeros(len(self._ngrams)), -np.inf
        few = min(_MANY, max(_FEW, _FOR_EACH_WORD * self._words))
        if len(bounds) > few:
            bounds = self._paths.bounds(self._values, prices, rows, limit)
            floor = _nth(bounds, few)
        while True:
            considered = np.flatnonzero((bounds >= floor) & (bounds > -np.inf))
            if self._roughly is not None and len(considered) > _MOST:
                raise InfeasibleBudget("too many paths are as good, as far as is known")
            try:
                found = self._best_of(considered, prices, rows)
            except InfeasibleBudget:
                if floor == -np.inf or self._selection(_allowed(prices), rows) is None:
                    raise
                reached = -np.inf
            else:
                reached = found.score - _ROUNDING
                if reached >= floor - 2 * _ROUNDING or self._roughly is not None:
                    return found
            floor = max(reached, _nth(bounds, _MORE * len(considered)))

    @cached_property
    def _always(self) -> Rows:
        """The constraints alone."""
        return self._rows(np.zeros(self._words), None, [], self._constraints)

    @cached_property
    def _paths(self) -> NgramPaths:
        return NgramPaths(self._ngrams, self._words)

    def _best_of(self, considered: Int64, prices: Float64, rows: Rows) -> Solution:
        """The best compression with no n-grams but these."""
        if not len(considered):
            raise InfeasibleBudget("no path keeps to the limit and the pinned words")
        programme = Programme()
        keeps = programme.indicators(range(self._words))
        steps = programme.amounts((self._ngrams[number] for number in considered.tolist()), 1.0)
        into: dict[tuple[int, ...], list[int]] = {}
        out_of: dict[tuple[int, ...], list[int]] = {}
        through: list[list[int]] = [[] for _ in keeps]
        for ngram, column in steps.items():
            out_of.setdefault(ngram[:-1], []).append(column)
            if ngram[-1] <= self._words:
                into.setdefault(ngram[1:], []).append(column)
                through[ngram[-1] - 1].append(column)
        for context in dict.fromkeys((*into, *out_of)):
            if any(context):  # what comes in goes out
                programme.rows.add(into.get(context, []), out_of.get(context, []))
            else:  # one path leaves the start
                programme.rows.add(out_of[context], low=1.0, high=1.0)
        for word, columns in enumerate(through):
            programme.rows.add(columns, [keeps[word]])
        objective = np.concatenate([np.where(prices == np.inf, 0.0, prices), self._values[considered]])
        found = programme.maximised(objective, rows, roughly=self._roughly)
        chosen = np.flatnonzero(found[: self._words] > 0.5)
        return Solution(float(objective[found > 0.5].sum()), tuple(chosen.tolist()))

    def _rows(
        self,
        prices: Float64,
        limit: Limit | None,
        but: Sequence[Solution],
        constraints: Sequence[Constraint],
    ) -> Rows:
        """What a selection must keep to, the limit first; the columns are the words."""
        rows = Rows()
        if limit is not None:
            check_limit(limit, counts_gaps=self.counts_gaps)
            costs = check_costs(limit.costs, self._words)
            rows.weigh([(word, float(cost)) for word, cost in enumerate(costs)], limit.least, limit.most)
        for word in np.flatnonzero(prices == np.inf).tolist():
            rows.add([word], low=1.0, high=1.0)
        for other in but:  # at least one word is another
            kept = set(other.kept)
            terms = [(word, 1.0 if word in kept else -1.0) for word in range(self._words)]
            rows.weigh(terms, -np.inf, len(kept) - 1.0)
        for constraint in constraints:
            rows.weigh(constraint.terms, constraint.low, constraint.high)
        return rows

    def _selection(self, worth: Float64, rows: Rows) -> tuple[int, ...] | None:
        """The words of most worth that keep to the rows, whatever they score; None if there are none."""
        programme = Programme()
        programme.rows.add(programme.indicators(range(self._words)).values(), low=1.0, high=self._words)
        try:
            found = programme.maximised(worth, rows)
        except InfeasibleBudget:
            return None
        return tuple(np.flatnonzero(found > 0.5).tolist())

    def _cost(self, kept: tuple[int, ...], limit: Limit) -> int:
        return int(check_costs(limit.costs, self._words)[list(kept)].sum())

    def _is_within(self, kept: tuple[int, ...], limit: Limit | None) -> bool:
        return limit is None or limit.least <= self._cost(kept, limit) <= limit.most

    def _scored(self, kept: tuple[int, ...], prices: Float64) -> Solution | None:
        """The compression of these words; None where a constraint or a score forbids it."""
        if not kept or not self._always.hold(kept):
            return None
        order = len(next(iter(self._scores), (0, 0)))
        places = (*(0,) * (order - 1), *(word + 1 for word in kept), self._words + 1)
        score = sum(
            self._scores.get(places[start : start + order], -np.inf)
            for start in range(len(places) - order + 1)
        )
        paid = prices[list(kept)]
        total = float(score + paid[np.isfinite(paid)].sum())
        return Solution(total, kept) if total > -np.inf else None

    def _refusal(self, prices: Float64, limit: Limit | None) -> InfeasibleBudget:
        """The error that names the kinds of constraints without which there would be an answer."""
        kinds = list(dict.fromkeys(constraint.kind for constraint in self._constraints))

        def possible(constraints: Sequence[Constraint]) -> bool:
            return self._selection(_allowed(prices), self._rows(prices, limit, [], constraints)) is not None

        if not possible(()):
            return InfeasibleBudget("the limit and the pinned words rule out every compression")
        guilty = [
            kind for kind in kinds if possible([each for each in self._constraints if each.kind != kind])
        ]
        named = " and ".join(f"{kind!r}" for kind in guilty or kinds)
        return InfeasibleBudget(
            f"the constraint{'s' * (len(guilty or kinds) > 1)} {named} and the limit rule out every compression"
        )


def _allowed(prices: Float64) -> Float64:
    """What is worth nothing, but for words that must go."""
    return np.where(prices > -np.inf, 0.0, -np.inf)


def _nth(values: Float64, count: int) -> float:
    """Of the values, ordered from the highest down, the one at this place; -inf where there are fewer."""
    return float(np.partition(values, -count)[-count]) if count < len(values) else -np.inf
