"""Progress bars: on standard error, on a terminal, and only where the answer itself shows no progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Report = Callable[[int, int | None], None]
"""Takes how much is done, and of how much if that is known."""


@contextmanager
def progress_bar(label: str, *, answer_on_terminal: bool) -> Iterator[Report | None]:
    """A function to report progress with; None where there is nobody to see it."""
    if answer_on_terminal or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def report(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield report


def counted(items: Iterable[Item], report: Report | None) -> Iterator[Item]:
    """The items, with a report on each that is done."""
    for done, item in enumerate(items, start=1):
        yield item
        if report is not None:
            report(done, None)
