import json

import numpy as np
import pytest

from laconic.errors import FormatError, LaconicError
from laconic.metrics.report import Measurement, Report
from laconic.metrics.statistics import Overlap, Ratio
from laconic.metrics.table import render_table

# Three sentences: two references; one reference; nothing to score.
F1 = Measurement(
    "positional_f1",
    "positional_f1|version:0",
    ((Overlap(2, 4, 2, 2), Overlap(2, 4, 2, 4)), (Overlap(0, 0, 0, 3),), ()),
)
RATE = Measurement("word_rate", "word_rate|version:0", ((Ratio(4, 8), Ratio(4, 8)), (Ratio(0, 4),), ()))
REPORT = Report("truncate", "any length", ("a", "b", "c"), (F1, RATE), refused=1)


def test_scores_by_hand() -> None:
    score = F1.score
    assert F1.values == (pytest.approx((4 / 6 + 4 / 8) / 2), 0.0, None)
    assert score.macro == pytest.approx((7 / 12 + 0) / 2)
    assert score.best == pytest.approx((4 / 6 + 0) / 2)
    assert score.micro == 2 * 4 / (8 + 9)
    assert score.precision == 0.5  # the empty output has none
    assert score.recall == pytest.approx(((1 + 0.5) / 2 + 0) / 2)
    assert (score.count, score.undefined) == (2, 1)


def test_a_ratio_has_neither_precision_nor_recall() -> None:
    score = RATE.score
    assert (score.precision, score.recall) == (None, None)
    assert score.macro == 0.25
    assert score.micro == 8 / 20


def test_nothing_measured_is_undefined() -> None:
    score = Measurement("x", "x", ((), ())).score
    assert (score.macro, score.micro, score.best, score.count, score.undefined) == (None, None, None, 0, 2)
    assert str(score) == "x undefined (n = 0, 2 undefined) x"


def test_a_score_prints_its_signature() -> None:
    assert str(F1.score) == "positional_f1 0.2917 (n = 2, 1 undefined) positional_f1|version:0"


def test_the_interval_holds_the_score() -> None:
    measurement = Measurement("x", "x", tuple((Ratio(value, 10),) for value in range(10)))
    low, high = measurement.interval(generator=np.random.default_rng(0))
    assert 0.2 < low < measurement.score.macro < high < 0.7


def test_the_table_shows_what_is_undefined_and_refused() -> None:
    assert REPORT.table() == "\n".join(
        [
            "truncate: 3 sentences, any length, 1 requests refused as infeasible",
            "",
            "metric          macro   micro    best  precision  recall  n  undefined",
            "positional_f1  0.2917  0.4706  0.3333     0.5000  0.3750  2          1",
            "word_rate      0.2500  0.4000  0.2500                     2          1",
            "",
            "positional_f1|version:0",
            "word_rate|version:0",
        ]
    )


def test_json_holds_the_scores_and_reads_back_whole() -> None:
    text = REPORT.to_json()
    assert json.loads(text)["scores"]["positional_f1"]["micro"] == F1.score.micro
    assert Report.from_json(text) == REPORT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a report of laconic"),
        ("[]", "not a report of laconic"),
        ("{}", "no field 'format'"),
        ('{"format": "laconic report 9"}', "format 'laconic report 9', expected 'laconic report 1'"),
        (REPORT.to_json().replace('"ids": ["a", ', '"ids": ['), "3 rows for 2 sentences"),
        (REPORT.to_json().replace("[0, 0, 0, 3]", "[0, 0, 3]"), "two or four numbers, not 3"),
    ],
)
def test_what_is_no_report_is_named(text, message: str) -> None:
    with pytest.raises(FormatError, match=rf"r\.json: .*{message}"):
        Report.from_json(text, source="r.json")


def test_metrics_are_found_by_name() -> None:
    assert REPORT["word_rate"] is RATE
    with pytest.raises(LaconicError, match="no metric 'rouge1'; it has positional_f1, word_rate"):
        REPORT["rouge1"]


def test_every_sentence_has_its_row() -> None:
    with pytest.raises(LaconicError, match="positional_f1 has 3 rows for 2 sentences"):
        Report("x", "any length", ("a", "b"), (F1,))


def test_a_table_leaves_out_empty_columns() -> None:
    table = render_table(("name", "x", "y"), [("a", "1", ""), ("bb", "10", "")])
    assert table == "name   x\na      1\nbb    10"
