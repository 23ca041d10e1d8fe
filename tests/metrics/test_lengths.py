import pytest

from laconic.budget import Budget
from laconic.metrics.case import Output
from laconic.metrics.lengths import CharacterRate, ReferenceRate, WordRate, budget_met
from laconic.metrics.statistics import Ratio
from laconic.sentence import Sentence
from tests.metrics.cases import case_of

SOURCE = Sentence.from_words(["one", "two", "three", "four"])
OUTPUT = Output(("one", "four"), "One four", (0, 3))


def test_rates_by_hand() -> None:
    case = case_of("one two three four", "one four", "one two three")
    assert WordRate().measure(case) == Ratio(2, 4)
    assert ReferenceRate().measure(case) == Ratio(3, 4)
    assert CharacterRate().measure(case) == Ratio(len(case.output.text), 18)


def test_the_rate_of_an_empty_source_is_undefined() -> None:
    assert WordRate().measure(case_of("", "", "")).value is None


@pytest.mark.parametrize(
    ("budget", "met"),
    [
        (Budget.at_most(2, unit="pieces"), True),
        (Budget.at_most(1, unit="pieces"), False),
        (Budget.exactly(ratio=0.5, unit="pieces"), True),
        (Budget.at_least(3, unit="pieces"), False),
        (Budget.at_most(8, unit="characters"), True),
        (Budget.at_most(7, unit="characters"), False),
        (Budget.at_most(7, unit=len), True),  # three letters and four
    ],
)
def test_budgets_are_checked_in_their_unit(budget, met: bool) -> None:
    assert budget_met(budget, SOURCE, OUTPUT) == Ratio(float(met), 1.0)


def test_a_refusal_meets_no_budget() -> None:
    assert budget_met(Budget.at_most(4, unit="pieces"), SOURCE, None) == Ratio(0.0, 1.0)
