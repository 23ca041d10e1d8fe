"""ROUGE by the library rouge-score, an optional dependency."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from laconic.errors import LaconicError
from laconic.metrics.case import Case
from laconic.metrics.statistics import Ratio


@dataclass(frozen=True, slots=True)
class Rouge:
    """The F-measure of ROUGE-1, ROUGE-2 or ROUGE-L: `rouge1`, `rouge2` or `rougeL`.

    The library sees the words joined by spaces, folds case and drops punctuation; there is no stemming. It
    gives no counts that could be summed, so the micro score is the mean over all references.
    """

    name: str
    scorer: Any = field(repr=False)

    @property
    def settings(self) -> tuple[str, ...]:
        """The library and its options."""
        return f"rouge-score:{version('rouge-score')}", "stem:no"

    def measure(self, case: Case) -> Ratio:
        """The F-measure, of one; undefined if both texts are empty."""
        if not case.output.words and not case.reference:
            return Ratio(0.0, 0.0)
        scores = self.scorer.score(" ".join(case.reference), " ".join(case.output.words))
        return Ratio(scores[self.name].fmeasure, 1.0)


def rouge_metrics() -> tuple[Rouge, ...]:
    """ROUGE-1, ROUGE-2 and ROUGE-L; an error says what to install if the library is missing."""
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        raise LaconicError(
            "ROUGE needs the library rouge-score, which is not installed: pip install 'laconic[rouge]'"
        ) from None
    names = ("rouge1", "rouge2", "rougeL")
    return tuple(Rouge(name, RougeScorer([name], use_stemmer=False)) for name in names)
