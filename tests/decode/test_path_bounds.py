"""Bounds from paths against all paths, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit
from laconic.decode.path_bounds import best_on_paths, paths_of, tables_of
from laconic.errors import InfeasibleBudget
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
    paths = paths_of(scores, np.zeros((words + 1, words + 1)), costs, least, least + more)
    expected = oracle.path_bounds(scores, costs, least, least + more)
    assert paths is not None
    assert paths.through == pytest.approx(expected.through())
    kept, free = np.zeros(words, np.int8), np.zeros(words, np.int8)
    best, certain = best_on_paths(paths, free, -np.inf, np.inf, 100, tables_of(paths), kept)
    assert certain
    assert best == pytest.approx(expected.best)
    if best > -np.inf:
        positions = [0, *(np.flatnonzero(kept) + 1), words + 1]
        assert scores[positions[:-1], positions[1:]].sum() == pytest.approx(expected.best)
        assert least <= costs[positions[:-1], positions[1:]].sum() <= least + more


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.none() | st.tuples(st.integers(1, 8), st.integers(0, 3)),
    st.floats(-1.0, 6.0),
    st.dictionaries(st.integers(0, 7), st.booleans(), max_size=3),
    st.sampled_from([0.02, 1.0, 5.0]),
    st.sampled_from([1.0, 1e6]),
    st.booleans(),
)
def test_paths_lead_to_the_best_tree_above_a_threshold(
    seed: int,
    within: tuple[int, int] | None,
    below: float,
    pins: dict[int, bool],
    arcs: float,
    scale: float,
    single_root: bool,
) -> None:
    generator = np.random.default_rng(seed)
    bigram, arc = scale * generator.normal(size=(10, 10)), scale * arcs * generator.normal(size=(9, 9))
    parser = CompressiveParser(arc, bigram, single_root=single_root)
    costs = generator.integers(0, 4, 8)
    limit = None if within is None else Limit(within[0], sum(within), tuple(costs.tolist()))
    prices = np.zeros(8)
    for word, stays in pins.items():
        prices[word] = np.inf if stays else -np.inf
    try:
        # Out of the whole chart, which knows nothing of paths.
        [expected] = parser.k_best(1, prices=prices, limit=limit)
    except InfeasibleBudget:
        return
    steps = np.zeros((10, 10), np.int64)
    steps[1:9] = costs[:, None]
    low, high = (0, 1 << 60) if limit is None else (limit.least, limit.most)
    paths = paths_of(bigram, arc, steps, low, high, single_root=single_root)
    assert paths is not None
    kept, pinned = np.zeros(8, np.int8), np.where(np.isinf(prices), np.sign(prices), 0.0).astype(np.int8)
    threshold = expected.score - scale * below
    promised = float(paths.through[0].max())
    best, certain = best_on_paths(paths, pinned, threshold, promised, 1000, tables_of(paths), kept)
    assert certain
    if abs(best - threshold) > 1e-9 * scale:  # else rounding decides
        assert best == (pytest.approx(expected.score) if below > 0.0 else -np.inf)
        assert below <= 0.0 or tuple(np.flatnonzero(kept).tolist()) == expected.kept


def test_costs_too_great_to_count_are_left_to_the_chart() -> None:
    costs = np.triu(np.full((4, 4), 10_000), 1)
    scores, arcs = np.zeros((4, 4)), np.zeros((3, 3))
    assert paths_of(scores, arcs, costs, 0, 100_000) is None
    assert paths_of(scores, arcs, costs, 0, 100) is not None
