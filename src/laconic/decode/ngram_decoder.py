"""The decoder contract over a forest whose yields a language model scores too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int64
from laconic.decode.contract import Frontier, Limit, Solution
from laconic.decode.cube_pruning import Beam, Intersection, intersect
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.inputs import check_limit, check_prices
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import best, best_by_cost, k_best, log_partition, marginals, sample
from laconic.forest.lazy import Emissions
from laconic.forest.limited import limited
from laconic.forest.prices import priced
from laconic.forest.shape import NEVER
from laconic.ngram.model import NgramModel

Project = Callable[[Derivation], Derivation]

_WIDE = Beam()
_MOST_ITEMS = 120_000  # within the beams of all nodes: those of long sentences with a limit are narrower


class NgramForestDecoder(ForestDecoder):
    """A forest over a sentence of `words` words, scored by edges + weight · ln p(<s> yield </s>) + prices.

    `symbol_ids[s]` is the model's id of symbol s. With `beam=None` every answer is exact; with a beam,
    answers are about the derivations within it. A limit is met either way: every node then has a
    beam for each cost. Costs are as in `ForestDecoder`.
    """

    def __init__(
        self,
        forest: Hypergraph,
        model: NgramModel,
        *,
        words: int,
        symbol_ids: ArrayLike,
        weight: float = 1.0,
        beam: Beam | None = _WIDE,
    ) -> None:
        super().__init__(forest, words=words)
        self._model, self._symbol_ids, self._weight, self._beam = model, symbol_ids, weight, beam
        self._last: tuple[object, tuple[Intersection, Project]] | None = None

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The derivation of highest score."""
        found, project = self._search(prices, limit)
        return self._read(project(best(found.forest)))

    def frontier(
        self,
        *,
        prices: ArrayLike | None = None,
        costs: Sequence[int] | None = None,
        gaps: Int64 | None = None,
    ) -> Frontier:
        """The best score at every total cost, in one run."""
        limit = Limit(0, NEVER, None if costs is None else tuple(costs), gaps)
        base, project = self._limited(prices, limit)
        found = self._intersect(base, whole_root=True)
        # What an edge of the intersection costs is what the part of this forest costs that it stands for.
        part_costs = self._part_costs(limit)[base.origins]
        edge_costs = np.where(found.forest.origins >= 0, part_costs[found.forest.origins], 0)
        table = best_by_cost(found.forest, edge_costs)
        beyond = max(0, self._whole_cost(limit) + 1 - len(table.scores))
        return Frontier(
            np.pad(table.scores, (0, beyond), constant_values=-np.inf),
            lambda cost: self._read(project(found.project(table.derivation(cost)))),
        )

    def log_partition(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> float:
        """log Z, the logarithm of the sum of exp(score) over all derivations within the limit and the beam."""
        return log_partition(self._search(prices, limit)[0].forest)

    def word_marginals(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Float64:
        """The probability that each word is kept, under the distribution exp(score)/Z."""
        kept = marginals(self._search(prices, limit)[0].forest).words(self._words)
        return np.minimum(kept, 1.0)  # a sum of rounded probabilities

    def samples(
        self,
        count: int,
        generator: np.random.Generator,
        *,
        prices: ArrayLike | None = None,
        limit: Limit | None = None,
    ) -> list[Solution]:
        """Independent derivations drawn from exp(score)/Z."""
        found, project = self._search(prices, limit)
        return [self._read(project(each)) for each in sample(found.forest, generator, count=count)]

    def _k_best(
        self, k: int, prices: ArrayLike | None, limit: Limit | None, emissions: Emissions | None
    ) -> Sequence[Solution]:
        found, project = self._search(prices, limit)
        best_first = k_best(found.forest, k, distinct=emissions is not None)
        return [self._read(project(each)) for each in best_first]

    def _search(self, prices: ArrayLike | None, limit: Limit | None) -> tuple[Intersection, Project]:
        """The derivations within the limit and the beam, and how to read them as those of the forest.

        The last ones are remembered: who wants to have more of the best asks the same again.
        """
        asked = (
            None if prices is None else np.asarray(prices, np.float64).tobytes(),
            None if limit is None else (limit.least, limit.most, limit.costs),
        )
        if self._last is not None and self._last[0] == asked:
            return self._last[1]
        forest, project = self._limited(prices, limit)
        found = self._intersect(forest)
        answer = found, lambda derivation: project(found.project(derivation))
        self._last = asked, answer
        return answer

    def _limited(self, prices: ArrayLike | None, limit: Limit | None) -> tuple[Hypergraph, Project]:
        """The priced derivations within the limit, and how to read them as those of the forest."""
        base = self._forest
        if prices is not None:
            base = priced(base, check_prices(prices, self._words))
        if limit is None:
            return base, lambda derivation: derivation
        check_limit(limit, counts_gaps=self.counts_gaps)
        within = limited(base, self._edge_costs(limit), least=limit.least, most=min(limit.most, NEVER))
        return within.forest, within.project

    def _intersect(self, forest: Hypergraph, *, whole_root: bool = False) -> Intersection:
        return intersect(
            forest,
            self._model,
            symbol_ids=self._symbol_ids,
            weight=self._weight,
            beam=None if self._beam is None else self._beam.within(_MOST_ITEMS // forest.node_count),
            whole_root=whole_root,
        )

    def _read(self, derivation: Derivation) -> Solution:
        own = Derivation(self._forest, derivation.score, derivation.edges)
        return Solution(own.score, own.words(), derivation=own)
