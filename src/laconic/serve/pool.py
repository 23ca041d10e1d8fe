"""A pool of threads of its own for the work, with a bounded queue before it; nothing else runs there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from laconic.serve.problems import Refusal

Answer = TypeVar("Answer")


class Deadline:
    """Until when an answer is wanted: for some seconds from now, or until nobody waits for it any more."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds
        self._cancelled = False

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(0.0, self._end - time.monotonic())

    def cancel(self) -> None:
        """Nobody waits for the answer."""
        self._cancelled = True

    def check(self) -> None:
        """Stop the work, by an exception, if it is no longer wanted."""
        if self._cancelled or time.monotonic() > self._end:
            raise too_slow(self.seconds)


def too_slow(seconds: float) -> Refusal:
    """The refusal of what takes too long."""
    return Refusal(
        503, "time-limit", f"no answer within {seconds:g} seconds: send less text at a time", limit="seconds"
    )


class WorkPool:
    """So many workers, and so many requests that may wait for one; more are refused at once."""

    def __init__(self, workers: int, queue: int) -> None:
        self.workers, self.places = workers, workers + queue
        self.taken = 0
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="laconic-work")
        self._batches = asyncio.Semaphore(workers)

    @property
    def waiting(self) -> int:
        """How many wait for a worker."""
        return max(0, self.taken - self.workers)

    def check_room(self) -> None:
        """Refuse, if there is no place."""
        if self.taken >= self.places:
            raise Refusal(
                503,
                "busy",
                f"{self.workers} at work and {self.places - self.workers} waiting: try again in a moment",
                headers={"Retry-After": "1"},
            )

    async def run(self, work: Callable[[], Answer], deadline: Deadline) -> Answer:
        """What the work returns; a place is free again when it ends, not when nobody waits for it any more."""
        self.check_room()
        self.taken += 1
        loop = asyncio.get_running_loop()

        def started() -> Answer:
            deadline.check()
            return work()

        future = loop.run_in_executor(self._executor, started)
        future.add_done_callback(self._free)
        try:
            return await asyncio.wait_for(asyncio.shield(future), deadline.left)
        except TimeoutError:
            deadline.cancel()
            raise too_slow(deadline.seconds) from None
        except asyncio.CancelledError:
            deadline.cancel()
            raise

    async def run_in_turn(self, work: Callable[[], Answer], seconds: float) -> Answer:
        """The same for one of many in a batch, which waits for its turn and leaves the queue to others."""
        async with self._batches:
            while True:
                try:
                    return await self.run(work, Deadline(seconds))
                except Refusal as refusal:
                    if refusal.kind != "busy":
                        raise
                await asyncio.sleep(0.05)

    def _free(self, future: asyncio.Future[Answer]) -> None:
        self.taken -= 1
        if not future.cancelled():
            future.exception()  # which may come after everyone has gone

    def close(self) -> None:
        """Wait for what is at work; start nothing more."""
        self._executor.shutdown(wait=True, cancel_futures=True)
