"""Two models, one compression: joint decoding by dual decomposition, through prices of words.

The words that the first model keeps are y, those of the second z, as 0s and 1s. To maximise g(y) + f(z) over y = z, the
equality is relaxed by a price u for each word,

    L(u) = max over y of (g(y) - u · y) + max over z of (f(z) + u · z),

which is never below the joint optimum and falls as u is moved towards agreement. Where the two agree, L(u) is the
score of their answer: a certificate that nothing is better.

Jin-ge Yao, Xiaojun Wan and Jianguo Xiao: Joint Decoding of Tree Transduction Models for Sentence Compression. EMNLP
2014. The step is that of Rush and Collins (2012).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64
from laconic.decode.contract import Frontier, Limit, Searcher, Selections, Solution
from laconic.errors import InfeasibleBudget, LaconicError

_ROUNDING = 1e-9  # relative: what sums of scores in two orders may differ by
_OUTLINED = 3600  # words of a long sentence times the lengths at which it is searched
_LEAST_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Round:
    """One round: the dual L(u), the best joint score known after it, and whether both kept the same words."""

    dual: float
    primal: float
    agreed: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """The best answer that joint decoding met, and what is proven of it.

    `solution` is that of the first model, its score the joint one; `met` are all answers that were met and that both
    models allow, best first. No joint score is above `bound`. `prices` are those of the last round, for a warm start.
    """

    met: tuple[Solution, ...]
    bound: float
    rounds: tuple[Round, ...]
    prices: Float64

    @property
    def solution(self) -> Solution:
        """The best answer."""
        return self.met[0]

    @property
    def certified(self) -> bool:
        """Whether the answer is proven to be the best."""
        return self.solution.score >= self.bound - _ROUNDING * max(1.0, abs(self.bound))


@dataclass(frozen=True, slots=True, eq=False)
class JointSearcher:
    """The best compression by the sum of two models' scores, over a sentence of `words` words.

    Both must find the best under prices and limits. At most so many `rounds` are made; `scale` is the size of the
    first step, 1 in the paper. `start` are prices to begin with, such as those of a similar request.
    """

    first: Searcher
    second: Searcher
    words: int
    rounds: int = 50
    scale: float = 1.0
    start: Float64 | None = None

    def __post_init__(self) -> None:
        if self.rounds < 1 or not 0 < self.scale < np.inf:
            raise LaconicError(
                f"joint decoding needs a round and a positive scale, not {self.rounds} and {self.scale}"
            )

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The best compression met within the rounds."""
        return self.agree(prices=prices, limit=limit).solution

    def agree(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Agreement:
        """The same with its bound and the trace of the rounds; `InfeasibleBudget` where no answer suits both.

        u ← u - δ (z - y), with δ = scale / (t + 1) and t the number of times that the dual rose.
        """
        asked = np.zeros(self.words) if prices is None else np.array(prices, dtype=np.float64)
        pins = np.where(np.isinf(asked), asked, 0.0)
        multipliers = np.zeros(self.words) if self.start is None else self.start.copy()
        known: dict[tuple[int, ...], Solution | None] = {}
        trace: list[Round] = []
        bound, before, rises = np.inf, np.inf, 0
        for _ in range(self.rounds):
            mine = self.first.best(prices=asked - multipliers, limit=limit)
            other = self.second.best(prices=pins + multipliers, limit=limit)
            dual = mine.score + other.score
            bound, rises, before = min(bound, dual), rises + (dual > before), dual
            for kept in (mine.kept, other.kept):
                if kept not in known:
                    known[kept] = self._joint(kept, asked, limit)
            agreed = mine.kept == other.kept
            trace.append(Round(dual, _best(known), agreed))
            if agreed or trace[-1].primal >= bound - _ROUNDING * max(1.0, abs(bound)):
                break
            step = self.scale / (rises + 1)
            multipliers[list(other.kept)] -= step
            multipliers[list(mine.kept)] += step
        answers = [solution for solution in known.values() if solution is not None]
        if not answers:
            raise InfeasibleBudget(
                f"in {self.rounds} rounds the two models found no compression of the {self.words} words that both allow"
            )
        answers.sort(key=lambda answer: -answer.score)
        return Agreement(tuple(answers), bound, tuple(trace), multipliers)

    def _joint(self, kept: tuple[int, ...], asked: Float64, limit: Limit | None) -> Solution | None:
        """The joint score of keeping exactly these words, with the first model's structure; None if one refuses."""
        pins = np.full(self.words, -np.inf)
        pins[list(kept)] = np.inf
        try:
            mine, other = (model.best(prices=pins, limit=limit) for model in (self.first, self.second))
        except InfeasibleBudget:
            return None
        paid = sum(float(asked[word]) for word in kept if np.isfinite(asked[word]))
        return replace(mine, score=mine.score + other.score + paid)


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """A search whose scores count `weight` times, which is above 0."""

    searcher: Searcher
    weight: float

    def __post_init__(self) -> None:
        if not 0 < self.weight < np.inf:
            raise LaconicError(f"the weight of a model is a number above 0, not {self.weight}")

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score."""
        own = None if prices is None else np.asarray(prices, np.float64) / self.weight
        found = self.searcher.best(prices=own, limit=limit)
        return replace(found, score=self.weight * found.score)


@dataclass(frozen=True, slots=True, eq=False)
class JointDecoder:
    """What budgets ask of a search, of two decoders together: the answers met on the way to the best, and bounds."""

    joint: JointSearcher
    likely: Callable[[Float64], Float64]
    listed: Callable[[Float64, Limit | None], Selections]
    counts_gaps: bool = False

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The best compression met within the rounds."""
        return self.joint.best(prices=prices, limit=limit)

    def best_first(
        self, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Iterator[Solution]:
        """The compressions that were met, from the best down: some of all there are."""
        yield from self.joint.agree(prices=prices, limit=limit).met

    def selections(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Selections:
        """What one of the two models allows, and perhaps the other."""
        return self.listed(self._asked(prices), limit)

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """For every number of words the best that was met, with the bound as its score; each starts from the last.

        Lengths that the two models never meet at have none; those of a long sentence are some, evenly spread, each
        searched in fewer rounds.
        """
        words, joint = self.joint.words, self.joint
        step = max(1, -(-words * words // _OUTLINED))
        joint = replace(joint, rounds=min(joint.rounds, max(_LEAST_ROUNDS, joint.rounds // step)))
        found: dict[int, Solution] = {}
        for length in range(words, 0, -step):
            try:
                agreed = joint.agree(prices=prices, limit=Limit(length, length))
            except InfeasibleBudget:
                continue
            joint = replace(joint, start=agreed.prices)
            found[length] = replace(agreed.solution, score=max(agreed.bound, agreed.solution.score))
        scores = np.full(words + 1, -np.inf)
        for length, solution in found.items():
            scores[length] = solution.score
        return Frontier(scores, found.__getitem__)

    def word_marginals(self, *, prices: ArrayLike | None = None) -> Float64:
        """About how likely each word is to be kept."""
        return self.likely(self._asked(prices))

    def _asked(self, prices: ArrayLike | None) -> Float64:
        return np.zeros(self.joint.words) if prices is None else np.asarray(prices, np.float64)


def _best(known: Mapping[tuple[int, ...], Solution | None]) -> float:
    return max((answer.score for answer in known.values() if answer is not None), default=-np.inf)
