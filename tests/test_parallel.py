"""Threads do not change the order, faults end the work, and nobody waits for input that is not there."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from laconic.errors import LaconicError
from laconic.parallel import AHEAD, map_in_order


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    assert list(map_in_order(lambda item: item * item, range(200), threads=threads)) == [
        item * item for item in range(200)
    ]


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads_are_an_error(threads: int) -> None:
    with pytest.raises(LaconicError, match=f"at least 1 thread, not {threads}"):
        next(map_in_order(str, [1], threads=threads))


def test_items_are_taken_a_few_ahead_and_in_the_callers_thread() -> None:
    taken = []

    def items() -> Iterator[int]:
        for item in range(1000):
            taken.append(threading.get_ident())
            yield item

    results = map_in_order(lambda item: item, items(), threads=2)
    assert next(results) == 0
    assert len(taken) <= 2 * AHEAD
    assert set(taken) == {threading.get_ident()}
    results.close()  # type: ignore[attr-defined]


def test_a_fault_is_raised_at_its_place_and_ends_the_work() -> None:
    done = []

    def work(item: int) -> int:
        if item == 3:
            raise ValueError("three")
        done.append(item)
        return item

    results = map_in_order(work, range(10_000), threads=2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)
    assert len(done) < 100


def test_what_is_done_is_handed_out_before_waiting_for_more() -> None:
    asked = []

    def conversation() -> Iterator[int]:
        for item in range(3):
            asked.append(item)
            yield item

    results = map_in_order(lambda item: item, conversation(), threads=4, ready=lambda: False)
    for expected in range(3):
        assert next(results) == expected
        assert asked == list(range(expected + 1))
