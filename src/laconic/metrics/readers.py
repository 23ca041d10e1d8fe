"""The share of outputs that readers would find good, estimated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from laconic.metrics.case import Case
from laconic.metrics.statistics import Ratio
from laconic.sentence import Sentence

Judgement = Callable[[Sentence, Sequence[int]], float]
"""The probability that readers find good what is left of a sentence when these words of it are kept."""


@dataclass(frozen=True, slots=True)
class EstimatedReaders:
    """The mean probability that readers find grammar and meaning of an output good; references play no part.

    It is defined for deletions alone: an output with words of its own has none. `judge` names who judges in the
    signature.
    """

    judgement: Judgement
    judge: str = "given"

    @property
    def name(self) -> str:
        """The name of the score."""
        return "readers"

    @property
    def settings(self) -> tuple[str, ...]:
        """Who judges, and what is asked."""
        return f"judge:{self.judge}", "estimated:yes", "good:grammar and meaning at least 4 of 5"

    def measure(self, case: Case) -> Ratio:
        """The probability for an output, as a part of one."""
        if not case.source.words or len(case.output.kept) != len(case.output.words):
            return Ratio(0.0, 0.0)
        return Ratio(self.judgement(case.source, case.output.kept), 1.0)
