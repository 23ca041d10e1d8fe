"""A packed forest as a decoder: every question of the contract, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.decode.contract import Floats, Frontier, Integers, Limit, Solution
from laconic.errors import LaconicError
from laconic.forest.inference import best_by_cost, best_within
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import best, marginals
from laconic.forest.inference import k_best
from laconic.forest.prices import check_copied_once, priced
from laconic.forest.inference import sample
from laconic.forest.strata import Strata, stratify


class ForestDecoder:
    """Searches a forest over a sentence of `words` words, none of which any derivation copies twice.

    A compression is a yield of the forest and scores what its best derivation scores; probabilities
    are those of derivations. `Solution.structure` is the `Derivation`. A price of +inf adds nothing to
    the score: it excludes what does not keep the word.

    Without costs, a limit counts the emitted symbols. Costs are one for each source word; if the forest
    also emits symbols that copy no word, one for each symbol.
    """

    def __init__(self, forest: Hypergraph, *, words: int) -> None:
        copied = int(forest.symbol_words.max(initial=-1)) + 1
        if copied > words:
            raise LaconicError(f"the forest copies word {copied - 1}, but the sentence has {words} words")
        check_copied_once(forest)
        self._forest = forest
        self._words = words
        self._only_copies = bool(np.all(forest.symbol_words >= 0))

    def best(self, *, prices: Floats | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score; among equals, the cheapest within a limit."""
        forest = self._priced(prices)
        if limit is None:
            return _solution(best(forest))
        return _solution(best_within(forest, self._edge_costs(limit.costs), limit.least, limit.most))

    def k_best(self, k: int, *, prices: Floats | None = None, limit: Limit | None = None) -> list[Solution]:
        """The k compressions of highest score, best first (fewer if fewer exist); no yield comes twice."""
        forest = self._priced(prices)
        if limit is None:
            return [_solution(derivation) for derivation in k_best(forest, k, distinct=True)]
        strata = self._strata(forest, limit)
        return [_solution(strata.project(found)) for found in k_best(strata.forest, k, distinct=True)]

    def frontier(self, *, prices: Floats | None = None, costs: Sequence[int] | None = None) -> Frontier:
        """The best score at every total cost, in one run."""
        table = best_by_cost(self._priced(prices), self._edge_costs(costs))
        # At least up to the cost of the whole sentence, so that frontiers of one sentence can be added.
        total = self._words if costs is None else sum(costs) if self._only_copies else 0
        beyond = max(0, total + 1 - len(table.scores))
        scores = np.pad(table.scores, (0, beyond), constant_values=-np.inf)
        return Frontier(scores, lambda cost: _solution(table.derivation(cost)))

    def word_marginals(self, *, prices: Floats | None = None, limit: Limit | None = None) -> Floats:
        """The probability that each word is kept, under the distribution exp(score)/Z over derivations."""
        forest = self._priced(prices)
        expected = marginals(forest) if limit is None else self._strata(forest, limit).marginals()
        return expected.words(self._words)

    def sample(
        self, generator: np.random.Generator, *, prices: Floats | None = None, limit: Limit | None = None
    ) -> Solution:
        """One compression drawn from exp(score)/Z over derivations."""
        forest = self._priced(prices)
        if limit is None:
            return _solution(*sample(forest, generator))
        strata = self._strata(forest, limit)
        return _solution(strata.project(*sample(strata.forest, generator)))

    def _priced(self, prices: Floats | None) -> Hypergraph:
        if prices is None:
            return self._forest
        if np.shape(prices) != (self._words,):
            raise LaconicError(f"{self._words} words but prices of shape {np.shape(prices)}")
        return priced(self._forest, prices)

    def _edge_costs(self, costs: Sequence[int] | None) -> Integers:
        if costs is None:
            return self._forest.edge_costs()
        needed = self._words if self._only_copies else self._forest.symbol_count
        if len(costs) != needed:
            what = "words" if self._only_copies else "symbols (the forest emits some that copy no word)"
            raise LaconicError(f"{len(costs)} costs for {needed} {what}")
        values = np.asarray(costs)
        return self._forest.edge_costs(values[self._forest.symbol_words] if self._only_copies else values)

    def _strata(self, forest: Hypergraph, limit: Limit) -> Strata:
        return stratify(forest, self._edge_costs(limit.costs), least=limit.least, most=limit.most)


def _solution(derivation: Derivation) -> Solution:
    return Solution(derivation.score, derivation.words(), derivation)
