import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.forest_decoder import ForestDecoder
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph, slot
from laconic.forest.inference import best
from tests.forest.questions import k_best
from tests.forest.strategies import forests
from tests.oracles.forest import ForestTwin


@given(forests(), st.integers(0, 3))
@settings(max_examples=60)
def test_all_derivations_come_once_and_in_order(forest: Hypergraph, more: int) -> None:
    expected = ForestTwin(forest).ranked()
    found = k_best(forest, len(expected) + more)
    assert len(found) == len(expected)
    assert {derivation.edges for derivation in found} == {derivation.edges for derivation in expected}
    scores = [derivation.score for derivation in found]
    assert scores == sorted(scores, reverse=True)
    assert np.allclose(scores, [derivation.score for derivation in expected])
    assert found[0] == best(forest)


@given(forests())
@settings(max_examples=40)
def test_fewer_are_the_beginning_of_all(forest: Hypergraph) -> None:
    every = k_best(forest, 1000)
    for k in {1, 2, (len(every) + 1) // 2, len(every)}:
        assert k_best(forest, k) == every[:k]


@given(forests())
@settings(max_examples=60)
def test_distinct_derivations_are_the_best_of_every_yield(forest: Hypergraph) -> None:
    expected = ForestTwin(forest).ranked(distinct=True)
    found = k_best(forest, len(expected) + 1, distinct=True)
    assert {derivation.symbols() for derivation in found} == {derivation.symbols for derivation in expected}
    assert len(found) == len(expected)
    assert np.allclose([d.score for d in found], [d.score for d in expected])


def test_many_derivations_of_one_yield_do_not_hide_the_others() -> None:
    # 3 ** 40 derivations of the first yield score better than the first of the second.
    builder = ForestBuilder(range(2))
    chain = builder.node(0)
    builder.edge(chain, emits=[0])
    for level in range(1, 41):
        below, chain = chain, builder.node(level)
        for _ in range(3):
            builder.edge(chain, [below])
    root = builder.node("root")
    builder.edge(root, [chain])
    builder.edge(root, [chain], emits=[slot(0), 1], score=-1.0)
    found = k_best(builder.build(root), 3, distinct=True)
    assert [(derivation.symbols(), derivation.score) for derivation in found] == [((0,), 0.0), ((0, 1), -1.0)]


def test_many_are_found_in_a_large_forest() -> None:
    generator = np.random.default_rng(5)
    builder = ForestBuilder(range(12))
    below = [builder.node((0, place)) for place in range(12)]
    for word, node in enumerate(below):
        builder.edge(node, emits=[word], score=generator.normal())
        builder.edge(node, score=generator.normal())
    root = builder.node("root")
    builder.edge(root, below)
    forest = builder.build(root)
    found = k_best(forest, 5000)
    assert len({derivation.edges for derivation in found}) == 4096
    scores = [derivation.score for derivation in found]
    assert scores == sorted(scores, reverse=True)


def test_bad_requests_are_errors() -> None:
    builder = ForestBuilder(range(1))
    builder.edge(builder.node("root"), score=-np.inf)
    decoder = ForestDecoder(builder.build(0), words=1)
    with pytest.raises(LaconicError, match="k must be at least 1, not 0"):
        decoder.k_best(0)
    with pytest.raises(InfeasibleBudget):
        decoder.k_best(1)
