"""Sparse vectors behave as the dense ones they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.learn.interface import FeatureVector

SIZE = 8
entries = st.lists(st.tuples(st.integers(0, SIZE - 1), st.sampled_from([-2.0, -1.0, 0.5, 1.0])), max_size=12)


def both(pairs: list[tuple[int, float]]) -> tuple[FeatureVector, np.ndarray]:
    dense = np.zeros(SIZE)
    for feature, value in pairs:
        dense[feature] += value
    return FeatureVector.of([feature for feature, _ in pairs], [value for _, value in pairs]), dense


@given(entries, entries, st.sampled_from([-1.0, 0.25, 3.0]))
def test_sparse_equals_dense(one, other, scale) -> None:
    (a, dense_a), (b, dense_b) = both(one), both(other)
    assert a.features.tolist() == np.flatnonzero(dense_a).tolist()
    assert a.times(b) == pytest.approx(dense_a @ dense_b)
    assert a.dot(dense_b) == pytest.approx(dense_a @ dense_b)
    assert a.squared_norm == pytest.approx(dense_a @ dense_a)
    for vector, expected in (
        (a - b, dense_a - dense_b),
        (a.plus(b, scale), dense_a + scale * dense_b),
        (a.scaled(scale), scale * dense_a),
    ):
        found = np.zeros(SIZE)
        vector.add_to(found)
        assert found == pytest.approx(expected)
        assert np.all(vector.values != 0.0)
