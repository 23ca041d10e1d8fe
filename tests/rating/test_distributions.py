"""Tails of distributions agree with SciPy's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.rating.distributions import beta_share, f_tail, studentised_range_tail, t_tail

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")


@given(st.floats(0.5, 200), st.floats(0.5, 200), st.floats(0, 1))
def test_the_incomplete_beta_function_is_scipys(a, b, x):
    assert beta_share(a, b, x) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-12)


@given(st.floats(0.001, 50), st.integers(1, 12), st.integers(1, 400))
def test_the_tail_of_f_is_scipys(value, between, within):
    assert f_tail(value, between, within) == pytest.approx(stats.f.sf(value, between, within), rel=1e-8)


@given(st.floats(-20, 20), st.integers(1, 300))
def test_the_tail_of_t_is_scipys(value, freedom):
    assert t_tail(value, freedom) == pytest.approx(2 * stats.t.sf(abs(value), freedom), rel=1e-8, abs=1e-7)


@pytest.mark.parametrize("groups", [2, 3, 6])
@pytest.mark.parametrize("freedom", [4, 20, 300])
@pytest.mark.parametrize("value", [0.5, 2.5, 4.0, 7.0])
def test_the_tail_of_the_studentised_range_is_scipys(value, groups, freedom):
    expected = stats.studentized_range.sf(value, groups, freedom)
    assert studentised_range_tail(value, groups, freedom) == pytest.approx(expected, abs=2e-6)
