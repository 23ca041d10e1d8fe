"""What an experiment is: the jobs that find something out, and the pages that say it, beside the papers' numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import time
from typing import Any

from experiments._pages import Page

Found = dict[str, Any]
"""What a job found out, as JSON can hold it."""


class TimeIsUp(Exception):
    """Raised by work that has no time left and nothing worth keeping."""


@dataclass(frozen=True)
class Workplace:
    """Where the data and what is kept between runs lie, and until when there is time."""

    data: Path
    kept: Path = Path(".cache/experiments")
    end: float = inf

    @property
    def annotations(self) -> Path:
        """What was parsed before."""
        return self.kept / "annotations.sqlite"

    def state(self, experiment: str, job: str) -> Path:
        """The folder in which a job keeps what it needs to go on after it was stopped."""
        return self.kept / "state" / experiment / job

    def check_time(self, *_: object) -> None:
        """Stop work that reports its progress here when its time is up."""
        if time() >= self.end:
            raise TimeIsUp


@dataclass(frozen=True)
class Job:
    """One thing to find out: a function of the workplace and of options, and what else its answer depends on.

    `reads` names corpora of the registry, `uses` shipped models, or "parser" for the trees of the embedded one. The
    function returns None if it was stopped and can go on from there. A job `after` others is given what they found.
    """

    name: str
    work: Callable[..., Found | None]
    options: Mapping[str, Any] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A table or a figure: how it is found out and how it is shown.

    `shows` says what of which paper it is. `minutes` is about how long it takes on two cores. Where `whole` is false
    the pages also show what is known before all jobs are done.
    """

    name: str
    shows: str
    minutes: float
    jobs: tuple[Job, ...]
    pages: Callable[[Mapping[str, Found]], Iterable[Page]]
    whole: bool = True

    @property
    def group(self) -> str:
        """The folder of its results: the part of its name before the stroke."""
        return self.name.partition("/")[0]

    @property
    def reads(self) -> tuple[str, ...]:
        """All corpora that its jobs read."""
        return tuple(dict.fromkeys(corpus for job in self.jobs for corpus in job.reads))
