"""Run an experiment, or a whole group of them; results are kept, and what is known is not done again.

    python -m experiments list
    python -m experiments markov/orders [--workers 2] [--minutes 60] [--only spoken] [--anew | --other-code]
    python -m experiments comparison --only default
    python -m experiments bayesian/induction --adopt FOLDER
    python -m experiments pages

`list` says how long each takes on two cores, what of it is known or stale (but for other trees of the parser, which
only a run looks for), and what other code of laconic measured (what a job can import, but for comments), which
`--other-code` measures again. `--adopt` takes what jobs found on another machine, a file NAME.json for each. `pages`
writes the pages of all stored results again, without data, and what README and docs quote of them (not with
`--results`: they quote ours). Ours stand beside the papers' numbers, which are in italics, in Markdown, CSV and
SVG under experiments/results.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from experiments._catalogue import PROGRAMS, chosen, experiments
from experiments._experiment import Experiment, Workplace
from experiments._runner import RESULTS, Store, lasting, run
from experiments._sources import require

from laconic.cli.output import stop_writing
from laconic.errors import LaconicError


def listed(results: Path, data: Path) -> None:
    """Print what there is to run, how long it takes, and what is known of it."""
    for experiment in experiments():
        store = Store(experiment, results)
        print(
            f"{experiment.name:26s} {_duration(store.minutes):>13s}  {experiment.shows} ({_state(store, data)})"
        )
    for program, finds in PROGRAMS.items():
        print(f"{program:26s} {'':>13s}  {finds} (python -m experiments.{program} --help)")


def _state(store: Store, data: Path) -> str:
    """How much is known, and how much of it was found by other code, data, models or options; without data, by code."""
    jobs, found = store.experiment.jobs, store.found()
    states = ["known" if store.is_complete else f"{len(found)} of {len(jobs)} jobs known"]
    others = [store.records[job.name] for job in jobs if job.name in found and not store.is_by_this_code(job)]
    noted = sum("code" in record for record in others)
    for count, which in ((noted, "by other code"), (len(others) - noted, "by code that was not noted")):
        if count:
            states.append(f"{'all' if count == len(jobs) else count} {which}")
    with suppress(LaconicError):
        require(store.experiment.reads, data)
        if stale := sum(job.name in found and not store.is_fresh(job, data, trees=False) for job in jobs):
            states.append(f"{stale} stale")
    return ", ".join(states)


def _duration(minutes: float) -> str:
    return f"{lasting(minutes)} min" if minutes < 90 else f"{minutes / 60:.0f} h"


def write_all(results: Path) -> None:
    """Write the pages of all stored results, and what documents quote of them if they are ours."""
    from experiments._documents import documents, index
    from experiments._pages import write_text

    if not results.is_dir():
        raise LaconicError(f"{results}: no such folder of results")
    for experiment in experiments():
        Store(experiment, results).write_pages()
    is_ours = results.resolve() == RESULTS.resolve()
    for path, content in documents() if is_ours else [(results / "README.md", index(results))]:
        write_text(path, content)
        print(path)


def check_only(experiments: Sequence[Experiment], part: str) -> None:
    """Refuse a part of names that no job has; what depends on other jobs follows from those."""
    names = [job.name for experiment in experiments for job in experiment.jobs if not job.after]
    if not any(part in name for name in names):
        near = get_close_matches(part, names, n=3, cutoff=0.1) or names[:3]
        raise LaconicError(f"--only {part}: no job has this in its name; there are {'; '.join(near)}")


def count(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text!r}")
    return int(text)


def show(store: Store) -> None:
    """Print the pages: ours beside the paper's."""
    for page in store.pages():
        for name, content in page.files(store.experiment.name):
            if name.endswith(".md"):
                print(content)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help="an experiment, a group of them, `list` or `pages`")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of corpora")
    parser.add_argument(
        "--kept", type=Path, default=Workplace.kept, help="folder of what is kept between runs"
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--workers", type=count, default=2, help="jobs done at a time (default: 2)")
    parser.add_argument("--minutes", type=float, help="begin no job after so many")
    parser.add_argument("--only", default="", metavar="PART", help="jobs that have this in their names")
    parser.add_argument("--anew", action="store_true", help="do again what is known")
    parser.add_argument("--other-code", action="store_true", help="do again what other code measured")
    parser.add_argument(
        "--adopt", type=Path, metavar="FOLDER", help="take what was found elsewhere; run nothing"
    )
    options = parser.parse_args(arguments)
    try:
        if options.name == "list":
            listed(options.results, options.data)
            sys.stdout.flush()
            return 0
        if options.name == "pages":
            write_all(options.results)
            return 0
        finished = True
        asked = chosen(options.name)
        check_only(asked, options.only)
        for experiment in asked:
            if options.adopt is not None:
                store = Store(experiment, options.results)
                print(f"{experiment.name}: {store.adopt(options.adopt, options.data)} results taken")
                store.write_pages()
                continue
            finished &= run(
                experiment,
                Workplace(options.data, options.kept),
                results=options.results,
                workers=options.workers,
                minutes=options.minutes,
                only=options.only,
                anew=options.anew,
                other_code=options.other_code,
            )
            show(Store(experiment, options.results))
    except LaconicError as error:
        print(f"experiments: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return stop_writing()
    return 0 if finished else 1


if __name__ == "__main__":
    sys.exit(main())
