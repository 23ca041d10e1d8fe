"""Running experiments: what was found before is kept with its signature, and only what is missing or stale is done.

The results of an experiment are one file, `results/GROUP/NAME.json`: for each job a signature (its options, the
checksums of the data and of the models it used) and what it found. A job whose signature is the wanted one is not
done again, so that a run can be stopped at any time and taken up later. Code is no part of the signature, lest a
cleared line cost hours; but each result says which code measured it, and what other code measured is counted and can
be done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from math import inf
from multiprocessing import get_context
from pathlib import Path
from time import time
from typing import Any

from experiments._code import code_checksum
from experiments._experiment import Experiment, Found, Job, TimeIsUp, Workplace
from experiments._pages import Page, write_text
from experiments._sources import PARSER, data_checksum, model_checksum, require

from laconic.errors import LaconicError

RESULTS = Path(__file__).parent / "results"
_LEAST_MINUTES = 0.1
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
Say = Callable[[str], None]


def signature(job: Job, data: Path, known: Mapping[str, Found], *, trees: bool = True) -> dict[str, Any]:
    """What the answer of a job depends on; of jobs before it, what they found; without the parser's trees if asked."""
    wanted: dict[str, Any] = {"options": json.loads(json.dumps(dict(job.options)))}
    if job.reads:
        wanted["data"] = {name: data_checksum(name, data) for name in job.reads}
    if job.uses:
        wanted["models"] = {name: model_checksum(name) for name in job.uses if trees or name != PARSER}
    if job.after:
        wanted["after"] = _after(job, known)
    return wanted


def _after(job: Job, known: Mapping[str, Found]) -> str:
    """What tells what the jobs before it found."""
    return digest([known.get(name) for name in job.after])


def digest(value: object) -> str:
    """The first digits of the SHA-256 of what JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


class Store:
    """What an experiment found, in its file."""

    def __init__(self, experiment: Experiment, results: Path = RESULTS) -> None:
        self.experiment = experiment
        self.path = results / f"{experiment.name}.json"
        self.records: dict[str, dict[str, Any]] = {}
        self._read()

    def _read(self) -> None:
        """Read what is known by now, perhaps from other runs of the same experiment."""
        if self.path.exists():
            remedy = f"restore the file, or remove it and run {self.experiment.name} again"
            self.records = _read_json(self.path, remedy).get("jobs", {})

    @property
    def minutes(self) -> float:
        """About how long all of it takes on two cores: as measured if all was done here, else as declared."""
        if not self.is_complete or any(record.get("adopted") for record in self.records.values()):
            return self.experiment.minutes
        seconds = [float(record["seconds"]) for record in self.records.values()]
        return round(max(sum(seconds) / 2, max(seconds)) / 60, 1)  # no job is done on both

    def adopt(self, folder: Path, data: Path) -> int:
        """Take what the jobs found elsewhere, in a folder with a JSON file for each job; returns how many."""
        if not folder.is_dir():
            raise LaconicError(
                f"{folder}: no such folder; --adopt names one with a file NAME.json for each job"
            )
        there = [job for job in self.experiment.jobs if (folder / f"{job.name}.json").exists()]
        for job in there:
            found = _read_json(folder / f"{job.name}.json", "fetch it again")
            wanted = signature(job, data, self.found())
            self.records[job.name] = {"signature": wanted, "seconds": 0, "adopted": True, "found": found}
        self.write()
        return len(there)

    def found(self) -> dict[str, Found]:
        """What is known of the jobs that there are."""
        return {
            job.name: self.records[job.name]["found"]
            for job in self.experiment.jobs
            if job.name in self.records
        }

    @property
    def is_complete(self) -> bool:
        """Whether every job has found something, if perhaps with other data or models."""
        return all(job.name in self.records for job in self.experiment.jobs)

    def is_fresh(self, job: Job, data: Path, *, trees: bool = True) -> bool:
        """Whether what is known of a job is what it would find now; without `trees`, if the parser's are the same."""
        if job.name not in self.records:
            return False
        known = dict(self.records[job.name]["signature"])
        if not trees and "models" in known:
            known["models"] = {name: of for name, of in known["models"].items() if name != PARSER}
        return known == signature(job, data, self.found(), trees=trees)

    def is_by_this_code(self, job: Job) -> bool:
        """Whether what is known of a job was measured by the code that there is now."""
        return job.name in self.records and self.records[job.name].get("code") == code_checksum(job)

    def is_ready(self, job: Job) -> bool:
        """Whether enough is known of what a job comes after."""
        known = [name in self.records for name in job.after]
        return all(known) or (not self.experiment.whole and any(known))

    def put(self, job: Job, wanted: Mapping[str, Any], found: Found, seconds: float) -> None:
        """Keep what a job found; the file is written whole."""
        self._read()
        self.records[job.name] = {
            "signature": wanted,
            "code": code_checksum(job),
            "seconds": round(seconds, 1),
            "found": found,
        }
        self.write()

    def write(self) -> None:
        """Write the file, one job a line, in the order of the declaration."""
        names = [job.name for job in self.experiment.jobs if job.name in self.records]
        lines = [f"{json.dumps(name)}: {_compact(self.records[name])}" for name in names]
        jobs = "{\n" + ",\n".join(lines) + "\n}"
        write_text(self.path, "{" + f'"jobs": {jobs}' + "}\n")

    def shown(self) -> dict[str, Found]:
        """What is known, without what was computed from other answers than those known now."""
        found = self.found()
        return {
            job.name: found[job.name]
            for job in self.experiment.jobs
            if job.name in found
            and (not job.after or self.records[job.name]["signature"]["after"] == _after(job, found))
        }

    def pages(self) -> Iterator[Page]:
        """The pages of what can be shown, if enough jobs are done."""
        shown = self.shown()
        if len(shown) == len(self.experiment.jobs) or (not self.experiment.whole and shown):
            yield from self.experiment.pages(shown)

    def write_pages(self) -> list[Path]:
        """Write the files of all pages; returns their paths."""
        written = []
        for page in self.pages():
            for name, content in page.files(self.experiment.name):
                write_text(self.path.parent / name, content)
                written.append(self.path.parent / name)
        return written


def _read_json(path: Path, remedy: str) -> dict[str, Any]:
    """The JSON object in a file; anything else is an error that says what to do."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LaconicError(f"{path}: broken JSON ({error}); {remedy}") from None
    if not isinstance(content, dict):
        raise LaconicError(f"{path}: no JSON object; {remedy}")
    return content


def lasting(minutes: float) -> str:
    """So many minutes, rounded, in digits."""
    return f"{minutes:g}" if minutes >= _LEAST_MINUTES else f"under {_LEAST_MINUTES}"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Doing:
    """A job as a process does it: when it began, and what came of it or why nothing did."""

    job: Job
    found: Found | None
    seconds: float
    news: str = ""
    failed: bool = False


def run(
    experiment: Experiment,
    at: Workplace,
    *,
    results: Path = RESULTS,
    workers: int = 2,
    minutes: float | None = None,
    only: str = "",
    anew: bool = False,
    other_code: bool = False,
    say: Say = print,
) -> bool:
    """Do the jobs whose answer is missing or stale, then write the pages; returns whether nothing is left to do.

    `only` chooses jobs by a part of their names; with `anew` they are done in any case, with `other_code` also where
    other code measured what is known. After so many `minutes` no job is begun, and those that can are stopped where
    they are.
    """
    require(experiment.reads, at.data)
    end = inf if minutes is None else time() + 60 * minutes
    store = Store(experiment, results)

    def is_to_do(job: Job) -> bool:
        return not store.is_fresh(job, at.data) or (other_code and not store.is_by_this_code(job))

    first = [job for job in experiment.jobs if not job.after and only in job.name]
    first = [job for job in first if anew or is_to_do(job)]
    say(f"{experiment.name}: {len(first)} of {len(experiment.jobs)} jobs to do")
    undone = _do(first, store, replace(at, end=end), workers, say)
    # What is computed from the others is stale only now.
    later = [job for job in experiment.jobs if job.after and store.is_ready(job) and is_to_do(job)]
    undone += _do(later, store, replace(at, end=end), workers, say)
    for path in store.write_pages():
        say(f"  {path}")
    failed = sum(doing.failed for doing in undone)
    if left := len(undone) - failed:
        say(f"{counted(left)} left: run this again")
    if failed:
        say(f"{counted(failed)} not done, for what is said above: run this again when it is mended")
    return not undone


def counted(jobs: int) -> str:
    """So many jobs, with their verb."""
    return "1 job is" if jobs == 1 else f"{jobs} jobs are"


def _do(jobs: Sequence[Job], store: Store, at: Workplace, workers: int, say: Say) -> list[Doing]:
    """Do jobs that wait for no others; returns how it went with those that found nothing yet."""
    undone = []
    began = time()
    for number, doing in enumerate(_results(jobs, store, at, workers), start=1):
        if doing.found is None:
            undone.append(doing)
            say(f"  {doing.job.name}: {doing.news}")
            continue
        store.put(doing.job, signature(doing.job, at.data, store.found()), doing.found, doing.seconds)
        rest = (time() - began) / number * (len(jobs) - number) / 60
        say(f"  {doing.job.name}: {doing.seconds:.0f} s ({number} of {len(jobs)}, {rest:.0f} min left)")
    return undone


def _results(ready: Sequence[Job], store: Store, at: Workplace, workers: int) -> Iterator[Doing]:
    known = store.found()
    given = {job.name: {name: known[name] for name in job.after if name in known} for job in ready}
    if workers <= 1:
        for job in ready:
            yield _done(job, given[job.name], at)
        return
    for name in ONE_THREAD:  # the processes are what runs side by side
        os.environ[name] = "1"
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures: list[Future[Doing]] = [pool.submit(_done, job, given[job.name], at) for job in ready]
        for future in as_completed(futures):
            yield future.result()


def _done(job: Job, given: Mapping[str, Found], at: Workplace) -> Doing:
    """Do a job, and say how it went."""
    began = time()
    if began >= at.end:
        return Doing(job, None, 0.0, "not begun")
    more: dict[str, Any] = {"after": given} if job.after else {}
    try:
        found = job.work(at, **job.options, **more)
    except TimeIsUp:
        return Doing(job, None, time() - began, "stopped, begins anew")
    except LaconicError as error:
        return Doing(job, None, time() - began, f"failed: {error}", failed=True)
    except Exception:
        return Doing(job, None, time() - began, f"failed\n{traceback.format_exc()}", failed=True)
    return Doing(job, found, time() - began, "stopped, goes on from here" if found is None else "")
