"""From rated sheets to the tables that papers print: means, tests, and how far raters agree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.formats.jsonl import format_line
from laconic.metrics.table import render_table
from laconic.rating.agreement import krippendorff_alpha, mean_kappa
from laconic.rating.sheets import digest, read_sheet
from laconic.rating.significance import Contrast, Variance, analysis_of_variance, contrasts

LEAST, MOST = 1, 5
_LEAST_CHANCE = 0.0001
"""Smaller ones are not told apart."""


@dataclass(frozen=True, slots=True)
class Rated:
    """What a rater gave a text of a system, for each thing asked."""

    rater: str
    line: str
    answered: str
    group: str
    system: str
    rate: float
    given: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Question:
    """One thing asked, in one group: mean and deviation of every system, and the tests."""

    group: str
    asked: str
    means: Mapping[str, tuple[float, float, int]]
    variance: Variance | None
    contrasts: Sequence[Contrast]
    alpha: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Scored:
    """All that rated sheets say, and in `notes` what they leave open."""

    raters: int
    rates: Mapping[str, float]
    questions: Sequence[Question]
    notes: Sequence[str] = ()

    def table(self) -> str:
        """The tables as plain text."""
        parts = [
            f"{self.raters} rater{'s' if self.raters > 1 else ''}; rates in words: "
            + ", ".join(f"{s} {100 * r:.1f} %" for s, r in self.rates.items())
        ]
        for question in self.questions:
            title = f"{question.group}: {question.asked}" if question.group else question.asked
            rows = [
                (system, f"{mean:.2f}", f"{deviation:.2f}", str(count))
                for system, (mean, deviation, count) in question.means.items()
            ]
            parts += ["", title, render_table(("system", "mean", "sd", "n"), rows)]
            if question.variance is not None:
                of = question.variance
                chance = _chance(of.p) if of.p < _LEAST_CHANCE else f"= {_chance(of.p)}"
                parts.append(f"analysis of variance: F({of.between}, {of.within}) = {of.f:.2f}, p {chance}")
            head = ("systems", "difference", "Tukey p", "paired t p (Holm)", "Wilcoxon p")
            compared = [
                (
                    f"{each.first} - {each.second}",
                    f"{each.difference:+.2f}",
                    *(_chance(p) for p in (each.tukey, each.t, each.wilcoxon)),
                )
                for each in question.contrasts
            ]
            if compared:
                parts.append(render_table(head, compared))
            parts.append(
                f"agreement: Krippendorff's alpha {_known(question.alpha)}, weighted kappa {_known(question.kappa)}"
            )
        return "\n".join(parts)

    def to_json(self) -> str:
        """The same as JSON."""
        return format_line({"format": "laconic ratings 1", **asdict(self)})


def score(sheets: Sequence[Path], key: Path) -> Scored:
    """What the raters of sheets made of systems; a file is a rater."""
    rated, notes = read_ratings(sheets, key)
    return replace(scored(rated), notes=notes)


def scored(rated: Sequence[Rated]) -> Scored:
    """Means, tests and agreement for each group and each thing asked, and over all groups if there are several.

    Groups and systems are in the order of their names, whatever was rated first.
    """
    if not rated:
        raise LaconicError("the sheets hold no ratings yet")
    groups = sorted({each.group for each in rated})
    asked = list(rated[0].given)
    questions = [
        _question(group, name, [each for each in rated if each.group == group])
        for group in groups
        for name in asked
    ]
    if len(groups) > 1:
        questions += [_question("all", name, rated) for name in asked]
    systems = sorted({each.system for each in rated})
    rates = {
        system: float(np.mean([each.rate for each in rated if each.system == system])) for system in systems
    }
    return Scored(len({each.rater for each in rated}), rates, questions)


def _question(group: str, asked: str, rated: Sequence[Rated]) -> Question:
    by_system: dict[str, dict[str, list[int]]] = {
        name: {} for name in sorted({each.system for each in rated})
    }
    by_rater: dict[str, dict[str, int]] = {}
    for each in rated:
        by_system[each.system].setdefault(each.answered, []).append(each.given[asked])
        by_rater.setdefault(each.rater, {})[each.line] = each.given[asked]
    # As in the papers, tests are of the mean ratings of a text.
    values = {
        system: {name: float(np.mean(given)) for name, given in of.items()}
        for system, of in by_system.items()
    }
    means = {}
    for system, of in by_system.items():
        every = [value for given in of.values() for value in given]
        deviation = float(np.std(every, ddof=1)) if len(every) > 1 else 0.0
        means[system] = (float(np.mean(every)), deviation, len(every))
    return Question(
        group,
        asked,
        means,
        analysis_of_variance([list(of.values()) for of in values.values()]),
        contrasts(values),
        krippendorff_alpha(by_rater),
        mean_kappa(by_rater),
    )


def read_ratings(sheets: Sequence[Path], key: Path) -> tuple[list[Rated], list[str]]:
    """What stands on the sheets, for every system, and how many lines are left out for want of a rating."""
    try:
        content = json.loads(key.read_text(encoding="utf-8"))
        known, asked = content["lines"], content["asked"]
    except IsADirectoryError:
        raise LaconicError(f"{key}: is a directory, expected the key of sheets") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise LaconicError(
            f"{key}: not the key of sheets; `laconic rate sheet` writes it beside them"
        ) from None
    found, notes = [], []
    for place, path in enumerate(sheets):
        if path.resolve() in {other.resolve() for other in sheets[:place]}:
            raise LaconicError(
                f"{path}: given twice, which would count its ratings twice; name each sheet once"
            )
        columns, rows = read_sheet(path)
        if unasked := [name for name in asked if name not in columns]:
            raise LaconicError(f"{path}: no column {', '.join(unasked)}, which {key} asks for")
        missing: Counter[str] = Counter()
        for row in rows:
            lacking = [name for name in asked if not row[name].strip()]
            if lacking:
                missing[" and ".join(lacking)] += 1
                continue
            given = {name: whole_rating(row[name], name, row["id"], path) for name in asked}
            line = known.get(row["id"])
            if line is None or line.get("digest") != digest(row["source"], row["text"]):
                what = "is not in" if line is None else "has another source or text than in"
                raise LaconicError(
                    f"{path}: line {row['id']!r} {what} {key}; give the key that was written with this sheet, "
                    "and leave the sheet's ids and texts as they were"
                )
            found += [
                Rated(str(path), row["id"], line["id"], line["group"], system, line["rate"], given)
                for system in line["systems"]
            ]
        notes += [
            f"{path}: {count} line{'s' if count > 1 else ''} without a rating for {what}: left out"
            for what, count in missing.items()
        ]
    return found, notes


def whole_rating(value: Any, asked: str, line: str, source: Path) -> int:
    """A rating as a whole number from 1 to 5; anything else is an error that names its place."""
    text = str(value).strip()
    if text.isdecimal() and LEAST <= int(text) <= MOST:
        return int(text)
    raise LaconicError(
        f"{source}: {asked} of {line} is not a whole number from {LEAST} to {MOST}, but {text!r}"
    )


def _chance(p: float | None) -> str:
    if p is None:
        return ""
    return f"< {_LEAST_CHANCE}" if p < _LEAST_CHANCE else f"{p:.4f}"


def _known(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"
