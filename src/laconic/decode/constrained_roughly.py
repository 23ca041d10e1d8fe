"""Long sentences under constraints: soon, and not far from the best.

The programme of what may be on the best path is solved roughly. Beside it are the selections that grow word by word,
each with all that the constraints then demand, for the many lengths that a programme each would take too long for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64
from laconic.decode.constrained import ConstrainedPath, Constraint
from laconic.decode.contract import Frontier, Limit, Solution
from laconic.decode.inputs import check_prices
from laconic.decode.programme import Roughly
from laconic.errors import InfeasibleBudget

_CHEAPER = (1, 5)  # by so much what the solver is asked for next costs less


class RoughConstrainedPath(ConstrainedPath):
    """The same as `ConstrainedPath`, but what it finds need not be the best, and what it does not find may exist."""

    _roughly = Roughly(gap=0.002, branches=1)

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """A compression of high score."""
        return next(self.best_first(prices=prices, limit=limit))

    def best_first(
        self, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Iterator[Solution]:
        """What the solver finds, and what it finds that costs less; after these what was grown."""
        values = check_prices(prices, self._words)
        seen: set[tuple[int, ...]] = set()
        for each in self._found(values, limit):
            if each.kept not in seen and self._is_within(each.kept, limit):
                seen.add(each.kept)
                yield each
        if not seen:
            raise InfeasibleBudget("the constraints and the limit leave no compression that was found")

    def _found(self, prices: Float64, limit: Limit | None) -> Iterator[Solution]:
        within = limit
        for cheaper in (*_CHEAPER, np.inf):
            try:
                found = self._search(prices, within, [])
            except InfeasibleBudget:
                break
            yield found
            if within is None or np.isinf(prices).all():
                break
            # What was found may take more to write than was counted: then less may do.
            less = self._cost(found.kept, within) - cheaper
            if less < within.least:
                break
            within = replace(within, most=int(less))
        if not np.isinf(prices).all():
            yield from sorted(self._grown(prices), key=lambda each: -each.score)

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """The selections that were grown, by their number of words."""
        found = {len(each.kept): each for each in self._grown(check_prices(prices, self._words))}
        scores = np.full(self._words + 1, -np.inf)
        for length, solution in found.items():
            scores[length] = solution.score
        return Frontier(scores, found.__getitem__)

    def _grown(self, prices: Float64) -> list[Solution]:
        """From what must stay on, the likeliest words one by one, each with all that the constraints demand with it."""
        key = prices.tobytes()
        if key not in self._memory:
            found = (self._scored(tuple(sorted(each)), prices) for each in self._selections(prices))
            self._memory[key] = [each for each in found if each is not None]
        return self._memory[key]

    def _selections(self, prices: Float64) -> Iterator[frozenset[int]]:
        likely = self._likely(prices)
        out = frozenset(np.flatnonzero(prices == -np.inf).tolist())
        kept: frozenset[int] = frozenset()
        if pinned := frozenset(np.flatnonzero(prices == np.inf).tolist()):
            closed = self._closed(pinned, (), likely, out)
            if closed is None:
                return
            kept = closed
            yield kept
        for word in np.argsort(-likely, kind="stable").tolist():
            if word not in kept and word not in out:
                more = self._closed(kept, (word,), likely, out)
                if more is not None:
                    kept = more
                    yield kept

    @cached_property
    def _memory(self) -> dict[bytes, list[Solution]]:
        return {}

    @cached_property
    def _of_word(self) -> list[list[Constraint]]:
        found: list[list[Constraint]] = [[] for _ in range(self._words)]
        for each in self._constraints:
            for word, _ in each.terms:
                found[word].append(each)
        return found

    def _closed(
        self, kept: frozenset[int], more: Sequence[int], likely: Float64, out: frozenset[int]
    ) -> frozenset[int] | None:
        """The kept words, some more, and what the constraints then demand; None where that must go."""
        grown = set(kept).union(more)
        # Those that demand something of nothing are looked at once.
        waiting = [each for word in (more or kept) for each in self._of_word[word]]
        waiting += [] if kept and more else [each for each in self._constraints if each.lacking(())]
        while waiting:
            constraint = waiting.pop()
            while wanted := constraint.lacking(grown):
                free = [word for word in wanted if word >= 0 and word not in out]
                if not free:
                    return None
                added = max(free, key=lambda word: float(likely[word]))
                grown.add(added)
                waiting += self._of_word[added]
        return frozenset(grown)
