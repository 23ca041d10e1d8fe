"""Bounds from paths against all paths, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.compressive.paths import path_bounds
from tests.oracles import paths as oracle


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.integers(0, 12), st.integers(0, 12), st.booleans())
def test_bounds_are_those_of_the_best_path_through_each_bigram(
    words: int, seed: int, least: int, more: int, some_forbidden: bool
) -> None:
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=(words + 2, words + 2))
    if some_forbidden:
        scores[generator.random(scores.shape) < 0.3] = -np.inf
    costs = np.triu(generator.integers(0, 4, scores.shape), 1)
    bounds = path_bounds(scores, costs, least, least + more)
    expected = oracle.path_bounds(scores, costs, least, least + more)
    assert bounds is not None
    assert bounds.through() == pytest.approx(expected.through())
    assert bounds.best == pytest.approx(expected.best)
    assert len(bounds.steps) == len(expected.steps)
    if len(expected.steps):
        assert scores.ravel()[bounds.steps].sum() == pytest.approx(expected.best)
        assert least <= costs.ravel()[bounds.steps].sum() <= least + more


def test_costs_too_great_to_count_are_left_to_the_chart() -> None:
    costs = np.triu(np.full((4, 4), 10_000), 1)
    assert path_bounds(np.zeros((4, 4)), costs, 0, 100_000) is None
    assert path_bounds(np.zeros((4, 4)), costs, 0, 100) is not None
