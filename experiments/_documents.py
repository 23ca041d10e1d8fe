"""Documents that quote results: what they quote stands between marks and is made, never typed.

    <!-- made from the results: systems -->
    …
    <!-- end -->

`python -m experiments pages` makes it again; a test holds that nothing is out of date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType

from experiments._catalogue import experiments
from experiments._environments import environments
from experiments._pages import Row, Table, in_percent
from experiments._plot import log_log_plot
from experiments._runner import RESULTS, Store, lasting

from experiments import _learnt, annotator, comparison, default, machines, prompts, readings
from laconic.errors import LaconicError
from laconic.systems.registry import SYSTEMS

ROOT = Path(__file__).parent.parent
_PART = re.compile(r"(<!-- made from the results: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def documents(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """The documents that quote results, with what they should say."""
    results = root / "experiments" / "results"
    for path in (root / "README.md", root / "training" / "README.md", *sorted((root / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        if _PART.search(text):
            yield path, filled(text, results, str(path))
    yield results / "README.md", index(results)
    yield results / "readings" / "README.md", readings.readme(results / "readings")
    yield results / "dependency" / "growth.svg", growth(results)


def filled(text: str, results: Path, source: str) -> str:
    """A document with its parts made anew."""

    def part(match: re.Match[str]) -> str:
        if match[2] not in PARTS:
            raise LaconicError(f"{source}: no part {match[2]!r} is made; there are {', '.join(PARTS)}")
        return match[1] + "\n".join(["", *PARTS[match[2]](results), "", match[3]])

    return _PART.sub(part, text)


def systems(results: Path) -> Iterator[str]:
    """The table of all systems: own length, gold length, and speed."""
    measured, _, timed = (Store(each, results) for each in comparison.EXPERIMENTS)
    found, speeds = measured.found(), dict(_speeds(timed))
    head = (
        "system",
        "corpus",
        "F1",
        "exact",
        "rate",
        "F1 at gold length",
        "exact",
        "relation F1",
        "sentences/s",
    )
    rows: list[Row] = [head]
    for corpus in comparison.CORPORA:
        for system in SYSTEMS:
            own = found.get(f"{corpus}, own length, {system}")
            if own is None:
                continue
            gold = comparison.fair_scores(found.get(f"{corpus}, gold length, {system}"))
            cells = [
                in_percent(own["scores"][name]) for name in ("positional_f1", "exact_match", "word_rate")
            ]
            metrics = ("positional_f1", "exact_match", "relation_f1")
            cells += [in_percent(gold.get(name)) for name in metrics]
            rows.append((f"`{system}`", corpus, *cells, speeds.get((corpus, system), "")))
    yield from Table(rows).markdown()


def _speeds(store: Store) -> Iterator[tuple[tuple[str, str], str]]:
    for page in store.pages():
        head, *rows = page.tables[0].rows
        for system, *cells in rows:
            for corpus, cell in zip(head[1:], cells, strict=True):
                yield (corpus, system.strip("`")), cell


def parser(results: Path) -> Iterator[str]:
    """What the embedded parser scores."""
    [page] = Store(annotator.EXPERIMENTS[0], results).pages()
    scores: Mapping[str, str] = dict(page.tables[0].rows[1:])  # type: ignore[arg-type]
    yield (
        f"The embedded parser on dev: {scores['WSJ constituency F1']} constituency F1 on the last tenth of the WSJ "
        "sample "
        f"and {scores['GUM constituency F1']} on GUM, {scores['GUM UAS']} / {scores['GUM LAS']}\nunlabelled and "
        "labelled "
        f"attachment on GUM, {scores['GUM tags']} % of its tags (`python -m experiments annotator`)."
    )


def table_of(module: ModuleType, place: int, results: Path) -> Iterator[str]:
    """The table of an experiment as it stands on its page."""
    [page] = Store(module.EXPERIMENTS[place], results).pages()
    yield from replace(page.tables[0], title="", note=page.note).markdown()


def rates(results: Path) -> Iterator[str]:
    """What the default leaves of the words without a limit."""
    found = Store(default.EXPERIMENTS[1], results).found()
    rows: list[Row] = [("texts", "without a name", "like their own")]
    for corpus, name in default.LIKE.items():
        shares = (found[f"{corpus}, {one}"]["own"]["word_rate"] for one in ("no register", "default"))
        rows.append((name, *(f"{in_percent(share, 0)} %" for share in shares)))
    yield from Table(rows).markdown()


READINGS = {
    "general-register": "Before and after it learnt from general prose:",
    "more-compressions": (
        "After that, and after it learnt from twice as many compressions and from teachers; other sentences:"
    ),
    "read-whole-variants": (
        "After that, and with whole answers read before one is chosen, in a first form that also chose at exact "
        "lengths; other sentences:"
    ),
    "read-whole": "The same at upper limits alone, with four others read; other sentences:",
    "read-whole-shipped": (
        "The same with three others read and none taken that tears what people seldom tear; the sentences of "
        "both, nearly all answers that differ read once more:"
    ),
    "shorter-answers": "After that, and with shorter answers read, too; two sets of 84 a row:",
    "first-and-now": "The same two sets: the default before all of this, with hand-made ties, and after it:",
    "whole-lists/before": (
        "After that, and with a reader that learnt from whole lists; the same two sets, and at 80 % and at 75 "
        "characters a third, of sentences nobody had read:"
    ),
    "whole-lists/old": "The same three sets: with hand-made ties, and with that reader:",
    "four-sets": "These three sets, read again, and at 80 % a fourth: with hand-made ties, and after that:",
    "all-limits": "Sentences drawn anew at all limits: with hand-made ties, and now:",
    "two-limits": "At two of them more sentences that nobody had read there:",
}
"""The readings of the default as it changed, the latest last; behind a stroke, which of its systems was before."""
CHANGES = {
    "protections": (
        "What more protections changed, before the last of these readings: all answers that differ, to the "
        "development sentences of 15 to 45 words:"
    ),
}
"""Readings of answers that a change of the default changed: their shares are not those of all answers."""
_FEWEST = 20
"""Answers of a row that is shown."""
ROWS = (
    "natural length",
    "natural length, Google",
    "at most 60% of the words",
    "at most 80% of the words",
    "at most 75 characters",
    "exactly half of the words",
)


def read_shares(reading: str, results: Path) -> Iterator[tuple[str, str, str, str]]:
    """Of each limit that was read at: the share of good answers before and after, and how often which was better."""
    name, _, older = reading.partition("/")
    older = older or "old"
    _, read = readings.kept_reading(name, results / "readings")
    read = [rating for rating in read if rating.system in (older, "new")]
    # What is read in passing is left to the page of all readings.
    shares = [row for row in readings.shares(read) if int(row[2]) >= _FEWEST]
    good = {row[:2]: row[3].replace("%", " %") for row in shares}
    for limit in (row for row in ROWS if (row, "new") in good):
        [contest] = [line for line in readings.contests(read) if line.startswith(f"{limit}: ")]
        better, worse, equal = re.findall(r"\d+", contest.rpartition("against")[2])
        if contest.startswith(f"{limit}: {older} against"):
            better, worse = worse, better
        yield limit.replace("%", " %"), good[limit, older], good[limit, "new"], f"{better}, {worse}, {equal}"


def readings_table(results: Path) -> Iterator[str]:
    """What readers made of the default as it changed."""
    head = ("", "before", "after", "better, worse, equal where they differ")
    for number, (reading, what) in enumerate((READINGS | CHANGES).items()):
        if number:
            yield ""
        yield from Table([head, *read_shares(reading, results)], note=what).markdown()


def readers(results: Path) -> Iterator[str]:
    """What readers made of the default, in a sentence."""
    every = [{row[0]: row[1:3] for row in read_shares(reading, results)} for reading in READINGS]
    first, latest = every[0], {limit: shares for reading in every for limit, shares in reading.items()}
    (before, _), (news_before, _) = first["natural length"], first["natural length, Google"]
    (_, now), (_, news) = latest["natural length"], latest["natural length, Google"]
    eighty, sixty = (
        " and ".join([reading[limit][1] for reading in every if limit in reading][-2:])
        for limit in ("at most 80 % of the words", "at most 60 % of the words")
    )
    yield (
        "References are noisy, so readers judge the default, too: language models, not people, who did not know "
        "which version "
        f"wrote\nwhat. Of general prose without a limit they found {now} of its answers good in grammar and "
        f"meaning, of Google's news\n{news}; before it learnt from such prose, {before} and {news_before}. Cut to at "
        f"most 80 % of the words, {eighty} were\nin the last two readings, to at most 60 %, {sixty}\n"
        "([all rows](docs/the-default.md#what-readers-make-of-it))."
    )


_SHARE = re.compile(r"^(natural length|exactly .*?|at most .*?)  +[\d.]+ +(\d+)%$", re.MULTILINE)
_KIND = re.compile(r"^(\S.*?)  +([\d.]+) +[\d.]+ +\d+$", re.MULTILINE)
_WORKERS = (1, 2, 16, 100, 1000)


def measured(benchmark: str, results: Path) -> str:
    """What a benchmark printed when it was last kept."""
    return (results / "speed" / f"{benchmark}.txt").read_text(encoding="utf-8")


def costs(results: Path) -> Iterator[str]:
    """What the default takes beside the network alone."""
    shares = {what: f"{share} %" for what, share in _SHARE.findall(measured("default", results))}
    yield from Table([tuple(shares), tuple(shares.values())]).markdown()


def kinds_of_requests(results: Path) -> Iterator[str]:
    """What kinds of requests cost."""
    rows: list[Row] = [("kind of request", "ms a sentence", "core hours a million", "core hours a billion")]
    for kind, cost in _KIND.findall(measured("scale", results)):
        hours = float(cost) / 3.6
        rows.append((kind, cost, f"{hours:.1f}", f"{1000 * hours:,.0f}"))
    yield from Table(rows).markdown()


def workers(results: Path) -> Iterator[str]:
    """How many rows so many workers do, if each takes as long as one that was measured."""
    cost = float(dict(_KIND.findall(measured("scale", results)))["at most 10 words"])
    rows: list[Row] = [("workers", f"rows a second at {cost} ms", "hours a million", "days a billion")]
    for count in _WORKERS:
        second = 1000 * count / cost
        rows.append(
            (f"{count:,}", f"{second:,.0f}", _short(1e6 / second / 3600), _short(1e9 / second / 86400))
        )
    yield from Table(rows).markdown()


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def rows_in_files(results: Path) -> Iterator[str]:
    """What files and workers were measured to take."""
    lines = measured("scale", results).splitlines()
    begin = next(place for place, line in enumerate(lines) if line.startswith("compress_all "))
    measures = (line for line in lines[begin:] if not line.endswith("not installed"))
    yield from ("```text", *measures, "```")


def film(results: Path) -> Iterator[str]:
    """What the subtitles of a film take."""
    text = measured("subtitles", results)
    cues, fast = re.search(r"^(\d+) cues, (\d+) above", text, re.MULTILINE).groups()  # type: ignore[union-attr]
    [seconds] = re.findall(r"^fitted in ([\d.]+) s", text, re.MULTILINE)
    [(read, share)] = re.findall(r"^the encoder alone, (\d+) sentences: .* (\d+)% of", text, re.MULTILINE)
    yield from (
        "Only cues above their limits cost anything. `python -m benchmarks subtitles` makes a film of "
        f"{int(cues):,} cues",
        f"from long sentences of broadcasts, of which {fast} are too fast",
        f"([as measured](../experiments/results/speed/subtitles.txt)). They took {seconds} s on two cores; the encoder",
        f"alone, which reads each of their {read} sentences once, takes {share} % of that.",
    )


def growth(results: Path) -> str:
    """A drawing of how the times of compressive parsing grow with length."""
    table = (
        measured("compressive", results).partition("milliseconds by number of words")[2].partition("\n\n")[0]
    )
    _, head, *lines = table.splitlines()
    curves = {}
    for line in lines:
        name, *times, exponent = re.split(r"  +", line)
        curves[f"{name}: n^{exponent}"] = [float(time) for time in times]
    lengths = [int(words) for words in head.split()[:-1]]
    return log_log_plot(lengths, curves, across="words", up="milliseconds")


def instructions(results: Path) -> Iterator[str]:
    """What the network takes without newer instructions."""
    text = measured("annotator", results)
    rows: list[Row] = [("instructions", "time of the network"), ("AVX-512 with VNNI", "1")]
    for name, title in (("no VNNI", "AVX-512 without VNNI"), ("AVX2 alone", "AVX2 alone")):
        [line] = re.findall(rf"^{name}: (.*) x this CPU's time", text, re.MULTILINE)
        times = sorted(re.findall(r"([\d.]+) at", line))
        rows.append((title, f"{times[0]} to {times[-1]}"))
    [cpu] = re.findall(r"^# (.+), \d+ cores, load", text, re.MULTILINE)
    [runtime] = re.findall(r"^# .*onnxruntime ([\d.]+)", text, re.MULTILINE)
    yield from Table(rows, note=f"{cpu}, onnxruntime {runtime}:").markdown()


def differing(elsewhere: str, results: Path) -> dict[str, tuple[str, str]]:
    """How many of how many sentences have other scores and other answers elsewhere."""
    text = (results / "machines" / f"{elsewhere}.txt").read_text(encoding="utf-8")
    found = re.findall(r"^(scores|answers): (\d+) of (\d+) sentences differ", text, re.MULTILINE)
    return {what: ("none" if number == "0" else number, f"{int(count):,}") for what, number, count in found}


def same_answers(results: Path) -> Iterator[str]:
    """How many sentences have another answer elsewhere."""
    (older, count), (lowest, again) = (differing(name, results)["answers"] for name in ("avx2", "lowest"))
    assert count == again
    yield from (
        f"Of {count} dev sentences, each asked of the default in {2 * len(machines.BUDGETS)} ways, {older} "
        "have another answer with [AVX2 alone](experiments/results/machines/avx2.txt)",
        f"than with VNNI, and {lowest} with [the lowest allowed libraries](experiments/results/machines/lowest.txt) "
        "than with the newest.",
    )


def older_cpu(results: Path) -> Iterator[str]:
    """How many sentences have other scores or another answer without AVX-512."""
    (scores, count), (answers, again) = (differing("avx2", results)[what] for what in ("scores", "answers"))
    assert count == again
    yield from (
        f"Of the {count} dev sentences of the three corpora, {answers} have another answer than with VNNI, and",
        f"{scores} have other scores, to the last bit",
        "([as compared](../experiments/results/machines/avx2.txt)).",
    )


PARTS: dict[str, Callable[[Path], Iterator[str]]] = {
    "systems": systems,
    "parser": parser,
    "readers": readers,
    "readings": readings_table,
    "ablations": partial(table_of, default, 0),
    "registers": partial(table_of, default, 1),
    "rates": rates,
    "prompts": partial(table_of, prompts, 0),
    "costs": costs,
    "kinds": kinds_of_requests,
    "workers": workers,
    "files": rows_in_files,
    "film": film,
    "instructions": instructions,
    "machines": same_answers,
    "older-cpu": older_cpu,
    "environments": environments,
    "learnt-from": _learnt.learnt_from,
    "agreement": _learnt.agreement,
    "reader-scores": _learnt.reader_scores,
    "choices": _learnt.choices,
}
"""What can be made, by name."""


def index(results: Path = RESULTS) -> str:
    """The page that leads to all results, and says of what each is made."""
    lines = ["# Results", "", "    python -m experiments list", "    python -m experiments NAME", ""]
    lines += [
        "All on dev. Every page is made from the file of its experiment, which holds what each job found, with a",
        "signature: its options, and the checksums of the data and of the models that it used; beside it stands the",
        "checksum of the code that measured it. Numbers of others are in italics or in columns that say whose; in CSV,",
        "rows of others have yes in the column `published`.",
        "",
        "| experiment | what it shows | pages | minutes on two cores |",
        "| --- | --- | --- | --- |",
    ]
    for experiment in experiments():
        store = Store(experiment, results)
        pages = ", ".join(f"[{page.stem}]({experiment.group}/{page.stem}.md)" for page in store.pages())
        lines.append(
            f"| `{experiment.name}` | {experiment.shows} | {pages or 'not yet'} | {lasting(store.minutes)} |"
        )
    said = sorted(path.parent.name for path in results.glob("*/README.md"))
    lines += ["", "What we make of them: " + ", ".join(f"[{name}]({name}/README.md)" for name in said) + "."]
    return "\n".join([*lines, ""])
