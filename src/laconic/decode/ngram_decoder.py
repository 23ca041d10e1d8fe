"""The decoder contract over a forest whose yields a language model scores too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.decode.contract import Floats, Frontier, Integers, Limit, Solution
from laconic.decode.cube_pruning import Beam, Intersection, intersect
from laconic.errors import LaconicError
from laconic.forest.by_cost import best_by_cost
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import best, marginals
from laconic.forest.k_best import k_best
from laconic.forest.prices import priced
from laconic.forest.sampling import sample
from laconic.forest.strata import stratify
from laconic.ngram.model import NgramModel

_WIDE = Beam()


@dataclass(frozen=True, slots=True, eq=False)
class NgramForestDecoder:
    """All derivations of a forest, scored by edges + weight · ln p(<s> yield </s>) + prices of copied words.

    `symbol_ids[s]` is the model's id of symbol s. With `beam=None` every answer is exact; with a beam,
    answers are about the derivations within it. A limit is met either way: every node then has a
    beam for each cost. `Solution.structure` is the derivation.
    """

    forest: Hypergraph
    model: NgramModel
    symbol_ids: ArrayLike
    weight: float = 1.0
    beam: Beam | None = _WIDE

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The derivation of highest score."""
        found, project = self._search(prices, limit)
        return self._solution(project(best(found.forest)))

    def k_best(
        self,
        k: int,
        *,
        prices: ArrayLike | None = None,
        limit: Limit | None = None,
        distinct: bool = False,
    ) -> Sequence[Solution]:
        """The k best derivations, best first (fewer if fewer exist); if `distinct`, one of each yield."""
        found, project = self._search(prices, limit)
        return [self._solution(project(each)) for each in k_best(found.forest, k, distinct=distinct)]

    def frontier(self, *, prices: ArrayLike | None = None, costs: Sequence[int] | None = None) -> Frontier:
        """The best score at every total cost, in one run."""
        base = self._priced(prices)
        edge_costs = self._edge_costs(None if costs is None else tuple(costs))
        strata = stratify(base, edge_costs)
        found = self._intersect(strata.forest, whole_root=True)
        of_stratum = np.where(strata.forest.origins >= 0, edge_costs[strata.forest.origins], 0)
        table = best_by_cost(
            found.forest, np.where(found.forest.origins >= 0, of_stratum[found.forest.origins], 0)
        )
        return Frontier(
            table.scores,
            lambda cost: self._solution(strata.project(found.project(table.derivation(cost)))),
        )

    def word_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Floats:
        """The probability that each word is kept, under the distribution exp(score)/Z."""
        found, _ = self._search(prices, limit)
        return marginals(found.forest).words(int(self.forest.symbol_words.max(initial=-1)) + 1)

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
        base = self._priced(prices)
        if limit is None:
            found = self._intersect(base)
            return found, found.project
        strata = stratify(base, self._edge_costs(limit.costs), least=limit.least, most=limit.most)
        found = self._intersect(strata.forest)
        return found, lambda derivation: strata.project(found.project(derivation))

    def _priced(self, prices: ArrayLike | None) -> Hypergraph:
        return self.forest if prices is None else priced(self.forest, prices)

    def _intersect(self, forest: Hypergraph, *, whole_root: bool = False) -> Intersection:
        return intersect(
            forest,
            self.model,
            symbol_ids=self.symbol_ids,
            weight=self.weight,
            beam=self.beam,
            whole_root=whole_root,
        )

    def _edge_costs(self, costs: tuple[int, ...] | None) -> Integers:
        """The cost of what each edge emits; without costs, the number of words."""
        if costs is None:
            return self.forest.edge_costs()
        copied = self.forest.symbol_words
        if len(costs) <= copied.max(initial=-1):
            raise LaconicError(f"{len(costs)} costs, but the forest copies word {copied.max()}")
        foreign = np.flatnonzero(copied < 0)
        if len(foreign):
            raise LaconicError(
                f"symbol {foreign[0]} copies no source word, so it has no cost; limit the number of words"
            )
        return self.forest.edge_costs(np.array(costs)[copied])

    def _solution(self, derivation: Derivation) -> Solution:
        own = Derivation(self.forest, derivation.score, derivation.edges)
        return Solution(own.score, own.words(), own)
