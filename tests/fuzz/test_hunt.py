"""The hunt counts what it ran: every case once, a process that dies as a failure, and what the time left over."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from tests.fuzz import hunt as room
from tests.fuzz.cases import Case
from tests.fuzz.hunt import Plan, Record, Tally, Task, hunt
from tests.fuzz.laws import Verdict, Violation

CHEAP = Plan(12, "counted", systems=("truncate", "everything"), hostile=False)


def test_every_case_is_counted_once_on_any_number_of_processes() -> None:
    tally, _ = hunt(CHEAP, workers=2)
    assert tally.cases == 12 and tally.failures == 0 and tally.unasked == 0
    assert tally.counts["face"] == {"sentence": 12}
    assert tally.counts["system"].keys() == {"truncate", "everything"}
    assert tally.counts["unit"].total() == tally.counts["outcome"].total() == 12
    assert "12 cases" in tally.report(CHEAP, 1.0)


def test_what_the_time_left_over_is_said() -> None:
    tally, wall = hunt(Plan(10**5, "late", systems=("truncate",), hostile=False), minutes=0.2)
    assert 0 < tally.cases < 10**5 and wall < 60
    assert tally.cases + tally.unasked >= 10**5  # with what is not a case
    assert "the time was over" in tally.report(CHEAP, wall)


def _deadly(pipe: Any, plan: Plan) -> None:
    while (task := pipe.recv()) is not None:
        if task.number == 3:
            os._exit(9)
        pipe.send(Record(task, "sentence"))


def test_a_process_that_dies_is_a_failure_and_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_work", _deadly)
    tally, _ = hunt(CHEAP, workers=2, shrinking=0)
    assert tally.cases == 12 and tally.counts["face"] == {"sentence": 11, "lost": 1}
    assert tally.counts["law"]["7 no verdict"] == 1
    assert "ended with 9" in tally.report(CHEAP, 1.0)


def _endless(pipe: Any, plan: Plan) -> None:
    while (task := pipe.recv()) is not None:
        start = time.process_time()
        while task.number == 3 and time.process_time() - start < 60:
            pass
        if task.number == 4:
            time.sleep(1.5)  # as one that waits for a busy machine
        pipe.send(Record(task, "sentence"))


def test_only_cpu_time_makes_a_case_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_work", _endless)
    monkeypatch.setattr(room, "_PATIENCE", 1.0)
    monkeypatch.setattr(room, "_EVERY", 0.2)
    tally, _ = hunt(CHEAP, workers=2, shrinking=0)
    assert tally.cases == 12 and tally.without_verdict == 1
    assert "0 laws broken, 1 cases without verdict" in tally.report(CHEAP, 1.0)


def test_a_failure_is_shown_as_the_smallest_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def judged(case: Case) -> Verdict:
        return Verdict(True, (Violation("4 odd", case.text),))

    monkeypatch.setattr(room, "judged", judged)
    monkeypatch.setattr(room, "violations", lambda case: judged(case).violations)
    monkeypatch.setattr(room, "shrunk", lambda case, kind, seconds: Case("x"))
    tally = Tally()
    tally.add(room.done(CHEAP, Task("case", 1)))
    assert tally.counts["outcome"] == {"failed": 1} and tally.counts["law"] == {"4 odd": 1}
    small = room.done(CHEAP, Task("shrink", 1, "4 odd", 1.0))
    assert small.line == "[4 odd] case 1\n  laconic.compress(laconic.tokenise('x'))\n  # x"
