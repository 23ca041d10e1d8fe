"""What is asked of a search, and what it answers, whatever it searches: a forest, a chart or a path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int64
from laconic.errors import InfeasibleBudget, nearest_possible
from laconic.forest.derivation import Derivation

LONG_SENTENCE = 100
"""Words of a sentence beyond which it takes long to search."""


@dataclass(frozen=True, slots=True)
class Solution:
    """One compression that was found.

    `score` includes the prices; `kept` are the source words that stay (where words are rewritten: those that are
    copied). `heads` are those of the kept words, as indices into `kept`, -1 for the root, where a tree was searched
    for; `derivation` is that of the forest, where one was searched.
    """

    score: float
    kept: tuple[int, ...]
    heads: tuple[int, ...] | None = None
    derivation: Derivation | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """A hard limit on the total cost of the kept words: least <= sum(costs[kept]) <= most.

    `costs` holds one integer of at least 0 for each source word; None counts words. A search that `counts_gaps` adds
    gaps[i, j] for each two neighbours i and j in the compression, such as a space between them: of shape
    (n + 2, n + 2), with 0 for the start, 1 … n for the words and n + 1 for the end.
    """

    least: int
    most: int
    costs: tuple[int, ...] | None = None
    gaps: Int64 | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Frontier:
    """The best score at every total cost 0, 1, …; -inf where no compression has that cost.

    `solution(cost)` rebuilds the best compression of exactly that cost.
    """

    scores: Float64
    rebuild: Callable[[int], Solution]

    def solution(self, cost: int) -> Solution:
        """The best compression of exactly this cost; raises InfeasibleBudget if there is none."""
        if not 0 <= cost < len(self.scores) or self.scores[cost] == -np.inf:
            possible = nearest_possible(np.flatnonzero(self.scores > -np.inf).tolist(), cost, cost)
            raise InfeasibleBudget(f"no compression costs exactly {cost}", possible=possible)
        return self.rebuild(cost)


@dataclass(frozen=True, slots=True)
class Selections:
    """Words that compressions keep, each selection once; `are_all` says that there are no others."""

    kept: tuple[tuple[int, ...], ...]
    are_all: bool


class Searcher(Protocol):
    """What can find the best compression of one sentence, its scores fixed.

    `prices` are added to the score of every compression that keeps the word: +inf pins a word in and adds nothing,
    -inf pins it out. Infeasible requests raise `InfeasibleBudget` that says what is possible.
    """

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score."""
        ...


class Decoder(Searcher, Protocol):
    """What a system makes of one sentence: a search that can go on from the best to the next best.

    It need not answer more than that: what is missing are then the texts that exist, scored one by one. A
    `ShapeDecoder` answers every other question, too.
    """

    @property
    def counts_gaps(self) -> bool:
        """Whether it counts what stands between words."""
        ...

    def best_first(
        self, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Iterator[Solution]:
        """The compressions with different words, from the best down, as far as that takes little time."""
        ...

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """For every number of words a compression that scores no less than the best, in one run."""
        ...

    def word_marginals(self, *, prices: ArrayLike | None = None) -> Float64:
        """How likely each word is to be kept."""
        ...


class Lister(Decoder, Protocol):
    """A decoder of some selections of words only, which can list them: they are looked through before a refusal."""

    def selections(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Selections:
        """As many selections as can be had in little time."""
        ...
