import builtins

import pytest
from rouge_score import rouge_scorer

from laconic.errors import LaconicError
from laconic.metrics.rouge import rouge_metrics
from tests.metrics.cases import case_of

SOURCE = "The committee , which met on Monday , approved the new budget ."
OUTPUT = "The committee met Monday ."
REFERENCE = "The committee approved the new budget ."


@pytest.mark.parametrize("metric", rouge_metrics(), ids=lambda metric: metric.name)
@pytest.mark.parametrize(("output", "reference"), [(OUTPUT, REFERENCE), (SOURCE, REFERENCE), ("", REFERENCE)])
def test_equals_the_library(metric, output, reference) -> None:
    expected = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"]).score(reference, output)
    assert metric.measure(case_of(SOURCE, output, reference)).value == expected[metric.name].fmeasure


def test_rouge_1_by_hand() -> None:
    # committee and the; four output words, six reference words, without punctuation and case.
    rouge1 = rouge_metrics()[0]
    assert rouge1.measure(case_of(SOURCE, OUTPUT, REFERENCE)).value == pytest.approx(2 * 2 / (4 + 6))


def test_nothing_against_nothing_is_undefined() -> None:
    assert all(metric.measure(case_of(SOURCE, "", "")).value is None for metric in rouge_metrics())


def test_the_signature_names_library_and_options() -> None:
    assert [setting.partition(":")[0] for setting in rouge_metrics()[0].settings] == ["rouge-score", "stem"]


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_rouge(name, *arguments, **options):
        if name.startswith("rouge_score"):
            raise ImportError(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without_rouge)
    with pytest.raises(LaconicError, match=r"pip install 'laconic\[rouge\]'"):
        rouge_metrics()
