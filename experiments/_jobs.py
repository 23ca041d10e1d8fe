"""Long experiments as jobs: shared out among processes, each result a file, stopped at any time and taken up again."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from time import time

from experiments._tables import write_text

Work = Callable[[str, Path, float], str | None]
"""Does the job of a name. It keeps its state in the folder; at the time given it stops and returns None."""

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class TimeIsUp(Exception):
    """Raised by work that has no time left and nothing worth keeping."""


def result_file(folder: Path, job: str) -> Path:
    """Where the result of a job is."""
    return folder / "results" / f"{job}.json"


def run_jobs(jobs: Iterable[str], work: Work, folder: Path, *, workers: int, minutes: float) -> list[str]:
    """Do the jobs that have no result yet, in their order, for at most so many minutes; returns what is left to do.

    A job that fails is named with its error, and does not stop the others.
    """
    waiting = [job for job in jobs if not result_file(folder, job).exists()]
    if not waiting:
        return []
    end = time() + 60 * minutes
    for name in ONE_THREAD:  # the processes are what runs side by side
        os.environ[name] = "1"
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running = {pool.submit(_done, job, work, folder, end): job for job in waiting}
        for future in as_completed(running):
            if (news := future.result()) is not None:
                print(f"{running[future]}: {news}", flush=True)
    return [job for job in waiting if not result_file(folder, job).exists()]


def _done(job: str, work: Work, folder: Path, end: float) -> str | None:
    """Do a job, and say how it went, if it was begun."""
    began = time()
    if began >= end:
        return None
    try:
        found = work(job, folder / "state" / job, end)
    except TimeIsUp:
        return "stopped, begins anew"
    except Exception:
        return f"failed\n{traceback.format_exc()}"
    if found is None:
        return "stopped, goes on from here"
    write_text(result_file(folder, job), found)
    return f"done in {time() - began:.0f} s"
