"""Agreement between raters: known values, and the limits."""

from __future__ import annotations

import pytest

from laconic.rating.agreement import krippendorff_alpha, mean_kappa, weighted_kappa


def test_alpha_is_that_of_the_published_example() -> None:
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section E: interval data, alpha = 0.849.
    table = {
        "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    }
    scores = {
        rater: {str(place): value for place, value in enumerate(given) if value is not None}
        for rater, given in table.items()
    }
    assert krippendorff_alpha(scores) == pytest.approx(0.849, abs=0.0005)


def test_kappa_is_the_weighted_table() -> None:
    one, two = {"1": 1, "2": 2, "3": 3, "4": 5}, {"1": 1, "2": 3, "3": 3, "4": 4}
    # observed (0 + 1 + 0 + 1) / 4; expected: the mean square over all 16 pairs of ratings
    expected = sum((a - b) ** 2 for a in one.values() for b in two.values()) / 16
    assert weighted_kappa(one, two) == pytest.approx(1 - 0.5 / expected)
    assert weighted_kappa(one, one) == 1.0
    assert weighted_kappa(one, {"9": 1}) is None
    assert mean_kappa({"a": one, "b": one, "c": {"9": 3}}) == 1.0


def test_without_variation_agreement_is_unknown() -> None:
    same = {"1": 3, "2": 3}
    assert krippendorff_alpha({"a": same, "b": same}) is None
    assert krippendorff_alpha({"a": {"1": 1, "2": 5}}) is None
    assert krippendorff_alpha({"a": {"1": 1, "2": 5}, "b": {"1": 5, "2": 1}}) < 0
