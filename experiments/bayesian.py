"""Yamangil and Shieber (2010) again: Table 1, Figure 3 and Tables 3 and 4 on the spoken dev set.

Everything learns from the first reference of train, with the trees of the Stanford parser, and is scored against all
references; relations are those of the embedded parser, labelled. α, β and ways of predicting are chosen on folds of
train. All of it takes some six hours of a core: `--workers 16 --minutes 9`, called until nothing is left, and
`--adopt FOLDER` takes what was found on another machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._pages import Page, Row, Table, published
from experiments._plot import bar_plot, scatter_plot
from experiments._synchronous import (
    DEV,
    SAMPLES,
    SCORED,
    SEEDS,
    THEIR_PROCESS,
    THEIR_SVM,
    Plan,
    chain_jobs,
    counts_of,
    grid_jobs,
    material,
    measured,
    scored,
    shown_and_held,
    untrained,
    work,
)

from laconic.grammar.rule_probabilities import compression_table
from laconic.metrics.significance import paired_bootstrap, wilcoxon
from laconic.systems.everything import Everything

TITLES = {"bayesian": "GS", "em": "EM", "variational": "VB"}
THEIR_EM = (1.0001,)
THEIRS = (  # their Table 1, on test
    ("SVM", "55.60", "53.37", "54.46", "59.72"),
    ("EM", "58.80", "56.58", "57.67", "64.11"),
    ("GS", "58.94", "64.59", "61.64", "65.52"),
    ("references", "", "", "", "65.67"),
)
THEIR_RULES = {  # their Tables 3 and 4, from the most probable rule
    "ROOT": (
        "(ROOT (S CC[ε] NP[1] VP[2] .[3])) / (ROOT (S NP[1] VP[2] .[3]))",
        "(ROOT (S NP[1] ADVP[ε] VP[2] (. .))) / (ROOT (S NP[1] VP[2] (. .)))",
        "(ROOT (S ADVP[ε] (, ,) NP[1] VP[2] (. .))) / (ROOT (S NP[1] VP[2] (. .)))",
        "(ROOT (S PP[ε] (, ,) NP[1] VP[2] (. .))) / (ROOT (S NP[1] VP[2] (. .)))",
        "(ROOT (S PP[ε] ,[ε] NP[1] VP[2] .[3])) / (ROOT (S NP[1] VP[2] .[3]))",
        "(ROOT (S NP[ε] (VP VBP[ε] (SBAR (S NP[1] VP[2]))) .[3])) / (ROOT (S NP[1] VP[2] .[3]))",
        "(ROOT (S ADVP[ε] NP[1] (VP MD[2] VP[3]) .[4])) / (ROOT (S NP[1] (VP MD[2] VP[3]) .[4]))",
        "(ROOT (S (SBAR (IN as) S[ε]) ,[ε] NP[1] VP[2] .[3])) / (ROOT (S NP[1] VP[2] .[3]))",
        "(ROOT (S S[ε] (, ,) CC[ε] (S NP[1] VP[2]) .[3])) / (ROOT (S NP[1] VP[2] .[3]))",
        "(ROOT (S PP[ε] NP[1] VP[2] .[3])) / (ROOT (S NP[1] VP[2] .[3]))",
        "(ROOT (S S[1] (, ,) CC[ε] S[2] (. .))) / (ROOT (S NP[1] VP[2] (. .)))",
        "(ROOT (S S[ε] ,[ε] NP[1] ADVP[2] VP[3] .[4])) / (ROOT (S NP[1] ADVP[2] VP[3] .[4]))",
        "(ROOT (S (NP (NP NNP[ε] (POS 's)) NNP[1] NNP[2]) (VP (VBZ reports)) .[3])) "
        "/ (ROOT (S (NP NNP[1] NNP[2]) (VP (VBZ reports)) .[3]))",
    ),
    "S": (
        "(S NP[1] ADVP[ε] VP[2]) / (S NP[1] VP[2])",
        "(S INTJ[ε] (, ,) NP[1] VP[2] (. .)) / (S NP[1] VP[2] (. .))",
        "(S (INTJ (UH Well)) ,[ε] NP[1] VP[2] .[3]) / (S NP[1] VP[2] .[3])",
        "(S PP[ε] (, ,) NP[1] VP[2]) / (S NP[1] VP[2])",
        "(S ADVP[ε] (, ,) S[1] (, ,) (CC but) S[2] .[3]) / (S S[1] (, ,) (CC but) S[2] .[3])",
        "(S ADVP[ε] NP[1] VP[2]) / (S NP[1] VP[2])",
        "(S NP[ε] (VP VBP[ε] (SBAR (IN that) (S NP[1] VP[2]))) (. .)) / (S NP[1] VP[2] (. .))",
        "(S NP[ε] (VP VBZ[ε] ADJP[ε] SBAR[1])) / S[1]",
        "(S CC[ε] PP[ε] (, ,) NP[1] VP[2] (. .)) / (S NP[1] VP[2] (. .))",
        "(S NP[ε] (, ,) NP[1] VP[2] .[3]) / (S NP[1] VP[2] .[3])",
        "(S NP[1] (, ,) ADVP[ε] (, ,) VP[2]) / (S NP[1] VP[2])",
        "(S CC[ε] (NP PRP[1]) VP[2]) / (S (NP PRP[1]) VP[2])",
        "(S ADVP[ε] ,[ε] PP[ε] ,[ε] NP[1] VP[2] .[3]) / (S NP[1] VP[2] .[3])",
        "(S ADVP[ε] (, ,) NP[1] VP[2]) / (S NP[1] VP[2])",
    ),
}
SCORES = ("precision", "recall", "relation F1", "rate", "F1")


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


Results = Mapping[str, Found]
"""What the jobs found, by their names."""


def settings(found: Results) -> Iterator[Setting]:
    """All that was tried, in the order of the jobs."""
    for job in grid_jobs():
        kind, place, *parameters = job.split(",")
        if place == DEV:
            for point in found[job]["points"]:
                yield Setting(
                    kind, tuple(map(float, parameters)), point["added"], point["coverage"], point["least"]
                )


def on_folds(setting: Setting, found: Results) -> dict[str, float]:
    """Relation F1 at gold length and at own length and the rate, averaged over the sentences of all folds."""
    held = [found[setting.job(str(fold))] for fold in range(SCORED)]
    sentences = [each["sentences"] for each in held]
    points = [setting.point(each) for each in held]

    def mean(length: str, score: str) -> float:
        return float(np.average([point[length][score] for point in points], weights=sentences))

    return {
        "gold": mean("gold", "relation F1"),
        "own": mean("own", "relation F1"),
        "rate": mean("own", "rate"),
    }


def chosen(found: Results) -> dict[str, Setting]:
    """The best of each kind by relation F1 at gold length on the folds: at own length, who keeps all is best."""
    best: dict[str, tuple[float, Setting]] = {}
    for setting in settings(found):
        score = on_folds(setting, found)["gold"]
        if setting.kind not in best or score > best[setting.kind][0]:
            best[setting.kind] = score, setting
    return {kind: setting for kind, (_, setting) in best.items()}


# -- the jobs ---------------------------------------------------------------------------------------


def learn(at: Workplace, *, job: str, sweeps: int, grid_sweeps: int) -> Found | None:
    """One system on one fold or on dev, in all its ways of predicting."""
    return work(Plan(at, sweeps, grid_sweeps), job)


def learn_chosen(at: Workplace, *, seed: int, sweeps: int, after: Results) -> Found | None:
    """A long chain with the α and β that the folds have chosen; nothing where they are the paper's."""
    parameters = chosen(after)["bayesian"].parameters
    if parameters == THEIR_PROCESS:
        return {"parameters": parameters, "points": []}
    found = work(Plan(at, sweeps), chain_jobs(parameters)[seed])
    return None if found is None else {"parameters": parameters, **found}


def keep_everything(at: Workplace) -> Found:
    """The scores of who deletes nothing."""
    plan = Plan(at)
    held = shown_and_held(plan, DEV)[1]
    return measured(scored(plan, Everything(), held, np.inf, gold=False))


def rules(at: Workplace, *, sweeps: int) -> Found | None:
    """The most probable compression rules of the first of the long chains."""
    plan = Plan(at, sweeps)
    system = untrained("chain", THEIR_PROCESS, sweeps=sweeps)
    state = at.state("bayesian", chain_jobs(THEIR_PROCESS)[0])
    counts = counts_of(system, plan, DEV, state, at.end)
    if counts is None:
        return None
    learnt = replace(system, added=1.0).taught(counts, material(plan, DEV).aligned).rules
    assert learnt is not None
    return {label: compression_table(learnt, (label, label)) for label in ("ROOT", "S")}


# -- the pages --------------------------------------------------------------------------------------


def pages(found: Results) -> Iterator[Page]:
    yield grid_page(found)
    yield systems_page(found)
    yield rules_page(found)


def grid_page(found: Results) -> Page:
    head = ("system", "α", "β", "δ", "covered", "least expected", "rules")
    rows: list[Row] = [
        (
            *head,
            *("relation F1, gold length, folds", "own length, folds", "rate, folds"),
            *("relation F1, gold length, dev", "own length, dev", "P", "R", "rate, dev"),
        )
    ]
    dots: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for setting in settings(found):
        held = on_folds(setting, found)
        dev = setting.point(found[setting.job(DEV)])
        own = dev["own"]
        cells = (*(held[name] for name in ("gold", "own", "rate")), dev["gold"]["relation F1"])
        cells = (*cells, *(own[name] for name in ("relation F1", "precision", "recall", "rate")))
        rows.append((*setting.described(), f"{dev['rules']:,}", *(f"{cell:.1f}" for cell in cells)))
        for score in ("relation F1", "precision", "recall"):
            kinds = dots.setdefault(score, {})
            kinds.setdefault(TITLES[setting.kind], []).append((own["rate"], own[score]))
    note = (
        "Learnt from four fifths of spoken train, documents whole, and scored on the fifth that is left, for three of "
        "the five; "
        f"then learnt from all of train and scored on dev. GS with {Plan.grid_sweeps} sweeps. Percent; the rate is "
        "at own "
        "length. The figures are the paper's Figure 3: a point for every row."
    )
    pictures = {
        f"figure-3-{score.split()[0]}.svg": scatter_plot(kinds, across="rate, %", up=f"{score}, %")
        for score, kinds in dots.items()
    }
    return Page("grid", "What was tried", note, [Table(rows)], pictures)


def rules_page(found: Results) -> Page:
    tables, pictures = [], {}
    for label, theirs in THEIR_RULES.items():
        ours = [_rule(line) for line in found["rules"][label].splitlines()]
        rows: list[Row] = [("rule", "probability", "place in theirs")]
        rows += [
            (f"`{rule}`", probability, *published(theirs.index(rule) + 1 if rule in theirs else ""))
            for rule, probability in ours
        ]
        rows += [(f"*`{rule}`*", "", *published(place)) for place, rule in enumerate(theirs, start=1)]
        tables.append(Table(rows, f"{label} / {label}"))
        bars = [(rule, float(probability), False) for rule, probability in ours]
        pictures[f"rules-{label}.svg"] = bar_plot(bars, across=f"probability of rules of {label} / {label}")
    note = (
        "The most probable rules that delete, of the first long chain with the paper's α and β; then theirs, in "
        "italics, which have no numbers but an order."
    )
    return Page("rules", "Their Tables 3 and 4", note, tables, pictures)


def _rule(line: str) -> tuple[str, str]:
    """A rule and its probability, of a line of the table that the grammar prints."""
    probability, rule = line.split(maxsplit=1)
    return " / ".join(side.strip() for side in rule.split("  / ")), probability


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


def table_rows(found: Results) -> Iterator[TableRow]:
    """GS with the paper's α and β and with those that the folds have chosen, then EM, VB and the SVM."""
    best = chosen(found)
    gibbs = best["bayesian"]
    theirs = [Setting("bayesian", THEIR_PROCESS, 1.0, coverage) for coverage in ("training", "unseen")]
    for setting in dict.fromkeys((*theirs, gibbs)):
        jobs = chain_jobs(setting.parameters)
        if setting.parameters != THEIR_PROCESS:
            jobs = [f"chosen,{seed}" for seed in SEEDS]
        points = [setting.point(found[job]) for job in jobs]
        yield TableRow(f"{setting}, mean of {len(SEEDS)} seeds", tuple(points))
    others = (
        *(Setting("em", THEIR_EM, 0.01, "training", 0.0), best["em"]),
        *(Setting("variational", THEIR_PROCESS, 1.0, "training"), best["variational"]),
    )
    for setting in dict.fromkeys(others):
        yield TableRow(str(setting), (setting.point(found[setting.job(DEV)]),))
    for row in THEIR_SVM:
        yield TableRow(f"SVM, {row}", tuple(found[f"svm,{row}"]["points"]))


def systems_page(found: Results) -> Page:
    scores = ("P", "R", "relation F1", "rate", "F1", "relation F1, gold length", "F1, gold length")
    rows: list[Row] = [("system", "rules", *scores, "sd of relation F1", "sd, gold length")]
    lines = list(table_rows(found))
    rows += [row.cells() for row in lines]
    [sampled] = [point for point in found[chain_jobs(THEIR_PROCESS)[0]]["points"] if "tree" in point]
    for title, alone in (
        (f"the first chain, most probable tree of {SAMPLES} samples", sampled["tree"]),
        ("everything", found["everything"]),
    ):
        rows.append((title, "", *(f"{alone[score]:.1f}" for score in SCORES), *[""] * 4))
    rows += [(f"their {name}, test", "", *published(*cells), *[""] * 5) for name, *cells in THEIRS]
    note = (
        f"Spoken dev, learnt from the first reference of train; GS by {Plan.sweeps:,} sweeps. Percent, relations "
        "by the "
        "embedded parser."
    )
    return Page("systems", "Table 1", note, [Table(rows), significance(lines)], plotted="relation F1")


def significance(found: Sequence[TableRow]) -> Table:
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
        "Paired over the sentences of dev, values of a sentence averaged over references and seeds; 10,000 "
        "samples. Not "
        "corrected for the number of comparisons."
    )
    return Table(rows, "Differences", note)


# -- the experiment ---------------------------------------------------------------------------------

READS = ("spoken.train", "spoken.dev", "spoken.trees")


def _jobs() -> Iterator[Job]:
    sweeps = {"sweeps": Plan.sweeps, "grid_sweeps": Plan.grid_sweeps}
    # The long ones come first.
    grid = tuple(grid_jobs())
    for name in (*(f"svm,{row}" for row in THEIR_SVM), *chain_jobs(THEIR_PROCESS), *grid):
        uses = ("parser", "news-trigram") if name.startswith("svm") else ("parser",)
        yield Job(name, learn, {"job": name, **sweeps}, reads=READS, uses=uses)
    yield Job("everything", keep_everything, reads=READS, uses=("parser",))
    yield Job("rules", rules, {"sweeps": Plan.sweeps}, reads=READS)
    for seed in SEEDS:
        options = {"seed": seed, "sweeps": Plan.sweeps}
        yield Job(f"chosen,{seed}", learn_chosen, options, reads=READS, uses=("parser",), after=grid)


EXPERIMENTS = (
    Experiment(
        "bayesian/induction",
        "Yamangil & Shieber 2010, Table 1 with significance, Figure 3, Tables 3 and 4",
        360,
        tuple(_jobs()),
        pages,
    ),
)
