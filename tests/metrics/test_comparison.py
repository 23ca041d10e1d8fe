import json

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.metrics.comparison import compare
from laconic.metrics.report import Measurement, Report
from laconic.metrics.significance import paired_bootstrap, wilcoxon
from laconic.metrics.statistics import Ratio

IDS = tuple("abcdefgh")
GOOD = (0.9, 0.8, 0.7, 0.9, 1.0, 0.6, 0.5, None)
POOR = (0.8, 0.8, 0.5, 0.4, 0.7, 0.7, None, 0.2)


def report(system, values, *, signature="score|version:0", ids=IDS, metric="score"):
    rows = tuple(() if value is None else (Ratio(value, 1.0),) for value in values)
    return Report(system, "any length", ids, (Measurement(metric, signature, rows),))


def test_by_hand() -> None:
    (difference,) = compare(report("good", GOOD), report("poor", POOR)).differences
    assert difference.count == 6  # the sentences on which both have a value
    assert difference.first == pytest.approx(4.9 / 6)
    assert difference.second == pytest.approx(3.9 / 6)
    assert difference.difference == pytest.approx(1 / 6)
    assert (difference.wins, difference.ties, difference.losses) == (4, 1, 1)
    assert difference.low < 1 / 6 < difference.high


def test_tests_are_those_of_the_shared_sentences() -> None:
    (difference,) = compare(
        report("good", GOOD), report("poor", POOR), generator=np.random.default_rng(4), samples=500
    ).differences
    p, (low, high) = paired_bootstrap(GOOD[:6], POOR[:6], generator=np.random.default_rng(4), samples=500)
    assert (difference.bootstrap_p, difference.low, difference.high) == (p, low, high)
    assert difference.wilcoxon_p == wilcoxon(GOOD[:6], POOR[:6])


def test_the_same_reports_compare_the_same() -> None:
    assert compare(report("good", GOOD), report("poor", POOR)) == compare(
        report("good", GOOD), report("poor", POOR)
    )


def test_table_and_json_name_both_and_how_they_were_tested() -> None:
    comparison = compare(report("good", GOOD), report("poor", POOR), samples=200)
    lines = comparison.table().splitlines()
    assert lines[:2] == ["first: good", "second: poor"]
    assert lines[4].split()[:4] == ["score", "0.8167", "0.6500", "+0.1667"]
    assert lines[4].endswith("4/1/1")
    assert lines[-1] == "paired bootstrap: 200 samples, seed 0; interval: 95%; Wilcoxon: two-sided"
    assert json.loads(comparison.to_json())["differences"][0]["wins"] == 4


def test_metrics_that_only_one_has_are_left_out() -> None:
    assert compare(report("good", GOOD), report("poor", POOR, metric="other")).differences == ()


def test_metrics_without_shared_values_are_left_out() -> None:
    nothing = (None,) * len(IDS)
    assert compare(report("good", GOOD), report("mute", nothing)).differences == ()


def test_scores_are_not_compared_across_definitions() -> None:
    with pytest.raises(LaconicError, match="score is defined differently in the two reports"):
        compare(report("good", GOOD), report("poor", POOR, signature="score|version:1"))


@pytest.mark.parametrize(
    ("count", "ids", "where"), [(8, IDS[::-1], "from sentence 0 on"), (7, IDS[:7], "8 and 7 of them")]
)
def test_scores_are_not_compared_across_sentences(count: int, ids, where: str) -> None:
    with pytest.raises(LaconicError, match=f"'good' and 'poor' are about different sentences: {where}"):
        compare(report("good", GOOD), report("poor", POOR[:count], ids=ids))
