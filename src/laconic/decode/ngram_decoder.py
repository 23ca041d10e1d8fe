"""The decoder contract over a forest whose yields a language model scores too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Int64
from laconic.decode.contract import Limit, Solution
from laconic.decode.cube_pruning import Beam, Intersection, intersect
from laconic.decode.decoder import Query
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.inputs import check_limit, check_prices
from laconic.forest.best import parts_of_best
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.limited import limited
from laconic.forest.prices import priced
from laconic.forest.shape import NEVER, free_costs
from laconic.ngram.model import NgramModel

Project = Callable[[Derivation], Derivation]

_WIDE = Beam()
_MOST_ITEMS = 120_000  # within the beams of all nodes: those of long sentences with a limit are narrower


@dataclass(frozen=True, slots=True)
class _Crossed(Query):
    """What is searched where a language model scores: another forest, whose derivations stand for those of the own."""

    forest: Hypergraph
    project: Project


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
        self._last: tuple[object, _Crossed] | None = None

    def _query(self, prices: ArrayLike | None, limit: Limit | None) -> _Crossed:
        """The derivations within the limit and the beam.

        The last ones are remembered: who wants to have more of the best asks the same again.
        """
        asked = (
            None if prices is None else np.asarray(prices, np.float64).tobytes(),
            None if limit is None else (limit.least, limit.most, limit.costs),
        )
        if self._last is not None and self._last[0] == asked:
            return self._last[1]
        base, project = self._limited(prices, limit)
        found = self._intersect(base)
        query = _crossed(found, project, free_costs(len(found.forest.part_scores)), None)
        self._last = asked, query
        return query

    def _query_of_all_costs(self, prices: ArrayLike | None, limit: Limit) -> _Crossed:
        base, project = self._limited(prices, limit)
        found = self._intersect(base, whole_root=True)
        # What an edge of the intersection costs is what the part of this forest costs that it stands for.
        origins, part_costs = found.forest.origins, self._part_costs(limit)[base.origins]
        costs = found.forest.part_costs(np.where(origins >= 0, part_costs[origins], 0))
        return _crossed(found, project, costs, limit)

    def _best(self, query: Query) -> Solution | None:
        score, parts = parts_of_best(query.shape, query.scores)
        return self._solution(query, parts, score) if len(parts) else None

    def _searched(self, query: Query) -> Hypergraph:
        assert isinstance(query, _Crossed)
        return query.forest

    def _solution(self, query: Query, parts: Int64, score: float) -> Solution:
        assert isinstance(query, _Crossed)
        found = query.project(Derivation(query.forest, score, query.forest.edges_in(parts)))
        own = Derivation(self._forest, score, found.edges)
        return Solution(score, own.words(), derivation=own)

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


def _crossed(found: Intersection, project: Project, costs: Int64, limit: Limit | None) -> _Crossed:
    """The query of all derivations of an intersection, whose base is read as the forest by `project`."""
    forest = found.forest
    scored = forest.shape, forest.part_scores, costs
    return _Crossed(*scored, 0, NEVER, limit, forest, lambda derivation: project(found.project(derivation)))
