"""A small experiment that tests run, in other processes, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from experiments._experiment import Experiment, Found, Job, TimeIsUp, Workplace
from experiments._pages import Page, Table, published

from laconic.errors import LaconicError


def double(at: Workplace, *, number: int) -> Found:
    with (at.kept / "calls").open("a") as stream:
        stream.write(f"{number}\n")
    return {"double": 2 * number}


def count_up(at: Workplace, *, most: int) -> Found | None:
    """Goes on from where it was stopped, one step a call."""
    state = at.state("small", "slow")
    state.mkdir(parents=True, exist_ok=True)
    path = state / "reached"
    reached = int(path.read_text()) + 1 if path.exists() else 1
    path.write_text(str(reached))
    return {"reached": reached} if reached >= most else None


def fail(_: Workplace) -> Found:
    raise RuntimeError("broken on purpose")


def mistake(_: Workplace) -> Found:
    raise LaconicError("x.json: not these scores; --anew measures them again")


def no_time(_: Workplace) -> Found:
    raise TimeIsUp


def total(_: Workplace, *, after: Mapping[str, Found]) -> Found:
    return {"total": sum(found["double"] for found in after.values())}


def pages(found: Mapping[str, Found]) -> Iterator[Page]:
    rows = [("number", "ours", "theirs"), *((name, str(job), *published(3.5)) for name, job in found.items())]
    yield Page("numbers", "Numbers", "A note.", [Table(rows)], {"numbers.svg": "<svg/>\n"})


DOUBLES = tuple(Job(str(number), double, {"number": number}) for number in (1, 2, 3))
SMALL = Experiment(
    "small/numbers", "nothing", 0.1, (*DOUBLES, Job("sum", total, after=("1", "2", "3"))), pages
)
PARTIAL = replace(SMALL, whole=False)
UNSTEADY = Experiment(
    "small/unsteady",
    "nothing",
    0.1,
    (
        Job("bad", fail),
        Job("wrong", mistake),
        Job("late", no_time),
        Job("slow", count_up, {"most": 2}),
        DOUBLES[0],
    ),
    pages,
)


def workplace(folder: Path) -> Workplace:
    (folder / "kept").mkdir(exist_ok=True)
    return Workplace(folder / "data", folder / "kept")
