from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from laconic.decode.forest_decoder import ForestDecoder
from laconic.errors import InfeasibleBudget
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from tests.forest.questions import sample
from tests.forest.strategies import forests
from tests.oracles.forest import ForestTwin


@given(forests())
@settings(max_examples=20, derandomize=True)
def test_frequencies_match_the_distribution(forest: Hypergraph) -> None:
    twin = ForestTwin(forest)
    count = 2000
    draws = sample(forest, np.random.default_rng(7), count=count)
    seen = Counter(draw.edges for draw in draws)
    assert set(seen) <= {derivation.edges for derivation in twin.derivations}
    # Pearson's statistic over derivations that are expected often enough, the rest pooled, has about as
    # many degrees of freedom as cells; six standard deviations above its mean do not happen by chance.
    statistic, cells, rest_seen, rest_expected = 0.0, 0, 0.0, 0.0
    for derivation, probability in zip(twin.derivations, twin.probabilities(), strict=True):
        expected = count * probability
        if expected >= 5:
            statistic += (seen[derivation.edges] - expected) ** 2 / expected
            cells += 1
        else:
            rest_seen += seen[derivation.edges]
            rest_expected += expected
    if rest_expected >= 5:
        statistic += (rest_seen - rest_expected) ** 2 / rest_expected
        cells += 1
    assert statistic <= cells + 6 * np.sqrt(2 * cells)


@given(forests())
@settings(max_examples=20)
def test_the_same_seed_gives_the_same_derivations_with_their_scores(forest: Hypergraph) -> None:
    first = sample(forest, np.random.default_rng(3), count=4)
    assert first == sample(forest, np.random.default_rng(3), count=4)
    for derivation in first:
        assert derivation.score == pytest.approx(forest.scores[list(derivation.edges)].sum())


def test_the_generator_moves_on() -> None:
    builder = ForestBuilder(range(1))
    root = builder.node("root")
    for _ in range(50):
        builder.edge(root)
    forest = builder.build(root)
    generator = np.random.default_rng(0)
    assert len({sample(forest, generator)[0].edges for _ in range(20)}) > 5


def test_an_impossible_forest_is_infeasible() -> None:
    builder = ForestBuilder(range(1))
    builder.edge(builder.node("root"), score=-np.inf)
    with pytest.raises(InfeasibleBudget):
        ForestDecoder(builder.build(0), words=1).samples(1, np.random.default_rng(0))
