import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.forest.best import inside_best
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import marginals
from tests.forest.questions import free_sums
from tests.forest.strategies import forests
from tests.oracles.forest import PlainForest

scores = st.floats(-2000, 2000) | st.sampled_from([0.0, -math.inf])


def forest_of(alternatives: list[list[float]]) -> Hypergraph:
    """A product of sums: for each list of scores, one of them."""
    builder = ForestBuilder(range(1))
    nodes = [builder.node(number) for number in range(len(alternatives))]
    for node, values in zip(nodes, alternatives, strict=True):
        for score in values:
            builder.edge(node, score=score)
    root = builder.node("root")
    builder.edge(root, nodes)
    return builder.build(root)


@given(st.lists(st.lists(scores, min_size=1, max_size=4), min_size=1, max_size=4))
@settings(max_examples=150)
def test_products_of_sums_are_those_of_numbers_of_any_size(alternatives: list[list[float]]) -> None:
    expected = sum(float(np.logaddexp.reduce(values)) for values in alternatives)
    found = free_sums(forest_of(alternatives)).log_partition
    assert found == expected or math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-11)


@given(st.floats(-2000, 2000), st.floats(0, 1200))
def test_a_part_of_a_whole_is_their_ratio(score: float, gap: float) -> None:
    shares = marginals(forest_of([[score, score - gap]])).edges[:2]
    rest = (score - gap) - score
    assert math.isclose(shares[1], math.exp(rest) / (1 + math.exp(rest)), rel_tol=1e-11, abs_tol=1e-300)
    assert math.isclose(shares[0], 1 / (1 + math.exp(rest)), rel_tol=1e-11)


def items_of_nodes(forest: Hypergraph) -> list[int]:
    """The items that stand for nodes: those whose edges are edges of the forest, and not steps."""
    shape = forest.shape
    return [
        item for item in range(1, len(shape.first) - 1) if shape.part[shape.first[item]] <= forest.edge_count
    ]


@given(forests(possible=False))
@settings(max_examples=60)
def test_inside_is_the_plain_recurrence(forest: Hypergraph) -> None:
    plain, nodes = PlainForest.of(forest), items_of_nodes(forest)
    best, _ = plain.viterbi()
    assert np.allclose(inside_best(forest.shape, forest.part_scores)[nodes], best, rtol=1e-14, atol=1e-14)
    expected, _ = plain.log_inside()
    assert np.allclose(free_sums(forest).logs().values[nodes], expected, rtol=1e-12, atol=1e-12)


@given(forests(), st.sampled_from([-1500.0, -400.0, -180.0, 180.0, 400.0, 1500.0]))
@settings(max_examples=40)
def test_scores_of_any_size_neither_overflow_nor_underflow(forest: Hypergraph, shift: float) -> None:
    forest = forest.rescored(forest.scores * 300 + shift)
    expected, _ = PlainForest.of(forest).log_inside()
    assert math.isclose(free_sums(forest).log_partition, expected[-1], rel_tol=1e-12)


def test_more_derivations_than_a_float_can_count() -> None:
    builder = ForestBuilder(range(1))
    node = builder.node(0)
    builder.edge(node)
    for level in range(1, 1001):
        below, node = node, builder.node(level)
        for _ in range(3):
            builder.edge(node, [below])
    found = marginals(builder.build(node))
    assert found.log_partition == pytest.approx(1000 * math.log(3), rel=1e-13)
    assert found.edges[1:] == pytest.approx(1 / 3)
