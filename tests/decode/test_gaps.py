"""Costs between neighbours: limits count them with the words, in both decoders and on the frontier."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.path import PathDecoder
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder


def cost_of(kept: tuple[int, ...], costs: np.ndarray, gaps: np.ndarray) -> int:
    """The words and what stands between them, from the start to the end."""
    path = [0, *(word + 1 for word in kept), len(costs) + 1]
    return int(costs[list(kept)].sum() + sum(gaps[pair] for pair in itertools.pairwise(path)))


@settings(max_examples=60, deadline=None)
@given(
    words=st.integers(1, 6),
    seed=st.integers(0, 2**32 - 1),
    least=st.integers(0, 12),
    room=st.integers(0, 6),
    parsing=st.booleans(),
)
def test_limits_with_gaps_equal_enumeration(words, seed, least, room, parsing) -> None:
    generator = np.random.default_rng(seed)
    bigram = generator.normal(size=(words + 2, words + 2))
    gaps = generator.integers(0, 3, size=(words + 2, words + 2))
    costs = generator.integers(0, 4, size=words)
    if parsing:  # arcs that cost nothing leave the path to decide
        decoder = CompressiveParser(np.zeros((words + 1, words + 1)), bigram)
    else:
        decoder = PathDecoder(bigram)  # type: ignore[assignment]
    subsets = [kept for size in range(1, words + 1) for kept in itertools.combinations(range(words), size)]

    def score(kept):
        path = [0, *(word + 1 for word in kept), words + 1]
        return sum(bigram[pair] for pair in itertools.pairwise(path))

    limit = Limit(least, least + room, tuple(costs.tolist()), gaps)
    within = [kept for kept in subsets if limit.least <= cost_of(kept, costs, gaps) <= limit.most]
    if within:
        best = decoder.best(limit=limit)
        assert best.score == pytest.approx(max(map(score, within)))
        assert limit.least <= cost_of(best.kept, costs, gaps) <= limit.most
    else:
        with pytest.raises(InfeasibleBudget):
            decoder.best(limit=limit)
    frontier = decoder.frontier(costs=costs.tolist(), gaps=gaps)
    expected = np.full(len(frontier.scores), -np.inf)
    for kept in subsets:
        cost = cost_of(kept, costs, gaps)
        expected[cost] = max(expected[cost], score(kept))
    np.testing.assert_allclose(frontier.scores, expected)


def test_gaps_have_the_shape_of_bigrams() -> None:
    decoder = PathDecoder(np.zeros((4, 4)))
    with pytest.raises(LaconicError, match="gaps must be 4 by 4 integers"):
        decoder.best(limit=Limit(0, 9, gaps=np.zeros((3, 3), int)))
    with pytest.raises(LaconicError, match="of at least 0"):
        decoder.frontier(gaps=np.full((4, 4), -1))


def test_only_those_that_count_gaps_are_given_some() -> None:
    builder = ForestBuilder(range(2))
    builder.edge(builder.node("root"), emits=[0, 1])
    decoder = ForestDecoder(builder.build(0), words=2)
    assert PathDecoder.counts_gaps
    assert not decoder.counts_gaps
    with pytest.raises(LaconicError, match="without gaps"):
        decoder.best(limit=Limit(0, 9, gaps=np.zeros((4, 4), int)))
    with pytest.raises(LaconicError, match="without gaps"):
        decoder.frontier(gaps=np.zeros((4, 4), int))
