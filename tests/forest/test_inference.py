import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import best, expected_symbols, expected_words, marginals
from laconic.forest.limits import best_through
from tests.forest.strategies import FEATURES, forests
from tests.oracles.forest import ForestTwin, PlainForest


def close(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)


@given(forests())
@settings(max_examples=60)
def test_viterbi_equals_enumeration(forest: Hypergraph) -> None:
    twin = ForestTwin(forest)
    derivation = best(forest)
    assert close(derivation.score, twin.best_score())
    assert derivation.edges in {found.edges for found in twin.derivations}
    assert close(float(forest.scores[list(derivation.edges)].sum()), derivation.score)


def test_the_first_edge_wins_ties() -> None:
    builder = ForestBuilder(range(2))
    root, leaf = builder.node("root"), builder.node("leaf")
    for score in (-1.0, 2.0, 2.0):
        builder.edge(leaf, score=score)
    builder.edge(root, [leaf], score=1.0)
    builder.edge(root, score=3.0)
    forest = builder.build(root)
    assert forest.origins[list(best(forest).edges)].tolist() == [3, 1]


@given(forests())
@settings(max_examples=60)
def test_partition_marginals_and_entropy_equal_enumeration(forest: Hypergraph) -> None:
    twin = ForestTwin(forest)
    found = marginals(forest)
    assert close(found.log_partition, twin.log_partition())
    assert np.allclose(found.edges, twin.edge_marginals())
    assert np.allclose(expected_symbols(forest, found.edges), twin.symbol_marginals())
    words = [
        twin.expectation(lambda d, w=w: sum(forest.symbol_words[s] == w for s in d.symbols))  # type: ignore[misc]
        for w in range(4)
    ]
    assert np.allclose(expected_words(forest, found.edges, 4), words)
    # H = ln Z - the expected score
    scores = np.where(found.edges > 0, forest.scores, 0.0)
    assert close(found.log_partition - float(np.sum(found.edges * scores)), twin.entropy())


@given(forests(), st.data())
@settings(max_examples=30)
def test_expectations_are_those_of_the_expectation_semiring(forest: Hypergraph, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.floats(-2, 2), min_size=forest.edge_count, max_size=forest.edge_count))
    expected = float(np.sum(marginals(forest).edges * values))
    assert close(expected, PlainForest.of(forest).expectation(values))


@given(forests())
@settings(max_examples=40)
def test_max_marginals_equal_enumeration(forest: Hypergraph) -> None:
    found = best_through(forest.shape, forest.part_scores)[1 : forest.edge_count + 1]
    assert np.allclose(found, ForestTwin(forest).max_marginals())


@given(forests(), st.lists(st.floats(-1, 1), min_size=FEATURES, max_size=FEATURES))
@settings(max_examples=30)
def test_expected_features_are_the_gradient_of_log_z(forest: Hypergraph, weights: list[float]) -> None:
    gradient = marginals(forest.scored(weights)).features(FEATURES)
    step = 1e-5
    for feature in range(FEATURES):
        shift = step * np.eye(FEATURES)[feature]
        above = marginals(forest.scored(np.add(weights, shift))).log_partition
        below = marginals(forest.scored(np.subtract(weights, shift))).log_partition
        assert math.isclose(gradient[feature], (above - below) / (2 * step), rel_tol=1e-5, abs_tol=1e-6)


@given(forests())
@settings(max_examples=10)
def test_a_forest_without_possible_derivation_is_infeasible(forest: Hypergraph) -> None:
    forest = forest.rescored(np.where(forest.heads == forest.root, -np.inf, forest.scores))
    for query in (best, marginals):
        with pytest.raises(InfeasibleBudget, match="rule out all derivations"):
            query(forest)


def test_too_small_a_count_is_an_error() -> None:
    builder = ForestBuilder([3])
    builder.edge(builder.node("root"), emits=[0], features={7: 1.0})
    found = marginals(builder.build(0))
    with pytest.raises(LaconicError, match="8 features, not 7"):
        found.features(7)
