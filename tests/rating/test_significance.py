"""The tests of ratings say what SciPy's say."""

from __future__ import annotations

import pytest

from laconic.rating.significance import analysis_of_variance, contrasts, holm, paired_t

stats = pytest.importorskip("scipy.stats")
GROUPS = {
    "a": dict(enumerate([4.0, 3.5, 5.0, 4.5, 2.0, 4.0])),
    "b": dict(enumerate([2.0, 3.0, 2.5, 1.0, 2.0, 3.5])),
    "c": dict(enumerate([4.5, 3.0, 4.0, 5.0, 3.5, 4.0])),
}
VALUES = {system: {str(name): value for name, value in of.items()} for system, of in GROUPS.items()}


def test_analysis_of_variance_is_scipys() -> None:
    found = analysis_of_variance([list(of.values()) for of in VALUES.values()])
    expected = stats.f_oneway(*(list(of.values()) for of in VALUES.values()))
    assert (found.f, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found.between, found.within) == (2, 15)


def test_tukeys_comparisons_are_scipys() -> None:
    expected = stats.tukey_hsd(*(list(of.values()) for of in VALUES.values())).pvalue
    names = list(VALUES)
    for each in contrasts(VALUES):
        place = names.index(each.first), names.index(each.second)
        assert each.tukey == pytest.approx(expected[place], abs=1e-5)


def test_paired_tests_are_scipys_and_corrected() -> None:
    found = contrasts(VALUES)
    plain = [
        stats.ttest_rel(list(VALUES[e.first].values()), list(VALUES[e.second].values())).pvalue for e in found
    ]
    assert [each.t for each in found] == pytest.approx(holm(plain))
    assert all(corrected >= p for corrected, p in zip(holm(plain), plain, strict=True))
    assert paired_t([1, 2, 3], [1, 2, 3]) == 1.0 and paired_t([2, 3, 4], [1, 2, 3]) == 0.0


def test_where_nothing_varies_nothing_is_tested() -> None:
    assert analysis_of_variance([[3.0, 3.0], [3.0, 3.0]]) is None
    assert analysis_of_variance([[3.0], [4.0]]) is None
    [each] = contrasts({"a": {"1": 3.0}, "b": {"2": 4.0}})
    assert (each.tukey, each.t, each.wilcoxon) == (None, None, None)
