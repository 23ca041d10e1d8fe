"""Work shared out among threads, its results in the order of what they were made from."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from laconic.errors import LaconicError

AHEAD = 8
"""Items under way for each thread: enough to keep it busy, few enough to bound memory."""

S = TypeVar("S")
T = TypeVar("T")


def map_in_order(
    work: Callable[[S], T], items: Iterable[S], *, threads: int, ready: Callable[[], bool] = lambda: True
) -> Iterator[T]:
    """Stream `work(item)` for every item, in their order, on so many threads.

    Items are taken in the caller's thread, a few ahead of the results. `ready` says whether the next one
    can be had without waiting; if not, what is under way is handed out first.

    >>> list(map_in_order(str.upper, ["a", "b"], threads=2))
    ['A', 'B']
    """
    if threads < 1:
        raise LaconicError(f"work needs at least 1 thread, not {threads}")
    if threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        under_way: deque[Future[T]] = deque()
        try:
            coming = iter(items)
            while True:
                while under_way and (len(under_way) >= AHEAD * threads or not ready()):
                    yield under_way.popleft().result()
                try:
                    item = next(coming)
                except StopIteration:
                    break
                under_way.append(pool.submit(work, item))
            while under_way:
                yield under_way.popleft().result()
        finally:
            # After a fault, or when nobody wants the rest, what has not begun need not be done.
            for future in under_way:
                future.cancel()
