"""The twin of the search with a language model: enumerate every derivation, then score its whole yield."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from laconic.forest.hypergraph import Hypergraph
from laconic.ngram.model import NgramModel
from tests.ngram.corpora import listing
from tests.oracles import ngram as oracle
from tests.oracles.forest import Enumerated, ForestTwin

BEGIN, END = 1, 2


def yield_log_probability(model: NgramModel, ids: Sequence[int]) -> float:
    """ln p(<s> ids </s>) from the model's listing, word by word; -inf if a word is impossible."""
    values = listing(model)
    text = [BEGIN, *ids, END]
    total = 0.0
    for position in range(1, len(text)):
        context = text[max(0, position - model.order + 1) : position]
        probability = oracle.conditional(values, context, text[position])
        total += math.log(probability) if probability > 0 else -math.inf
    return total


def scored_twin(
    forest: Hypergraph, model: NgramModel, symbol_ids: Sequence[int], weight: float
) -> ForestTwin:
    """The twin of a forest whose derivations score their edges + weight · ln p(yield)."""

    def rescored(derivation: Enumerated) -> Enumerated:
        added = yield_log_probability(model, [symbol_ids[symbol] for symbol in derivation.symbols])
        return replace(derivation, score=derivation.score + (weight * added if added > -math.inf else added))

    twin = ForestTwin(forest)
    twin.__dict__["derivations"] = [rescored(derivation) for derivation in twin.derivations]
    return twin.restricted(lambda derivation: derivation.score > -math.inf)
