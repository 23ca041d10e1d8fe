"""Counted paths, and what they lead to, against all paths, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.branches import TieArrays, branches
from laconic.decode.compressive import CompressiveParser
from laconic.decode.compressive.on_paths import best_on_paths, trees_of
from laconic.decode.contract import Limit
from laconic.decode.counted_paths import bounded_paths, paths_of, tables_of
from laconic.errors import InfeasibleBudget, LaconicError
from tests.oracles import paths as oracle

_NONE = np.empty(0, np.int64)
NO_TIES = TieArrays(_NONE, _NONE, _NONE, np.empty(0))


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 6),
    st.integers(0, 2**32 - 1),
    st.integers(0, 12),
    st.integers(0, 12),
    st.booleans(),
    st.dictionaries(st.integers(0, 5), st.sampled_from([-1, 1]), max_size=3),
)
def test_paths_with_their_bounds_equal_enumeration(
    words: int, seed: int, least: int, more: int, some_forbidden: bool, pinned: dict[int, int]
) -> None:
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=(words + 2, words + 2))
    if some_forbidden:
        scores[generator.random(scores.shape) < 0.3] = -np.inf
    costs = np.triu(generator.integers(0, 4, scores.shape), 1)
    paths = paths_of(scores, costs, least, least + more)
    expected = oracle.counted_paths(scores, costs, least, least + more)
    assert paths is not None
    assert paths.through == pytest.approx(expected.through())
    pins = np.array([pinned.get(word, 0) for word in range(words)], np.int8)
    agreeing = [
        score
        for path, score in expected.scores.items()
        if all((word + 1 in path) == (pin > 0) for word, pin in enumerate(pins) if pin)
    ]
    found = list(branches(paths, NO_TIES, pins, 10_000))
    assert [each.score for each in found] == pytest.approx(sorted(agreeing, reverse=True))
    for solution in found:
        positions = [0, *(word + 1 for word in solution.kept), words + 1]
        assert scores[positions[:-1], positions[1:]].sum() == pytest.approx(solution.score)
        assert least <= costs[positions[:-1], positions[1:]].sum() <= least + more


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.none() | st.tuples(st.integers(1, 8), st.integers(0, 3)),
    st.dictionaries(st.integers(0, 7), st.booleans(), max_size=3),
    st.sampled_from([0.02, 1.0, 5.0]),
    st.sampled_from([1.0, 1e6]),
    st.booleans(),
)
def test_paths_lead_to_the_best_tree(
    seed: int,
    within: tuple[int, int] | None,
    pins: dict[int, bool],
    arcs: float,
    scale: float,
    single_root: bool,
) -> None:
    generator = np.random.default_rng(seed)
    bigram, arc = scale * generator.normal(size=(10, 10)), scale * arcs * generator.normal(size=(9, 9))
    for word, stays in pins.items():
        bigram[word + 1 if not stays else slice(0, word + 1), slice(word + 2, None)] = -np.inf
    parser = CompressiveParser(arc, bigram, single_root=single_root)
    costs = generator.integers(0, 4, 8)
    limit = None if within is None else Limit(within[0], sum(within), tuple(costs.tolist()))
    steps = np.zeros((10, 10), np.int64)
    steps[1:9] = costs[:, None]
    low, high = (0, 1 << 60) if limit is None else (limit.least, limit.most)
    trees = trees_of(bigram, arc, steps, low, high, single_root=single_root)
    assert trees is not None
    kept, promised = np.zeros(8, np.int8), float(trees.paths.through[0].max())
    best, certain = best_on_paths(trees, promised, 1000, tables_of(trees.paths), kept)
    assert certain
    try:
        # Out of the whole chart, which knows nothing of paths.
        [expected] = parser.k_best(1, limit=limit)
    except InfeasibleBudget:
        assert best == -np.inf
    else:
        assert best == pytest.approx(expected.score)
        assert tuple(np.flatnonzero(kept).tolist()) == expected.kept


def test_great_costs_are_counted_only_where_bounds_are_known() -> None:
    costs, scores = np.triu(np.full((4, 4), 10_000), 1), np.zeros((4, 4))
    assert paths_of(scores, costs, 0, 100_000) is None
    assert paths_of(scores, costs, 0, 100) is not None
    assert bounded_paths(scores, costs, 0, 100_000, scores).most == 30_000
    with pytest.raises(LaconicError, match="coarser unit"):
        bounded_paths(scores, 10_000 * costs, 0, 10**12, scores)
