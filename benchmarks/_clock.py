"""How long a piece of work takes."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time


def milliseconds(work: Callable[[], object], *, repeats: int = 5) -> float:
    """The least processor time of several runs, after one that is not counted."""
    work()
    times = []
    for _ in range(repeats):
        start = process_time()
        work()
        times.append(process_time() - start)
    return 1e3 * min(times)
