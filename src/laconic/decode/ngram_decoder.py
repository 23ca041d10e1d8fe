"""The decoder contract over a forest whose yields a language model scores too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.decode.contract import Floats, Frontier, Integers, Limit, Solution
from laconic.decode.cube_pruning import Beam, Intersection, best_with_model, intersect
from laconic.errors import LaconicError
from laconic.forest.inference import best_by_cost
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import marginals
from laconic.forest.inference import k_best
from laconic.forest.prices import priced
from laconic.forest.inference import sample
from laconic.forest.strata import stratify
from laconic.ngram.model import NgramModel

_WIDE = Beam()


@dataclass(frozen=True, slots=True, eq=False)
class NgramForestDecoder:
    """A forest over a sentence of `words` words, scored by edges + weight · ln p(<s> yield </s>) + prices.

    `symbol_ids[s]` is the model's id of symbol s. With `beam=None` every answer is exact; with a beam,
    answers are about the derivations within it. A limit is met either way: every node then has a
    beam for each cost. `Solution.structure` is the derivation.

    Without costs, a limit counts the emitted symbols. Costs are one for each source word; if the forest
    also emits symbols that copy no word, one for each symbol.
    """

    forest: Hypergraph
    model: NgramModel
    _: KW_ONLY
    words: int
    symbol_ids: ArrayLike
    weight: float = 1.0
    beam: Beam | None = _WIDE

    def __post_init__(self) -> None:
        copied = int(self.forest.symbol_words.max(initial=-1)) + 1
        if copied > self.words:
            raise LaconicError(
                f"the forest copies word {copied - 1}, but the sentence has {self.words} words"
            )

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The derivation of highest score."""
        forest, project = self._limited(prices, limit)
        found = best_with_model(
            forest, self.model, symbol_ids=self.symbol_ids, weight=self.weight, beam=self.beam
        )
        return self._solution(project(found))

    def k_best(
        self,
        k: int,
        *,
        prices: ArrayLike | None = None,
        limit: Limit | None = None,
        distinct: bool = True,
    ) -> Sequence[Solution]:
        """The k best derivations, best first (fewer if fewer exist); if `distinct`, one of each yield."""
        found, project = self._search(prices, limit)
        return [self._solution(project(each)) for each in k_best(found.forest, k, distinct=distinct)]

    def frontier(self, *, prices: ArrayLike | None = None, costs: Sequence[int] | None = None) -> Frontier:
        """The best score at every total cost, in one run."""
        base = self._priced(prices)
        edge_costs = self._edge_costs(costs)
        strata = stratify(base, edge_costs)
        found = self._intersect(strata.forest, whole_root=True)
        of_stratum = np.where(strata.forest.origins >= 0, edge_costs[strata.forest.origins], 0)
        table = best_by_cost(
            found.forest, np.where(found.forest.origins >= 0, of_stratum[found.forest.origins], 0)
        )
        # At least up to the cost of the whole sentence, so that frontiers of one sentence can be added.
        total = self.words if costs is None else sum(costs) if self._only_copies else 0
        beyond = max(0, total + 1 - len(table.scores))
        return Frontier(
            np.pad(table.scores, (0, beyond), constant_values=-np.inf),
            lambda cost: self._solution(strata.project(found.project(table.derivation(cost)))),
        )

    def word_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Floats:
        """The probability that each word is kept, under the distribution exp(score)/Z."""
        found, _ = self._search(prices, limit)
        return marginals(found.forest).words(self.words)

    def sample(
        self, generator: np.random.Generator, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Solution:
        """One derivation drawn from exp(score)/Z."""
        found, project = self._search(prices, limit)
        return self._solution(project(sample(found.forest, generator)[0]))

    def _search(
        self, prices: ArrayLike | None, limit: Limit | None
    ) -> tuple[Intersection, Callable[[Derivation], Derivation]]:
        """The derivations within the limit and the beam, and how to read them as those of the forest."""
        forest, project = self._limited(prices, limit)
        found = self._intersect(forest)
        return found, lambda derivation: project(found.project(derivation))

    def _limited(
        self, prices: ArrayLike | None, limit: Limit | None
    ) -> tuple[Hypergraph, Callable[[Derivation], Derivation]]:
        """The priced derivations within the limit, and how to read them as those of the forest."""
        base = self._priced(prices)
        if limit is None:
            return base, lambda derivation: derivation
        strata = stratify(base, self._edge_costs(limit.costs), least=limit.least, most=limit.most)
        return strata.forest, strata.project

    def _priced(self, prices: ArrayLike | None) -> Hypergraph:
        if prices is None:
            return self.forest
        if np.shape(prices) != (self.words,):
            raise LaconicError(f"{self.words} words but prices of shape {np.shape(prices)}")
        return priced(self.forest, prices)

    def _intersect(self, forest: Hypergraph, *, whole_root: bool = False) -> Intersection:
        return intersect(
            forest,
            self.model,
            symbol_ids=self.symbol_ids,
            weight=self.weight,
            beam=self.beam,
            whole_root=whole_root,
        )

    @property
    def _only_copies(self) -> bool:
        return bool(np.all(self.forest.symbol_words >= 0))

    def _edge_costs(self, costs: Sequence[int] | None) -> Integers:
        """The cost of what each edge emits."""
        if costs is None:
            return self.forest.edge_costs()
        needed = self.words if self._only_copies else self.forest.symbol_count
        if len(costs) != needed:
            what = "words" if self._only_copies else "symbols (the forest emits some that copy no word)"
            raise LaconicError(f"{len(costs)} costs for {needed} {what}")
        values = np.asarray(costs)
        return self.forest.edge_costs(values[self.forest.symbol_words] if self._only_copies else values)

    def _solution(self, derivation: Derivation) -> Solution:
        own = Derivation(self.forest, derivation.score, derivation.edges)
        return Solution(own.score, own.words(), own)
