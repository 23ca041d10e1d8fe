import pytest
from hypothesis import given

from laconic.errors import LaconicError
from laconic.metrics.statistics import Overlap, Ratio
from laconic.metrics.tokens import (
    ExactMatch,
    NgramF1,
    PositionalF1,
    StringAccuracy,
    UnclippedBagF1,
    WordAccuracy,
)
from tests.metrics.cases import case_of, deletions

SOURCE = "the old man and the sea saw the ship"


class TestPositional:
    def test_by_hand(self) -> None:
        # The reference is aligned to the last "the": positions 4 5 6 7 8. The output has 0 1 2 and 6.
        statistic = PositionalF1().measure(case_of(SOURCE, "old man saw", "the sea saw the ship"))
        assert statistic == Overlap(1, 3, 1, 5)
        assert statistic.f1 == 2 / 8

    def test_words_from_nowhere_count_as_wrong(self) -> None:
        statistic = PositionalF1().measure(case_of(SOURCE, "the young ship", "the big ship sank"))
        assert statistic == Overlap(2, 3, 2, 4)

    @given(deletions())
    def test_position_is_stricter_than_clipped_than_unclipped_bag(self, case) -> None:
        by_position = PositionalF1().measure(case).f1
        clipped = NgramF1(1).measure(case).f1
        unclipped = UnclippedBagF1().measure(case).f1
        if by_position is None:
            assert clipped is unclipped is None
        else:
            assert by_position <= clipped <= unclipped + 1e-12

    @given(deletions())
    def test_the_reference_itself_scores_one(self, case) -> None:
        same = case_of(" ".join(case.source.words), " ".join(case.reference), " ".join(case.reference))
        for metric in (PositionalF1(), NgramF1(1), UnclippedBagF1()):
            assert metric.measure(same).f1 == (1.0 if case.reference else None)
        assert ExactMatch().measure(same).value == 1.0
        assert WordAccuracy().measure(same).value == 1.0


class TestBags:
    def test_clipped_by_hand(self) -> None:
        assert NgramF1(1).measure(case_of(SOURCE, "the the ship", "the ship saw")) == Overlap(2, 3, 2, 3)

    def test_unclipped_by_hand(self) -> None:
        statistic = UnclippedBagF1().measure(case_of(SOURCE, "the the sea", "the ship"))
        assert statistic == Overlap(2, 3, 1, 2)
        assert statistic.precision == 2 / 3
        assert statistic.recall == 1 / 2
        assert statistic.f1 == pytest.approx(4 / 7)

    def test_names_tell_them_apart(self) -> None:
        assert [NgramF1(1).name, UnclippedBagF1().name, NgramF1(2).name] == [
            "clipped_bag_f1",
            "unclipped_bag_f1",
            "2gram_f1",
        ]


class TestNgrams:
    @pytest.mark.parametrize(
        ("order", "expected"),
        # the old man saw the ship / the man saw the ship
        [
            (1, Overlap(5, 6, 5, 5)),
            (2, Overlap(3, 5, 3, 4)),
            (3, Overlap(2, 4, 2, 3)),
            (4, Overlap(1, 3, 1, 2)),
        ],
    )
    def test_by_hand(self, order: int, expected) -> None:
        case = case_of(SOURCE, "the old man saw the ship", "the man saw the ship")
        assert NgramF1(order).measure(case) == expected

    def test_no_ngrams_on_either_side_is_undefined(self) -> None:
        assert NgramF1(4).measure(case_of(SOURCE, "the ship", "the sea")).f1 is None
        assert NgramF1(3).measure(case_of(SOURCE, "the ship", "the man saw")).f1 == 0.0

    def test_orders_start_at_one(self) -> None:
        with pytest.raises(LaconicError, match="at least 1, not 0"):
            NgramF1(0)


class TestAccuracy:
    def test_word_accuracy_by_hand(self) -> None:
        # Of nine words, the output wrongly keeps "old" and wrongly deletes "the" (7) and "ship".
        case = case_of(SOURCE, "old man saw", "man saw the ship")
        assert WordAccuracy().measure(case) == Ratio(6, 9)

    def test_string_accuracy_by_hand(self) -> None:
        # "man" for "sea" is a substitution, "old" an insertion, the final "ship" a deletion: 1 - 3/4.
        statistic = StringAccuracy().measure(case_of(SOURCE, "old man saw the", "sea saw the ship"))
        assert statistic == Ratio(1, 4)

    def test_string_accuracy_can_be_negative(self) -> None:
        assert StringAccuracy().measure(case_of(SOURCE, SOURCE, "ship")).value == 1 - 8

    def test_string_accuracy_of_no_reference_is_undefined(self) -> None:
        assert StringAccuracy().measure(case_of(SOURCE, "ship", "")).value is None

    @given(deletions())
    def test_accuracy_counts_every_source_word_once(self, case) -> None:
        right = sum(
            (position in case.output.kept) == (position in case.reference_kept)
            for position in range(len(case.source))
        )
        assert WordAccuracy().measure(case) == Ratio(right, len(case.source))


def test_exact_match_is_of_words() -> None:
    assert ExactMatch().measure(case_of(SOURCE, "the ship", "the ship")) == Ratio(1.0, 1.0)
    assert ExactMatch().measure(case_of(SOURCE, "the ship", "the sea")) == Ratio(0.0, 1.0)
