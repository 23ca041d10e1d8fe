"""Sufficient statistics of metrics: they add up over sentences, and a score is read off their sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from laconic.errors import LaconicError


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many items of an output are found in the reference, and how many of the reference in the output.

    A share of nothing is None: the precision of an empty output, the recall of an empty reference. F1 is
    undefined only if both are empty; an empty output for a reference that is not scores 0.

    >>> Overlap(3, 4, 3, 6).f1
    0.6
    """

    output_found: int
    output_total: int
    reference_found: int
    reference_total: int

    def __add__(self, other: Overlap) -> Overlap:
        return Overlap(
            self.output_found + other.output_found,
            self.output_total + other.output_total,
            self.reference_found + other.reference_found,
            self.reference_total + other.reference_total,
        )

    @classmethod
    def of_bags(cls, output: Iterable[Hashable], reference: Iterable[Hashable]) -> Overlap:
        """The overlap of two bags, each item counted at most as often as the other bag has it."""
        output_bag, reference_bag = Counter(output), Counter(reference)
        common = (output_bag & reference_bag).total()
        return cls(common, output_bag.total(), common, reference_bag.total())

    @property
    def precision(self) -> float | None:
        """The share of the output found in the reference."""
        return self.output_found / self.output_total if self.output_total else None

    @property
    def recall(self) -> float | None:
        """The share of the reference found in the output."""
        return self.reference_found / self.reference_total if self.reference_total else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        if not self.output_total and not self.reference_total:
            return None
        if not self.output_found or not self.reference_found:
            return 0.0
        # 2PR / (P + R) with P = a/b and R = c/d is 2ac / (ad + cb): one division, one rounding.
        return (2 * self.output_found * self.reference_found) / (
            self.output_found * self.reference_total + self.reference_found * self.output_total
        )

    @property
    def value(self) -> float | None:
        """The score of this overlap: its F1."""
        return self.f1

    @property
    def counts(self) -> tuple[float, ...]:
        """The numbers that add up."""
        return self.output_found, self.output_total, self.reference_found, self.reference_total


@dataclass(frozen=True, slots=True)
class Ratio:
    """A part of a whole; undefined if the whole is nothing.

    >>> (Ratio(1, 2) + Ratio(1, 4)).value
    0.3333333333333333
    """

    part: float
    whole: float

    def __add__(self, other: Ratio) -> Ratio:
        return Ratio(self.part + other.part, self.whole + other.whole)

    @property
    def value(self) -> float | None:
        """The part as a share of the whole."""
        return self.part / self.whole if self.whole else None

    @property
    def counts(self) -> tuple[float, ...]:
        """The numbers that add up."""
        return self.part, self.whole


Statistic = Overlap | Ratio


def statistic_of(counts: Iterable[float]) -> Statistic:
    """The statistic with these numbers: an overlap has four, a ratio two."""
    match tuple(counts):
        case (a, b, c, d):
            return Overlap(int(a), int(b), int(c), int(d))
        case (part, whole):
            return Ratio(part, whole)
        case other:
            raise LaconicError(f"a statistic has two or four numbers, not {len(other)}")
