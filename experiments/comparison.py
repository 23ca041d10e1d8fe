"""Every system side by side on dev: at its own length, at one common rate and at the length of each reference.

Pairs are Google's whose target was found in the source, cut by our tokeniser ("news"), broadcasts (all three
annotators, averaged) and print; references that keep no word (seven of print, a full stop alone) are left out. The
default speaks the register of the corpus; the other systems are the shipped models, with the trees of the embedded
parser. The common rate is about that of the references. Relations are labelled and those of the embedded parser, of
the output and of the reference as sentences of their own; readers are estimated, by a judge learnt from blind
readings of language models, not people.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._field import FIELD
from experiments._pages import Page, Row, Table, in_percent, write_text
from experiments._plot import curve_plot
from experiments._references import without_wordless
from experiments._sources import model_checksum

from laconic.annotate import Annotator, load_annotator
from laconic.budget import Budget
from laconic.corpora.pair import Pair
from laconic.corpora.registry import open_pairs
from laconic.errors import LaconicError
from laconic.metrics.comparison import Difference, compare
from laconic.metrics.evaluation import STANDARD, Compressor, evaluate
from laconic.metrics.readers import EstimatedReaders
from laconic.metrics.report import Report
from laconic.metrics.rouge import rouge_metrics
from laconic.metrics.significance import confidence_interval
from laconic.rating.significance import holm
from laconic.sentence import Sentence
from laconic.systems.registry import SYSTEMS, open_system
from laconic.text.tokenise import tokenise

CORPORA = {"news": "google.dev", "spoken": "spoken.dev", "written": "written.dev"}
RATES = {"news": 0.45, "spoken": 0.8, "written": 0.7}
CONDITIONS = ("own length", "common rate", "gold length")
COUNTED = {"everything": ("own length",)}
"""Who keeps everything has no other length."""

PARTS = {
    "default": ("annotator", "ties", "dependency-grammar", "reader", "judgement"),
    "joint-lm": ("joint-lm", "transducer", "ngram", "news-trigram"),
    "joint-discriminative": ("joint-discriminative", "transducer", "discriminative", "news-trigram"),
    "ilp": ("ilp", "ngram", "news-trigram"),
    "ngram": ("ngram", "news-trigram"),
    "transducer": ("transducer", "news-trigram"),
    "truncate": (),
    "everything": (),
}
"""The models that a system is made of, where there is not just the one of its name."""

FRONTIER = (0.4, 0.55, 0.7, 0.85)
MOST_OF_FRONTIER = 50  # sentences of a corpus
TIMED = 100  # sentences


def pairs_of(at: Workplace, corpus: str) -> list[Pair]:
    """The pairs of a corpus, as they come."""
    name = CORPORA[corpus]
    pairs = open_pairs(name, at.data, tokenise=tokenise if corpus == "news" else None, only_aligned=True)
    return without_wordless(pair for pair in pairs if all(pair.kept))


def parsed_pairs(at: Workplace, corpus: str) -> list[Pair]:
    """The pairs of a corpus, with the trees of their sources."""
    pairs = pairs_of(at, corpus)
    sources = annotator().annotate((pair.source for pair in pairs), cache=at.annotations)
    return [replace(pair, source=source) for pair, source in zip(pairs, sources, strict=True)]


@cache
def annotator() -> Annotator:
    return load_annotator(threads=1)


def opened(system: str, corpus: str) -> Compressor:
    if system == "default":
        from laconic.systems.default.compressor import Compressor as Default

        return Default(register=corpus, annotator=annotator(), threads=1)
    return open_system(system)


@cache
def readers() -> EstimatedReaders:
    from laconic.systems.default.judgement import Judge

    judge = Judge.shipped()
    return EstimatedReaders(judge.probability, judge.signature)


def evaluated(at: Workplace, corpus: str, condition: str, system: str) -> Report:
    """All metrics of every sentence, kept beside the annotations: as results they would be megabytes."""

    def parse(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        return annotator().annotate(sentences, cache=at.annotations)

    rate = rate_of(corpus, condition)
    report = evaluate(
        opened(system, corpus),
        parsed_pairs(at, corpus),
        budget=None if rate is None else Budget.exactly(ratio=rate, unit="pieces"),
        gold_length=condition == "gold length",
        metrics=(*STANDARD, *rouge_metrics(), readers()),
        parser=parse,
        progress=at.check_time,
        name=system,
    )
    write_text(_kept_report(at, corpus, condition, system), report.to_json())
    return report


def _kept_report(at: Workplace, corpus: str, condition: str, system: str) -> Path:
    return at.kept / "reports" / f"{corpus}, {condition}, {system}.json"


def rate_of(corpus: str, condition: str) -> float | None:
    """What share of the words every system is held to."""
    return RATES[corpus] if condition == "common rate" else None


def measure(at: Workplace, *, corpus: str, system: str, condition: str, rate: float | None) -> Found:
    """All scores of a system under one condition."""
    assert rate == rate_of(corpus, condition)
    began = time.perf_counter()
    report = evaluated(at, corpus, condition, system)
    spent = time.perf_counter() - began
    return {
        "sentences": len(report.ids),
        "parser": model_checksum("parser"),
        "refused": report.refused,
        "seconds": round(spent, 1),
        "scores": scores_of(report),
        "precision": {score.metric: _rounded(score.precision) for score in report.scores if score.precision},
        "recall": {score.metric: _rounded(score.recall) for score in report.scores if score.recall},
        "intervals": {
            score.metric: _interval(report, score.metric) for score in report.scores if score.count
        },
    }


def scores_of(report: Report) -> dict[str, float | None]:
    """The means over sentences."""
    return {score.metric: _rounded(score.macro) for score in report.scores}


def fair_scores(job: Found | None) -> Mapping[str, float | None]:
    """The means of what was measured; none where requests were refused, as those that can be met would flatter."""
    return {} if job is None or job["refused"] else job["scores"]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


def _interval(report: Report, metric: str) -> tuple[float, float]:
    low, high = confidence_interval(report[metric].values, generator=np.random.default_rng(0))
    return round(low, 5), round(high, 5)


def differences(at: Workplace, *, against: str, after: Mapping[str, Found]) -> Found:
    """What other systems have more or less than one of them in every metric, and how likely chance has as much."""
    named = {name.rpartition(", ")[2]: name for name in after}
    if against not in named:
        return {}
    # Scores by different parsers are different scores.
    parser = after[named[against]]["parser"]
    compared = {name: of for name, of in named.items() if name != against and after[of]["parser"] == parser}
    reference = report_of(at, named[against], after)
    found = {}
    for system, name in compared.items():
        tested = compare(report_of(at, name, after), reference).differences
        found[system] = {item.metric: _tested(item) for item in tested}
    return found


def report_of(at: Workplace, name: str, found: Mapping[str, Found]) -> Report:
    """The values of each sentence behind what a job found; what was not kept here is measured again."""
    corpus, condition, system = name.split(", ")
    path = _kept_report(at, corpus, condition, system)
    report = Report.from_json(path.read_text(encoding="utf-8"), source=str(path)) if path.exists() else None
    if report is None or scores_of(report) != found[name]["scores"]:
        report = evaluated(at, corpus, condition, system)
    if scores_of(report) != found[name]["scores"]:
        raise LaconicError(
            f"{name}: measured again, its scores are not those stored; `python -m experiments comparison/systems "
            f"--only '{name}' --anew` stores the new ones, with --other-code alone all that other code measured"
        )
    return report


def _tested(item: Difference) -> dict[str, float]:
    return {
        "difference": round(item.difference, 5),
        "low": round(item.low, 5),
        "high": round(item.high, 5),
        "p": round(item.bootstrap_p, 5),
        "wilcoxon": float(f"{item.wilcoxon_p:.3g}"),
        "n": item.count,
    }


def follow(at: Workplace, *, corpus: str, system: str, rates: Sequence[float], most: int) -> Found:
    """Rate, F1 and relation F1 of a system at several rates, on some sentences."""
    pairs = parsed_pairs(at, corpus)
    some = pairs[:: -(-len(pairs) // most)]
    answering = opened(system, corpus)
    points = []
    for rate in rates:
        report = evaluate(
            answering,
            some,
            budget=Budget.exactly(ratio=rate, unit="pieces"),
            parser=lambda sentences: annotator().annotate(sentences, cache=at.annotations),
            progress=at.check_time,
        )
        scores = {name: report[name].score.macro for name in ("word_rate", "positional_f1", "relation_f1")}
        point = {name: _rounded(value) for name, value in scores.items()}
        points.append({"asked": rate, "refused": report.refused, **point})
    return {"sentences": len(some), "points": points}


def speed(at: Workplace, *, corpus: str, system: str, most: int) -> Found:
    """Sentences a second on one thread, from words to text, parsing included."""
    pairs = pairs_of(at, corpus)[:most]
    answering = opened(system, corpus)
    answering.compress(pairs[0].source)  # loading models and kernels is not compressing
    began = time.perf_counter()
    for pair in pairs:
        answering.compress(pair.source)
    return {"sentences a second": round(len(pairs) / (time.perf_counter() - began), 1)}


# -- the jobs ---------------------------------------------------------------------------------------


def _uses(system: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*PARTS.get(system, (system,)), "parser", "judgement")))


def _measured() -> Iterator[Job]:
    # The default comes last: the others' results outlive its models.
    others = [name for name in SYSTEMS if name != "default"]
    for system in (*others, "default"):
        for corpus in CORPORA:
            for condition in COUNTED.get(system, CONDITIONS):
                rate = rate_of(corpus, condition)
                yield Job(
                    f"{corpus}, {condition}, {system}",
                    measure,
                    {"corpus": corpus, "system": system, "condition": condition, "rate": rate},
                    reads=(CORPORA[corpus],),
                    uses=_uses(system),
                )


def _differences(measured: Sequence[Job]) -> Iterator[Job]:
    for corpus in CORPORA:
        for condition in CONDITIONS:
            after = tuple(job.name for job in measured if job.name.startswith(f"{corpus}, {condition}, "))
            yield Job(f"{corpus}, {condition}: differences", differences, {"against": "default"}, after=after)


def _followed() -> Iterator[Job]:
    for system in SYSTEMS:
        for corpus in CORPORA:
            if system not in COUNTED:
                options = {"corpus": corpus, "system": system, "rates": FRONTIER, "most": MOST_OF_FRONTIER}
                yield Job(
                    f"{corpus}, {system}", follow, options, reads=(CORPORA[corpus],), uses=_uses(system)
                )


def _timed() -> Iterator[Job]:
    for system in SYSTEMS:
        for corpus in CORPORA:
            options = {"corpus": corpus, "system": system, "most": TIMED}
            yield Job(f"{corpus}, {system}", speed, options, reads=(CORPORA[corpus],), uses=_uses(system))


# -- the pages --------------------------------------------------------------------------------------

HEAD = (
    *("system", "F1", "95 %", "P", "R", "exact", "relation F1", "95 %", "P", "R", "rate"),
    *("readers", "refused", "relation F1 against the default", "95 %", "p"),
)
LESS_THAN = 0.01
"""The level of significance, after Holm's correction for the comparisons of a table."""


def systems_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    for corpus in CORPORA:
        tables = []
        for condition in CONDITIONS:
            rows = [HEAD, *_rows(found, corpus, condition)]
            if len(rows) == 1:
                continue
            tables.append(Table(rows, titled(corpus, condition), untested(found, corpus, condition)))
        if not tables:
            continue
        count = next(
            job["sentences"]
            for name, job in found.items()
            if name.startswith(f"{corpus}, ") and "sentences" in job
        )
        head: Row = ("system", "sentences", "measure", "score", "what it is")
        tables.append(
            Table(
                [head, *FIELD[corpus]],
                "The field",
                "Numbers of others but where it is said. None is known to be of these very sentences; levels cannot "
                "be compared across measures and sentences.",
            )
        )
        yield Page(
            corpus,
            f"All systems on {corpus}",
            f"Dev, {count} sentences; percent, means over sentences with bootstrap intervals. P and R are "
            "precision and "
            "recall of the F1 before them. Readers: the estimated share that readers find good in grammar and meaning; "
            "the judge knows what the default knows, and is kind to it. "
            "Refused: requests whose exact length a system cannot make; they are left out of its means, which flatters "
            "it. The difference is paired over the sentences both answered, by 10,000 bootstrap samples; an asterisk: "
            f"p < {LESS_THAN} after Holm's correction within the table. A dagger: measured with the trees of "
            "another parser than the default, so that relations are not compared. Every system's relation F1 at "
            f"{len(FRONTIER)} rates: "
            f"[frontier](frontier-{corpus}.md). [All metrics](metrics-{corpus}.md).",
            tables,
            plotted="relation F1",
        )
        yield metrics_page(found, corpus)


def _rows(found: Mapping[str, Found], corpus: str, condition: str) -> Iterator[Row]:
    tested = found.get(f"{corpus}, {condition}: differences", {})
    starred = significant(tested, "relation_f1")
    for system in ("default", *(name for name in SYSTEMS if name != "default")):
        job = found.get(f"{corpus}, {condition}, {system}")
        if job is None:
            continue
        scores, precision, recall = (job[kind] for kind in ("scores", "precision", "recall"))
        judged = found.get(f"{corpus}, {condition}, default", job)["parser"] == job["parser"]
        cells: list[str] = [f"`{system}`" if judged else f"`{system}` †"]
        for metric in ("positional_f1", "relation_f1"):
            low, high = job["intervals"][metric]
            cells += [in_percent(scores[metric]), f"{in_percent(low)} to {in_percent(high)}"]
            cells += [in_percent(precision.get(metric)), in_percent(recall.get(metric))]
            if metric == "positional_f1":
                cells.append(in_percent(scores["exact_match"]))
        cells += [in_percent(scores["word_rate"]), in_percent(scores["readers"]), str(job["refused"] or "")]
        if system in tested:
            of = tested[system]["relation_f1"]
            star = "\\*" if system in starred else ""
            cells += [
                f"{100 * of['difference']:+.1f}{star}",
                f"{100 * of['low']:+.1f} to {100 * of['high']:+.1f}",
                f"{of['p']:.4f}",
            ]
        else:
            cells += [""] * 3
        yield tuple(cells)


LISTED = (
    *("length", "system", "metric", "score", "low", "high"),
    *("difference from the default", "its low", "its high", "p", "p by Wilcoxon", "sentences compared"),
)


def metrics_page(found: Mapping[str, Found], corpus: str) -> Page:
    """Every metric with its interval, and whether it differs from the default's."""
    tables, listed = [], [LISTED]
    for condition in CONDITIONS:
        tested = found.get(f"{corpus}, {condition}: differences", {})
        jobs = {
            system: found[name] for system in SYSTEMS if (name := f"{corpus}, {condition}, {system}") in found
        }
        metrics = list(next(iter(jobs.values()), {"scores": ()})["scores"])
        heads = ((name.replace("_", " "), "95 %") for name in metrics)
        rows: list[Row] = [("system", *chain.from_iterable(heads))]
        starred = {metric: significant(tested, metric) for metric in metrics}
        for system, job in jobs.items():
            cells = [f"`{system}`"]
            for metric in metrics:
                star = "\\*" if system in starred[metric] else ""
                cells.append(f"{in_percent(job['scores'][metric])}{star}")
                low, high = job["intervals"].get(metric, (None, None))
                cells.append("" if low is None else f"{in_percent(low)} to {in_percent(high)}")
                numbers = (job["scores"][metric], low, high, *_test(tested.get(system, {}), metric))
                listed.append((condition, system, metric, *map(_plain, numbers)))
            rows.append(tuple(cells))
        if jobs:
            tables.append(Table(rows, titled(corpus, condition), untested(found, corpus, condition)))
    note = (
        f"Percent, means over sentences, with bootstrap intervals. An asterisk: different from the default, p < "
        f"{LESS_THAN} after Holm's correction within a column, paired as on the page of [{corpus}]({corpus}.md). Every "
        "system but the default is tested in every metric, over the sentences where both have a value; where no "
        f"sentence has one, cells are empty. The differences, their intervals and p (before the correction, by "
        f"bootstrap and by Wilcoxon's test): [metrics-{corpus}.csv](metrics-{corpus}.csv)."
    )
    title = f"All metrics on {corpus}"
    return Page(f"metrics-{corpus}", title, note, tables, plotted="string accuracy", listed=listed)


def _test(tested: Mapping[str, Any], metric: str) -> tuple[float | None, ...]:
    of = tested.get(metric, {})
    return tuple(of.get(name) for name in ("difference", "low", "high", "p", "wilcoxon", "n"))


def _plain(number: float | None) -> str:
    return "" if number is None else f"{number:g}"


def untested(found: Mapping[str, Found], corpus: str, condition: str) -> str:
    """What is said of a table whose differences are not, or no more, those of its scores."""
    if f"{corpus}, {condition}: differences" in found:
        return ""
    return "The differences of these scores are not tested yet: `python -m experiments comparison/systems` does it."


def titled(corpus: str, condition: str) -> str:
    """What a table of a condition is called."""
    return f"At {100 * RATES[corpus]:.0f} % of the words" if condition == "common rate" else f"At {condition}"


def significant(tested: Mapping[str, Found], metric: str) -> set[str]:
    """The systems whose difference from the default is hardly chance."""
    compared = {system: of[metric]["p"] for system, of in tested.items() if metric in of}
    corrected = holm(list(compared.values()))
    return {system for system, p in zip(compared, corrected, strict=True) if p < LESS_THAN}


def frontier_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    for corpus in CORPORA:
        of = {name.partition(", ")[2]: job for name, job in found.items() if name.startswith(f"{corpus}, ")}
        rows: list[Row] = [("system", *(f"{100 * rate:.0f} %" for rate in FRONTIER))]
        curves: dict[str, list[tuple[float, float]]] = {}
        for system, job in of.items():
            cells = []
            for point in job["points"]:
                refused = f" ({point['refused']} refused)" if point["refused"] else ""
                cells.append(f"{in_percent(point['relation_f1'])}{refused}")
            rows.append((f"`{system}`", *cells))
            curves[system] = [
                (100 * point["word_rate"], 100 * point["relation_f1"])
                for point in job["points"]
                if point["relation_f1"] is not None
            ]
        if not of:
            continue
        count = next(iter(of.values()))["sentences"]
        curves = dict(sorted(curves.items(), key=lambda item: -np.mean([y for _, y in item[1]])))
        yield Page(
            f"frontier-{corpus}",
            f"Rate against relation F1 on {corpus}",
            f"Every system held to exactly so much of the words: {count} sentences of dev, from all over it. "
            "Relation F1 in percent, averaged over references and sentences. Requests that a system refused are "
            "counted in brackets and left out of its means, in the plot, too, which flatters it; where it refused all, "
            "the plot has no point.",
            [Table(rows)],
            {
                f"frontier-{corpus}.svg": curve_plot(
                    curves, across="rate, %", up=f"relation F1 on {corpus}, %"
                )
            },
        )


def speed_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    rows: list[Row] = [("system", *CORPORA)]
    for system in SYSTEMS:
        cells = [found.get(f"{corpus}, {system}", {}).get("sentences a second") for corpus in CORPORA]
        rows.append((f"`{system}`", *("" if cell is None else f"{cell:.0f}" for cell in cells)))
    note = f"Sentences a second on one thread, from words to text, parsing included; {TIMED} sentences of dev, warm."
    yield Page("speed", "Speed of all systems", note, [Table(rows)], plotted="spoken")


_MEASURED = tuple(_measured())
EXPERIMENTS = (
    Experiment(
        "comparison/systems",
        "every system at its own length, at a common rate and at gold length, beside the field",
        60,
        (*_MEASURED, *_differences(_MEASURED)),
        systems_pages,
        whole=False,
    ),
    Experiment(
        "comparison/frontier",
        "rate against relation F1 for all systems",
        60,
        tuple(_followed()),
        frontier_pages,
        whole=False,
    ),
    Experiment("comparison/speed", "sentences a second of all systems", 5, tuple(_timed()), speed_pages),
)
