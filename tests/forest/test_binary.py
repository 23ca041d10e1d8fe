import numpy as np
from hypothesis import given, settings

from laconic.forest.binary import binarised
from laconic.forest.hypergraph import Hypergraph
from tests.forest.strategies import FEATURES, forests
from tests.oracles.forest import ForestTwin


@given(forests())
@settings(max_examples=60)
def test_derivations_scores_and_yields_stay(forest: Hypergraph) -> None:
    binary = binarised(forest)
    assert np.diff(binary.tail_starts).max() <= 2
    found = {
        (
            tuple(sorted(edge for edge in binary.origins[list(d.edges)] if edge >= 0)),
            d.symbols,
            round(d.score, 9),
        )
        for d in ForestTwin(binary).derivations
    }
    expected = {
        (tuple(sorted(d.edges)), d.symbols, round(d.score, 9)) for d in ForestTwin(forest).derivations
    }
    assert found == expected
    assert len(ForestTwin(binary).derivations) == len(ForestTwin(forest).derivations)


@given(forests())
@settings(max_examples=30)
def test_edges_keep_their_features_and_steps_have_none(forest: Hypergraph) -> None:
    weights = np.arange(1.0, FEATURES + 1)
    binary, scored = binarised(forest).scored(weights), forest.scored(weights)
    steps = binary.origins < 0
    assert np.array_equal(binary.scores[~steps], scored.scores[binary.origins[~steps]])
    assert not binary.scores[steps].any()
