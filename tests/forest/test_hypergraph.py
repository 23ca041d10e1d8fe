import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph, slot
from tests.forest.questions import features_of
from tests.forest.strategies import FEATURES, forests


def small_forest() -> Hypergraph:
    builder = ForestBuilder([0, 1, -1])
    root, leaf = builder.node("root"), builder.node("leaf")
    builder.edge(leaf, emits=[0, 2, 0], features={0: 1.0})
    builder.edge(leaf, emits=[1], features={2: 3.0})
    builder.edge(root, [leaf], emits=[2, slot(0)])
    return builder.build(root)


@given(forests(), st.lists(st.floats(-2, 2), min_size=FEATURES, max_size=FEATURES))
def test_scores_are_the_products_of_features_and_weights(forest: Hypergraph, weights: list[float]) -> None:
    scored = forest.scored(weights)
    for edge in range(forest.edge_count):
        expected = sum(value * weights[index] for index, value in features_of(forest, edge).items())
        assert math.isclose(scored.scores[edge], expected, abs_tol=1e-12)
    assert scored.tails is forest.tails
    assert scored.feature_values is forest.feature_values


def test_values_of_symbols_add_up_by_edge() -> None:
    forest = small_forest()
    assert forest.edge_sums([1.0, 10.0, 100.0]).tolist() == [102.0, 10.0, 100.0]
    assert forest.edge_sums([-math.inf, 1.0, 2.0]).tolist() == [-math.inf, 1.0, 2.0]
    assert forest.edge_costs().tolist() == [3, 1, 1]
    assert forest.edge_costs([5, 0, 2]).tolist() == [12, 0, 2]


def test_arrays_cannot_be_changed_and_the_callers_can() -> None:
    forest = small_forest()
    with pytest.raises(ValueError, match="read-only"):
        forest.scores[0] = 1.0
    scores = np.zeros(3)
    rescored = forest.rescored(scores)
    scores[0] = 5.0
    assert rescored.scores[0] == 0.0


def test_bad_arguments_are_errors() -> None:
    forest = small_forest()
    with pytest.raises(LaconicError, match="features up to 2 but the weights have shape"):
        forest.scored([1.0, 2.0])
    with pytest.raises(LaconicError, match="edge 1 of node leaf scores nan"):
        forest.rescored([0.0, math.nan, 0.0])
    with pytest.raises(LaconicError, match="2 scores for a forest of 3 edges"):
        forest.rescored([0.0, 0.0])
    with pytest.raises(LaconicError, match="3 symbols, the values have shape"):
        forest.edge_sums([1.0])
    with pytest.raises(LaconicError, match="costs are integers of at least 0; symbol 1 has -1"):
        forest.edge_costs([0, -1, 0])
    with pytest.raises(LaconicError, match=r"symbol 2 has 0\.5"):
        forest.edge_costs([0, 1, 0.5])


def test_scores_from_weights_must_be_numbers() -> None:
    with pytest.raises(LaconicError, match="scores nan"):
        small_forest().scored([math.nan, 0.0, 0.0])
