"""A packed forest as a decoder: every question of the contract, exactly."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.decode.contract import Limit, Solution
from laconic.decode.decoder import Query, ShapeDecoder
from laconic.decode.inputs import check_costs
from laconic.errors import LaconicError
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import expected_words
from laconic.forest.lazy import Emissions
from laconic.forest.prices import check_copied_once, priced


class ForestDecoder(ShapeDecoder):
    """Searches a forest over a sentence of `words` words, none of which any derivation copies twice.

    A compression is a yield of the forest and scores what its best derivation scores; probabilities
    are those of derivations. A price of +inf adds nothing to the score: it excludes what does not keep the word.

    Without costs, a limit counts the emitted symbols. Costs are one for each source word; if the forest
    also emits symbols that copy no word, one for each symbol.
    """

    def __init__(self, forest: Hypergraph, *, words: int) -> None:
        copied = int(forest.symbol_words.max(initial=-1)) + 1
        if copied > words:
            raise LaconicError(f"the forest copies word {copied - 1}, but the sentence has {words} words")
        check_copied_once(forest)
        super().__init__(words, forest.shape, forest.part_scores)
        self._forest = forest

    @cached_property
    def _only_copies(self) -> bool:
        return bool(np.all(self._forest.symbol_words >= 0))

    def _searched(self, query: Query) -> Hypergraph:  # noqa: ARG002
        """The forest whose derivations a query is about."""
        return self._forest

    def _emissions(self, query: Query) -> Emissions:
        return self._searched(query).emissions

    def _priced(self, prices: Float64) -> Float64:
        return priced(self._forest, prices).part_scores

    def _edge_costs(self, limit: Limit) -> Int64:
        """The cost of what each edge emits."""
        forest = self._forest
        if limit.costs is None:
            return forest.edge_costs()
        if self._only_copies:
            return forest.edge_costs(check_costs(limit.costs, self._words)[forest.symbol_words])
        what = "symbol, as the forest emits some that copy no word"
        return forest.edge_costs(check_costs(limit.costs, forest.symbol_count, what))

    def _part_costs(self, limit: Limit) -> Int64:
        return self._forest.part_costs(self._edge_costs(limit))

    def _whole_cost(self, limit: Limit) -> int:
        if limit.costs is None:
            return self._words
        return sum(limit.costs) if self._only_copies else 0

    def _solution(self, query: Query, parts: Int64, score: float) -> Solution:  # noqa: ARG002
        derivation = Derivation(self._forest, score, self._forest.edges_in(parts))
        return Solution(score, derivation.words(), derivation=derivation)

    def _kept(self, query: Query, parts: Float64) -> Float64:
        forest = self._searched(query)
        return expected_words(forest, parts[1 : forest.edge_count + 1], self._words)
