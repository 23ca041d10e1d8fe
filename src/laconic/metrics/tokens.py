"""Metrics over the words that are kept: F1 by position, by bag, by n-gram; accuracy; exact match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.metrics.case import Case
from laconic.metrics.statistics import Overlap, Ratio
from laconic.trees.alignment.edits import align_edits


@dataclass(frozen=True, slots=True)
class PositionalF1:
    """F1 over the source positions of the words.

    The output's positions are the system's own where it deletes; references, and outputs that are only
    words, are aligned to the source, ties to the last appearance. Words from no position count as wrong.
    """

    name: str = "positional_f1"
    settings: tuple[str, ...] = ("ties:last",)

    def measure(self, case: Case) -> Overlap:
        """The positions that output and reference share."""
        common = len(set(case.output.kept) & set(case.reference_kept))
        return Overlap(common, len(case.output.words), common, len(case.reference))


@dataclass(frozen=True, slots=True)
class NgramF1:
    """F1 over the bags of n-grams, each counted at most as often as the other side has it.

    For single words this is the clipped bag F1. N-grams do not reach over the ends of the sentence.
    """

    order: int

    def __post_init__(self) -> None:
        if self.order < 1:
            raise LaconicError(f"the order of n-grams is at least 1, not {self.order}")

    @property
    def name(self) -> str:
        """The name of the score."""
        return "clipped_bag_f1" if self.order == 1 else f"{self.order}gram_f1"

    @property
    def settings(self) -> tuple[str, ...]:
        """The order of the n-grams."""
        return f"n:{self.order}", "case:exact"

    def measure(self, case: Case) -> Overlap:
        """The n-grams that output and reference share."""
        return Overlap.of_bags(_ngrams(case.output.words, self.order), _ngrams(case.reference, self.order))


@dataclass(frozen=True, slots=True)
class UnclippedBagF1:
    """F1 whose precision is the share of output words that occur in the reference at all, however often.

    Recall is likewise the share of reference words that occur in the output. This is the definition of the
    evaluation script of Kamigaito & Okumura (2020, SLAHAN), for comparison with numbers published by it;
    it flatters outputs that repeat words.
    """

    name: str = "unclipped_bag_f1"
    settings: tuple[str, ...] = ("case:exact",)

    def measure(self, case: Case) -> Overlap:
        """The words of each side that occur on the other."""
        output, reference = case.output.words, case.reference
        in_output, in_reference = set(output), set(reference)
        return Overlap(
            sum(word in in_reference for word in output),
            len(output),
            sum(word in in_output for word in reference),
            len(reference),
        )


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """The share of outputs that are the reference, word for word."""

    name: str = "exact_match"
    settings: tuple[str, ...] = ("case:exact",)

    def measure(self, case: Case) -> Ratio:
        """One if the words are the same."""
        return Ratio(float(case.output.words == case.reference), 1.0)


@dataclass(frozen=True, slots=True)
class WordAccuracy:
    """The share of source words rightly kept or rightly deleted (Galley & McKeown 2007, section 5)."""

    name: str = "word_accuracy"
    settings: tuple[str, ...] = ("ties:last",)

    def measure(self, case: Case) -> Ratio:
        """The source words on whose fate output and reference agree."""
        disagreements = len(set(case.output.kept) ^ set(case.reference_kept))
        return Ratio(len(case.source) - disagreements, len(case.source))


@dataclass(frozen=True, slots=True)
class StringAccuracy:
    """Simple string accuracy, 1 - (I + D + S) / R (Galley & McKeown 2007, note 8).

    I, D and S count the fewest insertions, deletions and substitutions of words between output and
    reference, R the words of the reference. Negative if there are more edits than words.
    """

    name: str = "string_accuracy"
    settings: tuple[str, ...] = ("case:exact",)

    def measure(self, case: Case) -> Ratio:
        """The length of the reference less the edits, of that length."""
        length = len(case.reference)
        return Ratio(length - align_edits(case.output.words, case.reference).distance, length)


def _ngrams(words: Sequence[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + order]) for start in range(len(words) - order + 1)]
