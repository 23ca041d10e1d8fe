from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.metrics.statistics import Overlap, Ratio, statistic_of

BAGS = st.lists(st.sampled_from("abc"), max_size=6)


def test_overlap_by_hand() -> None:
    # Output a a b, reference a b c c: a and b are found, one a is too many.
    overlap = Overlap.of_bags("aab", "abcc")
    assert overlap == Overlap(2, 3, 2, 4)
    assert overlap.precision == 2 / 3
    assert overlap.recall == 2 / 4
    assert overlap.f1 == pytest.approx(4 / 7)


@given(BAGS, BAGS)
def test_f1_is_the_harmonic_mean_and_symmetric(output, reference) -> None:
    overlap, swapped = Overlap.of_bags(output, reference), Overlap.of_bags(reference, output)
    assert overlap.f1 == swapped.f1
    assert overlap.precision == swapped.recall
    if overlap.precision and overlap.recall:
        assert overlap.f1 == pytest.approx(2 / (1 / overlap.precision + 1 / overlap.recall))


@given(BAGS)
def test_f1_is_one_exactly_for_equal_bags(bag) -> None:
    assert Overlap.of_bags(bag, reversed(bag)).f1 == (1.0 if bag else None)


@given(st.lists(st.tuples(BAGS, BAGS), min_size=1, max_size=4))
def test_adding_statistics_scores_the_corpus_as_one(corpus) -> None:
    total = Overlap(0, 0, 0, 0)
    for output, reference in corpus:
        total += Overlap.of_bags(output, reference)
    # The same by tagging every word with its sentence and counting over the whole corpus.
    outputs = Counter((i, word) for i, (output, _) in enumerate(corpus) for word in output)
    references = Counter((i, word) for i, (_, reference) in enumerate(corpus) for word in reference)
    common = sum(min(count, references[item]) for item, count in outputs.items())
    size = sum(outputs.values()) + sum(references.values())
    assert total.f1 == (2 * common / size if size else None)


def test_shares_of_nothing_are_undefined_not_zero() -> None:
    empty_output = Overlap.of_bags("", "ab")
    assert (empty_output.precision, empty_output.recall, empty_output.f1) == (None, 0.0, 0.0)
    empty_reference = Overlap.of_bags("ab", "")
    assert (empty_reference.precision, empty_reference.recall, empty_reference.f1) == (0.0, None, 0.0)
    nothing = Overlap.of_bags("", "")
    assert (nothing.precision, nothing.recall, nothing.f1) == (None, None, None)
    assert Ratio(0, 0).value is None


def test_no_common_word_scores_zero() -> None:
    assert Overlap.of_bags("a", "b").f1 == 0.0


@pytest.mark.parametrize("statistic", [Overlap(1, 2, 3, 4), Ratio(0.5, 1.0)])
def test_counts_say_it_all(statistic) -> None:
    assert statistic_of(statistic.counts) == statistic


def test_other_numbers_of_counts_are_refused() -> None:
    with pytest.raises(LaconicError, match="two or four numbers, not 3"):
        statistic_of([1, 2, 3])
