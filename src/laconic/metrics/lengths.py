"""How long outputs are: rates of compression, and budgets met."""

from __future__ import annotations

from dataclasses import dataclass

from laconic.budget import Budget
from laconic.metrics.case import Case, Output
from laconic.metrics.statistics import Ratio
from laconic.sentence import Sentence


@dataclass(frozen=True, slots=True)
class WordRate:
    """The share of the source's words that the output has."""

    name: str = "word_rate"
    settings: tuple[str, ...] = ()

    def measure(self, case: Case) -> Ratio:
        """Words of the output, of words of the source."""
        return Ratio(len(case.output.words), len(case.source))


@dataclass(frozen=True, slots=True)
class CharacterRate:
    """The share of the source's characters that the output's text has."""

    name: str = "character_rate"
    settings: tuple[str, ...] = ()

    def measure(self, case: Case) -> Ratio:
        """Characters of the output, of characters of the source."""
        return Ratio(len(case.output.text), len(case.source.text))


@dataclass(frozen=True, slots=True)
class ReferenceRate:
    """The share of the source's words that the reference has, to hold the output's rate against."""

    name: str = "reference_word_rate"
    settings: tuple[str, ...] = ()

    def measure(self, case: Case) -> Ratio:
        """Words of the reference, of words of the source."""
        return Ratio(len(case.reference), len(case.source))


def budget_met(budget: Budget, source: Sentence, output: Output | None) -> Ratio:
    """One if the output costs what the budget allows; a refusal to answer (None) does not meet it."""
    if output is None:
        return Ratio(0.0, 1.0)
    least, most = budget.limits(budget.measure(source.words, source.text))
    return Ratio(float(least <= budget.measure(output.words, output.text) <= most), 1.0)
