"""Yamangil and Shieber (2010) again: Table 1, Figure 3 and Tables 3 and 4 on the spoken dev set.

    python -m experiments.bayesian run --data ../shared/data --folder .cache/bayesian --workers 16 --minutes 9
    python -m experiments.bayesian tables --data ../shared/data --folder .cache/bayesian
    python -m experiments.bayesian rules --data ../shared/data --folder .cache/bayesian

`run` does what has no result in the folder yet, for so many minutes, and says what is left: call it until nothing is.
`tables` makes, of these results, what was tried (on folds of train and on dev), Figure 3 and Table 1 with tests of
significance. `rules` prints Tables 3 and 4. Trees are those of the Stanford parser; everything learns from the first
reference of train and is scored against all references. Relations are those of the embedded parser, labelled.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import time
from typing import Any

import numpy as np
from experiments._jobs import result_file, run_jobs
from experiments._plot import scatter_plot
from experiments._synchronous import (
    DEV,
    FOLDS,
    SAMPLES,
    SEEDS,
    THEIR_PROCESS,
    THEIR_SVM,
    Plan,
    counts_of,
    material,
    measured,
    scored,
    shown_and_held,
    untrained,
    work,
)
from experiments._tables import Row, write_table, write_text

from laconic.errors import LaconicError
from laconic.grammar.rule_probabilities import compression_table
from laconic.metrics.significance import paired_bootstrap, wilcoxon
from laconic.systems.everything import Everything

RESULTS = Path(__file__).parent / "results" / "bayesian"
TITLES = {"bayesian": "GS", "em": "EM", "variational": "VB"}
THEIR_EM = (1.0001,)
THEIRS = (  # their Table 1, on test
    ("SVM", "55.60", "53.37", "54.46", "59.72"),
    ("EM", "58.80", "56.58", "57.67", "64.11"),
    ("GS", "58.94", "64.59", "61.64", "65.52"),
)
SCORES = ("precision", "recall", "relation F1", "rate", "F1")

Found = dict[str, Any]
"""What a job found, or one of its points."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A system of the grid: its α and β, and how it predicts."""

    kind: str
    parameters: tuple[float, ...]
    added: float
    coverage: str
    least: float | None = None

    def job(self, place: str) -> str:
        return ",".join([self.kind, place, *(f"{each:g}" for each in self.parameters)])

    def described(self) -> tuple[str, ...]:
        """The system, α, β, δ, what is covered and which rules are left out."""
        alpha, *beta = (f"{each:g}" for each in self.parameters)
        least = "" if self.least is None else f"{self.least:g}"
        return TITLES[self.kind], alpha, *(beta or [""]), f"{1 + self.added:g}", self.coverage, least

    def point(self, found: Found) -> Found:
        """What a job found for this way of predicting."""
        wanted = (self.added, self.coverage, self.least)
        [point] = [
            each for each in found["points"] if (each["added"], each["coverage"], each["least"]) == wanted
        ]
        assert isinstance(point, dict)
        return point

    def __str__(self) -> str:
        kind, alpha, beta, delta, coverage, least = self.described()
        parts = [f"α {alpha}", f"β {beta}" if beta else "", f"δ {delta}", f"{coverage} covered"]
        parts.append(f"rules expected {least} times" if least else "")
        return ", ".join([kind, *filter(None, parts)])


def result_of(folder: Path, job: str) -> Found:
    found = json.loads(result_file(folder, job).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def settings(plan: Plan, folder: Path) -> Iterator[Setting]:
    """All that was tried, in the order of the jobs."""
    for job in plan.grid_jobs():
        kind, place, *parameters = job.split(",")
        if place == DEV:
            for point in result_of(folder, job)["points"]:
                yield Setting(
                    kind, tuple(map(float, parameters)), point["added"], point["coverage"], point["least"]
                )


def on_folds(setting: Setting, folder: Path) -> dict[str, float]:
    """Relation F1 at gold length and at own length and the rate, averaged over the sentences of all folds."""
    found = [result_of(folder, setting.job(str(fold))) for fold in range(FOLDS)]
    sentences = [each["sentences"] for each in found]
    points = [setting.point(each) for each in found]

    def mean(length: str, score: str) -> float:
        return float(np.average([point[length][score] for point in points], weights=sentences))

    return {
        "gold": mean("gold", "relation F1"),
        "own": mean("own", "relation F1"),
        "rate": mean("own", "rate"),
    }


def chosen(plan: Plan, folder: Path) -> dict[str, Setting]:
    """The best of each kind by relation F1 at gold length on the folds: at own length, who keeps all is best."""
    best: dict[str, tuple[float, Setting]] = {}
    for setting in settings(plan, folder):
        score = on_folds(setting, folder)["gold"]
        if setting.kind not in best or score > best[setting.kind][0]:
            best[setting.kind] = score, setting
    return {kind: setting for kind, (_, setting) in best.items()}


def run(plan: Plan, folder: Path, *, workers: int, minutes: float) -> None:
    """Do what is left: the long jobs first, then the grid, then chains with what the grid has chosen."""
    end = time() + 60 * minutes
    first = [*(f"svm,{row}" for row in THEIR_SVM), *plan.chain_jobs(THEIR_PROCESS), *plan.grid_jobs()]
    left = run_jobs(first, partial(work, plan), folder, workers=workers, minutes=minutes)
    if not set(left) & set(plan.grid_jobs()):
        best = chosen(plan, folder)["bayesian"]
        chains = plan.chain_jobs(best.parameters)
        rest = run_jobs(chains, partial(work, plan), folder, workers=workers, minutes=(end - time()) / 60)
        left = [*left, *(job for job in rest if job not in left)]
    print(f"{len(left)} jobs are left: call this again" if left else "nothing is left: make the tables")


def grid_table(plan: Plan, folder: Path, output: Path) -> None:
    head = ("system", "α", "β", "δ", "covered", "least expected", "rules")
    rows: list[Row] = [
        (
            *head,
            *("relation F1, gold length, folds", "own length, folds", "rate"),
            *("relation F1, gold length, dev", "own length, dev", "P", "R", "rate"),
        )
    ]
    dots: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for setting in settings(plan, folder):
        held = on_folds(setting, folder)
        dev = setting.point(result_of(folder, setting.job(DEV)))
        own = dev["own"]
        cells = (*(held[name] for name in ("gold", "own", "rate")), dev["gold"]["relation F1"])
        cells = (*cells, *(own[name] for name in ("relation F1", "precision", "recall", "rate")))
        rows.append((*setting.described(), f"{dev['rules']:,}", *(f"{cell:.1f}" for cell in cells)))
        for score in ("relation F1", "precision", "recall"):
            kinds = dots.setdefault(score, {})
            kinds.setdefault(TITLES[setting.kind], []).append((own["rate"], own[score]))
    train, dev_pairs = shown_and_held(plan, DEV)
    note = (
        f"Learnt from four fifths of spoken train, documents whole, and scored on the fifth that is left, for all five "
        f"({len(train)} sentences); then learnt from all of train and scored on dev ({len(dev_pairs)}). GS with "
        f"{plan.grid_sweeps} sweeps. Percent; the rate is at own length."
    )
    write_table(output / "grid.md", "What was tried", note, rows)
    for score, kinds in dots.items():
        name = f"figure-3-{score.split()[0]}.svg"
        write_text(output / name, scatter_plot(kinds, across="rate, %", up=f"{score}, %"))


@dataclass(frozen=True)
class TableRow:
    """A row of Table 1, the mean of one or several runs."""

    title: str
    points: tuple[Found, ...]

    def values(self, length: str) -> list[float | None]:
        """The relation F1 of every sentence, averaged over the runs."""
        runs = zip(*(point[length]["values"] for point in self.points), strict=True)
        return [None if None in values else float(np.mean(values)) for values in runs]

    def cells(self) -> Row:
        def mean(length: str, score: str) -> float:
            return float(np.mean([point[length][score] for point in self.points]))

        own = (mean("own", score) for score in SCORES)
        gold = (mean("gold", score) for score in ("relation F1", "F1"))
        spread = [
            f"{np.std([point[length]['relation F1'] for point in self.points], ddof=1):.1f}"
            if len(self.points) > 1
            else ""
            for length in ("own", "gold")
        ]
        rules = f"{np.mean([point['rules'] for point in self.points]):,.0f}"
        return self.title, rules, *(f"{cell:.1f}" for cell in (*own, *gold)), *spread


def table_rows(plan: Plan, folder: Path) -> Iterator[TableRow]:
    """GS with the paper's α and β and with those that the folds have chosen, then EM, VB and the SVM."""
    best = chosen(plan, folder)
    gibbs = best["bayesian"]
    theirs = [Setting("bayesian", THEIR_PROCESS, 1.0, coverage) for coverage in ("training", "unseen")]
    for setting in dict.fromkeys((*theirs, gibbs)):
        found = [setting.point(result_of(folder, job)) for job in plan.chain_jobs(setting.parameters)]
        yield TableRow(f"{setting}, mean of {len(SEEDS)} seeds", tuple(found))
    others = (
        *(Setting("em", THEIR_EM, 0.01, "training", 0.0), best["em"]),
        *(Setting("variational", THEIR_PROCESS, 1.0, "training"), best["variational"]),
    )
    for setting in dict.fromkeys(others):
        yield TableRow(str(setting), (setting.point(result_of(folder, setting.job(DEV))),))
    for row in THEIR_SVM:
        yield TableRow(f"SVM, {row}", tuple(result_of(folder, f"svm,{row}")["points"]))


def systems_table(plan: Plan, folder: Path, output: Path) -> None:
    scores = ("P", "R", "relation F1", "rate", "F1", "relation F1, gold length", "F1, gold length")
    rows: list[Row] = [("system", "rules", *scores, "sd of relation F1", "sd, gold length")]
    found = list(table_rows(plan, folder))
    rows += [row.cells() for row in found]
    first = result_of(folder, plan.chain_jobs(THEIR_PROCESS)[0])
    [sampled] = [point for point in first["points"] if "tree" in point]
    everything = measured(scored(plan, Everything(), shown_and_held(plan, DEV)[1], np.inf, gold=False))
    for title, scored_alone in (
        (f"the first chain, most probable tree of {SAMPLES} samples", sampled["tree"]),
        ("everything", everything),
    ):
        rows.append((title, "", *(f"{scored_alone[score]:.1f}" for score in SCORES), *[""] * 4))
    rows += [(f"their {name}, test", "", *cells, *[""] * 5) for name, *cells in THEIRS]
    sentences = len(shown_and_held(plan, DEV)[1])
    note = (
        f"Spoken dev, {sentences} sentences, learnt from the first reference of train; GS by {plan.sweeps:,} sweeps. "
        "Percent, relations by the embedded parser."
    )
    write_table(output / "systems.md", "Table 1", note, rows)
    write_significance(found, sentences, output)


def write_significance(found: Sequence[TableRow], sentences: int, output: Path) -> None:
    rows: list[Row] = [
        (
            *("first", "second", "length", "relation F1, difference"),
            *("95 % interval", "bootstrap p", "Wilcoxon p"),
        )
    ]
    reference = found[0]
    for other in found[1:]:
        for length in ("gold", "own"):
            both = zip(reference.values(length), other.values(length), strict=True)
            paired = [(one, two) for one, two in both if one is not None and two is not None]
            one, two = ([pair[place] for pair in paired] for place in (0, 1))
            p, (low, high) = paired_bootstrap(one, two, generator=np.random.default_rng(0))
            difference = 100 * float(np.mean(one) - np.mean(two))
            interval = f"{100 * low:+.1f} to {100 * high:+.1f}"
            cells = (reference.title, other.title, length, f"{difference:+.1f}", interval)
            rows.append((*cells, f"{p:.4f}", f"{wilcoxon(one, two):.4f}"))
    note = (
        f"Paired over the {sentences} sentences of dev, values of a sentence averaged over references and seeds; "
        "10,000 samples. Not corrected for the number of comparisons."
    )
    write_table(output / "significance.md", "Differences in Table 1", note, rows)


def tables(plan: Plan, folder: Path, output: Path) -> None:
    grid_table(plan, folder, output)
    systems_table(plan, folder, output)
    best = {TITLES[kind]: str(setting) for kind, setting in chosen(plan, folder).items()}
    write_text(output / "chosen.json", json.dumps(best, indent=2, ensure_ascii=False) + "\n")


def rules(plan: Plan, folder: Path) -> None:
    """Tables 3 and 4, printed, of the first of the long chains."""
    job = plan.chain_jobs(THEIR_PROCESS)[0]
    system = untrained("chain", THEIR_PROCESS, sweeps=plan.sweeps)
    counts = counts_of(system, plan, DEV, folder / "state" / job, np.inf)
    assert counts is not None, "there is time"
    learnt = replace(system, added=1.0).taught(counts, material(plan, DEV).aligned).rules
    assert learnt is not None
    for label in ("ROOT", "S"):
        print(f"{label} / {label}\n{compression_table(learnt, (label, label))}\n")


def refuse_other_plans(plan: Plan, folder: Path) -> None:
    """Results of other sweeps or sentences are not taken for ours."""
    path = folder / "plan.json"
    numbers = {"sweeps": plan.sweeps, "grid sweeps": plan.grid_sweeps, "sentences": plan.sentences}
    if not path.exists():
        write_text(path, json.dumps(numbers))
    elif (found := json.loads(path.read_text(encoding="utf-8"))) != numbers:
        raise LaconicError(f"{folder} holds results of {found}, not of {numbers}: take another folder")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("run", "tables", "rules"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, help="of parsed sentences (default: in the folder)")
    parser.add_argument("--folder", type=Path, default=Path(".cache/bayesian"))
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--sweeps", type=int, default=Plan.sweeps)
    parser.add_argument("--grid-sweeps", type=int, default=Plan.grid_sweeps)
    parser.add_argument("--sentences", type=int, help="about so many of train and dev, to try this program")
    given = parser.parse_args()
    cache = given.cache or given.folder / "annotations.sqlite"
    plan = Plan(given.data, cache, given.sweeps, given.grid_sweeps, given.sentences)
    refuse_other_plans(plan, given.folder)
    if given.what == "run":
        run(plan, given.folder, workers=given.workers, minutes=given.minutes)
    elif given.what == "tables":
        tables(plan, given.folder, given.output)
    else:
        rules(plan, given.folder)


if __name__ == "__main__":
    main()
