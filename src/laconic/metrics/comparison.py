"""Two systems on the same sentences: which is better, and is that chance?"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from laconic.errors import LaconicError
from laconic.formats.jsonl import format_line
from laconic.metrics.report import Measurement, Report
from laconic.metrics.significance import paired_bootstrap, wilcoxon
from laconic.metrics.table import render_table


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of two systems, over the `count` sentences on which both have a value.

    `first` and `second` are the macro scores over these sentences, `difference` is first - second with its
    bootstrap confidence interval from `low` to `high`. `wins`, `ties` and `losses` count sentences from the
    point of view of the first.
    """

    metric: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    bootstrap_p: float
    wilcoxon_p: float
    wins: int
    ties: int
    losses: int
    count: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences of two systems, metric by metric; `settings` says how they were tested."""

    first: str
    second: str
    settings: str
    differences: tuple[Difference, ...]

    def table(self) -> str:
        """The differences as plain text, one metric a line."""
        head = ("metric", "first", "second", "difference", "interval", "bootstrap p", "Wilcoxon p")
        rows = [
            (
                item.metric,
                f"{item.first:.4f}",
                f"{item.second:.4f}",
                f"{item.difference:+.4f}",
                f"{item.low:+.4f} to {item.high:+.4f}",
                f"{item.bootstrap_p:.4f}",
                f"{item.wilcoxon_p:.4f}",
                f"{item.wins}/{item.ties}/{item.losses}",
            )
            for item in self.differences
        ]
        table = render_table((*head, "wins/ties/losses"), rows)
        return f"first: {self.first}\nsecond: {self.second}\n\n{table}\n\n{self.settings}"

    def to_json(self) -> str:
        """The comparison as JSON."""
        return format_line({"format": "laconic comparison 1", **asdict(self)})


def compare(
    first: Report,
    second: Report,
    *,
    generator: np.random.Generator | None = None,
    samples: int = 10_000,
    confidence: float = 0.95,
) -> Comparison:
    """Compare two reports on the same sentences, by paired bootstrap and Wilcoxon's signed-rank test.

    Metrics that both reports have must have the same signature: scores are never compared across
    definitions. Without a `generator`, resampling starts from seed 0.
    """
    if first.ids != second.ids:
        place = next((i for i, (a, b) in enumerate(zip(first.ids, second.ids, strict=False)) if a != b), None)
        where = (
            f"{len(first.ids)} and {len(second.ids)} of them"
            if place is None
            else f"from sentence {place} on"
        )
        raise LaconicError(
            f"the reports on {first.system!r} and {second.system!r} are about different sentences: {where}"
        )
    seed = "given generator"
    if generator is None:
        generator, seed = np.random.default_rng(0), "seed 0"
    names = {measurement.metric for measurement in second.measurements}
    shared = [measurement for measurement in first.measurements if measurement.metric in names]
    differences = []
    for measurement in shared:
        other = second[measurement.metric]
        if measurement.signature != other.signature:
            raise LaconicError(
                f"{measurement.metric} is defined differently in the two reports: {measurement.signature} "
                f"against {other.signature}; evaluate both under the same conditions"
            )
        difference = _difference(measurement, other, generator, samples, confidence)
        if difference is not None:
            differences.append(difference)
    settings = f"paired bootstrap: {samples} samples, {seed}; interval: {confidence:.0%}; Wilcoxon: two-sided"
    return Comparison(first.system, second.system, settings, tuple(differences))


def _difference(
    measured: Measurement,
    other: Measurement,
    generator: np.random.Generator,
    samples: int,
    confidence: float,
) -> Difference | None:
    """The difference on the sentences both have values for; None if there are none."""
    paired = [
        (a, b) for a, b in zip(measured.values, other.values, strict=True) if a is not None and b is not None
    ]
    if not paired:
        return None
    first, second = [a for a, _ in paired], [b for _, b in paired]
    bootstrap_p, (low, high) = paired_bootstrap(
        first, second, generator=generator, samples=samples, confidence=confidence
    )
    return Difference(
        metric=measured.metric,
        first=float(np.mean(first)),
        second=float(np.mean(second)),
        difference=float(np.mean(first) - np.mean(second)),
        low=low,
        high=high,
        bootstrap_p=bootstrap_p,
        wilcoxon_p=wilcoxon(first, second),
        wins=sum(a > b for a, b in paired),
        ties=sum(a == b for a, b in paired),
        losses=sum(a < b for a, b in paired),
        count=len(paired),
    )
