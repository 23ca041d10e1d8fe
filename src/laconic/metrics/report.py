"""Scores over a corpus, as numbers with a signature, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from laconic.errors import FormatError, LaconicError
from laconic.formats.jsonl import format_line
from laconic.metrics.significance import confidence_interval
from laconic.metrics.statistics import Overlap, Statistic, statistic_of
from laconic.metrics.table import render_table

_FORMAT = "laconic report 1"


@dataclass(frozen=True, slots=True)
class Score:
    """A metric over a corpus.

    `macro` is the mean over sentences of the mean over references, `best` the mean over sentences of the best
    reference, `micro` the value of the summed statistics. Undefined values are left out of means: `count`
    sentences have a value, `undefined` have none. `precision` and `recall` are macro, of F1 metrics only.
    """

    metric: str
    macro: float | None
    micro: float | None
    best: float | None
    precision: float | None
    recall: float | None
    count: int
    undefined: int
    signature: str

    def __str__(self) -> str:
        macro = "undefined" if self.macro is None else f"{self.macro:.4f}"
        return f"{self.metric} {macro} (n = {self.count}, {self.undefined} undefined) {self.signature}"


@dataclass(frozen=True, slots=True)
class Measurement:
    """One metric over a corpus: for each sentence, the statistic of each reference, or none if refused."""

    metric: str
    signature: str
    rows: tuple[tuple[Statistic, ...], ...]

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value of each sentence: the mean over its references."""
        return tuple(_mean(statistic.value for statistic in row) for row in self.rows)

    @property
    def score(self) -> Score:
        """The metric's score over the corpus."""
        values = self.values
        best = (max(_defined(statistic.value for statistic in row), default=None) for row in self.rows)
        overlaps = [[item for item in row if isinstance(item, Overlap)] for row in self.rows]
        return Score(
            metric=self.metric,
            macro=_mean(values),
            micro=self.total.value if self.total is not None else None,
            best=_mean(best),
            precision=_mean(_mean(overlap.precision for overlap in row) for row in overlaps),
            recall=_mean(_mean(overlap.recall for overlap in row) for row in overlaps),
            count=len(_defined(values)),
            undefined=len(values) - len(_defined(values)),
            signature=self.signature,
        )

    @property
    def total(self) -> Statistic | None:
        """The sum of all statistics; None if there are none."""
        statistics = [statistic for row in self.rows for statistic in row]
        if not statistics:
            return None
        columns = zip(*(statistic.counts for statistic in statistics), strict=True)
        return statistic_of(sum(column) for column in columns)

    def interval(
        self, *, generator: np.random.Generator, samples: int = 10_000, confidence: float = 0.95
    ) -> tuple[float, float]:
        """The bootstrap confidence interval of the macro score."""
        return confidence_interval(self.values, generator=generator, samples=samples, confidence=confidence)


@dataclass(frozen=True, slots=True)
class Report:
    """The measurements of one system on one corpus under one condition on length.

    `ids` names the sentences in order. `refused` counts requests (a sentence and a length) that the system
    answered with `InfeasibleBudget`; they are left out of all means but count as budgets not met.
    """

    system: str
    condition: str
    ids: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    refused: int = 0

    def __post_init__(self) -> None:
        for measurement in self.measurements:
            if len(measurement.rows) != len(self.ids):
                raise LaconicError(
                    f"{measurement.metric} has {len(measurement.rows)} rows for {len(self.ids)} sentences"
                )

    def __getitem__(self, metric: str) -> Measurement:
        for measurement in self.measurements:
            if measurement.metric == metric:
                return measurement
        known = ", ".join(measurement.metric for measurement in self.measurements)
        raise LaconicError(f"the report on {self.system!r} has no metric {metric!r}; it has {known}")

    @property
    def scores(self) -> tuple[Score, ...]:
        """The score of every metric."""
        return tuple(measurement.score for measurement in self.measurements)

    def table(self) -> str:
        """The scores as plain text, one metric a line, with what was refused or undefined, and signatures."""
        scores = self.scores
        several = any(len(row) > 1 for measurement in self.measurements for row in measurement.rows)
        head = ("metric", "macro", "micro", "best", "precision", "recall", "n", "undefined")
        rows = [
            (
                score.metric,
                *map(_decimal, (score.macro, score.micro, score.best if several else None)),
                *map(_decimal, (score.precision, score.recall)),
                str(score.count),
                str(score.undefined or ""),
            )
            for score in scores
        ]
        title = f"{self.system}: {len(self.ids)} sentences, {self.condition}"
        if self.refused:
            title += f", {self.refused} requests refused as infeasible"
        return "\n".join([title, "", render_table(head, rows), "", *(score.signature for score in scores)])

    def to_json(self) -> str:
        """The report as JSON: the scores to read, and the statistics of every sentence to compare with."""
        content = {
            "format": _FORMAT,
            "system": self.system,
            "condition": self.condition,
            "refused": self.refused,
            "scores": {score.metric: asdict(score) for score in self.scores},
            "ids": self.ids,
            "statistics": {
                measurement.metric: [[statistic.counts for statistic in row] for row in measurement.rows]
                for measurement in self.measurements
            },
        }
        return format_line(content)

    @classmethod
    def from_json(cls, text: str, *, source: str | None = None) -> Report:
        """The report that `to_json` wrote; `source` names the file in errors."""
        try:
            content: Any = json.loads(text)
            if content["format"] != _FORMAT:
                raise FormatError(f"format {content['format']!r}, expected {_FORMAT!r}", source=source)
            measurements = tuple(
                Measurement(
                    metric,
                    content["scores"][metric]["signature"],
                    tuple(tuple(statistic_of(counts) for counts in row) for row in rows),
                )
                for metric, rows in content["statistics"].items()
            )
            ids = tuple(content["ids"])
            return cls(content["system"], content["condition"], ids, measurements, content["refused"])
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, FormatError):
                raise
            reason = f"no field {error}" if isinstance(error, KeyError) else str(error)
            raise FormatError(f"not a report of laconic ({reason})", source=source) from None


def _defined(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: Iterable[float | None]) -> float | None:
    defined = _defined(values)
    return sum(defined) / len(defined) if defined else None


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
