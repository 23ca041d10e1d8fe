"""What every decoder answers, whatever it searches: a forest, a chart or a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Solution:
    """One compression found by a decoder.

    `score` includes the prices; `kept` are the source words that stay (for decoders that rewrite: the
    source words that are copied); `structure` is the decoder's own witness, such as heads or edges.
    """

    score: float
    kept: tuple[int, ...]
    structure: Any = None


@dataclass(frozen=True, slots=True)
class Limit:
    """A hard limit on the total cost of the kept words: least <= sum(costs[kept]) <= most.

    `costs` holds one integer of at least 0 for each source word; None counts words.
    """

    least: int
    most: int
    costs: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Frontier:
    """The best score at every total cost 0, 1, …; -inf where no compression has that cost.

    `solution(cost)` rebuilds the best compression of exactly that cost.
    """

    scores: Floats
    rebuild: Any  # Callable[[int], Solution]

    def solution(self, cost: int) -> Solution:
        """The best compression of exactly this cost; raises InfeasibleBudget if there is none."""
        from laconic.errors import InfeasibleBudget

        feasible = np.flatnonzero(self.scores > -np.inf)
        if not 0 <= cost < len(self.scores) or self.scores[cost] == -np.inf:
            possible = (int(feasible[0]), int(feasible[-1])) if len(feasible) else None
            raise InfeasibleBudget(f"no compression costs exactly {cost}", possible=possible)
        answer: Solution = self.rebuild(cost)
        return answer


class Decoder(Protocol):
    """A search space over one sentence with its scores fixed.

    `prices` are added to the score of every compression that keeps the word: +inf pins a word in,
    -inf pins it out. Infeasible requests raise `InfeasibleBudget` that says what is possible.
    """

    def best(self, *, prices: Floats | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score."""
        ...

    def k_best(
        self, k: int, *, prices: Floats | None = None, limit: Limit | None = None
    ) -> Sequence[Solution]:
        """The k compressions of highest score, best first (fewer if fewer exist)."""
        ...

    def frontier(self, *, prices: Floats | None = None, costs: Sequence[int] | None = None) -> Frontier:
        """The best score at every total cost, in one run."""
        ...

    def word_marginals(self, *, prices: Floats | None = None, limit: Limit | None = None) -> Floats:
        """The probability that each word is kept, under the distribution exp(score)/Z."""
        ...

    def sample(
        self, generator: np.random.Generator, *, prices: Floats | None = None, limit: Limit | None = None
    ) -> Solution:
        """One compression drawn from exp(score)/Z."""
        ...


class Searcher(Protocol):
    """What can find the best compression, and no more."""

    def best(self, *, prices: Floats | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score."""
        ...
