"""Many requests on many processes: each is counted when its verdict is in, and named if it ends its process.

A case is drawn from the seed and its number alone, so that which process asks it, and how many there are, changes
nothing. A process holds one task at a time: whatever becomes of it, what was counted was run.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any

import laconic
from tests.fuzz.cases import Case, draw
from tests.fuzz.hostile import draw_hostile, every_hostile_argument, hostile_violations
from tests.fuzz.laws import Violation, judged, violations
from tests.fuzz.same import differences_between_processes, differences_between_threads
from tests.fuzz.shrink import shrunk

SLOWEST_ALLOWED = 2.0
"""CPU seconds that a request for fewer than 400 words may take."""

NO_VERDICT = "7 no verdict"

_HOSTILE = 0.02  # share of the cases whose arguments are odd
_PATIENCE = 90.0  # CPU seconds for a task, after which its process is ended: a busy machine is no failure
_STUCK = 900.0  # seconds after which it is ended though it has not used them
_SLOWEST_SHOWN = 10
_EVERY = 10.0  # seconds between two looks at the time


@dataclass(frozen=True, slots=True)
class Plan:
    """What is hunted: so many cases of a seed, of these systems if any are named, with these texts beside others."""

    cases: int
    seed: str = "0"
    systems: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    hostile: bool = True

    def case(self, number: int) -> Case | str:
        """The request of a number, or the call with odd arguments."""
        random = Random(f"{self.seed}:{number}")
        if self.hostile and random.random() < _HOSTILE:
            return draw_hostile(random)
        return draw(random, systems=self.systems, texts=self.texts)

    def tasks(self) -> Iterator[Task]:
        """The cases, and now and then whether threads and processes change an answer."""
        if self.hostile:
            yield from (Task("hostile", number) for number in range(len(_hostile())))
        for number in range(self.cases):
            yield Task("case", number)
            if number % 2000 == 500:
                yield Task("threads", number)
            if number % 10_000 == 600:
                yield from (Task(how, number) for how in ("fork", "spawn"))


@dataclass(frozen=True, slots=True)
class Task:
    """Something for a process to do: a case, another check, or making the case that broke a law smaller."""

    what: str
    number: int
    law: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Record:
    """What became of a task: whose case it was, whether it was answered, what it broke, and how long it took.

    `seconds` are those of the request, `cpu` of all checks with it.
    """

    task: Task
    face: str
    system: str = ""
    unit: str = ""
    answered: bool = True
    broken: tuple[Violation, ...] = ()
    seconds: float = 0.0
    words: int = 0
    line: str = ""
    cpu: float = 0.0


@dataclass
class Tally:
    """All that was counted, and the failures to show."""

    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: {name: Counter() for name in ("outcome", "face", "system", "unit", "law")}
    )
    slowest: list[tuple[float, int, str]] = field(default_factory=list)
    failing: list[tuple[Task, str]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    unasked: int = 0
    cpu: dict[str, float] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        """How many verdicts came in."""
        return self.counts["outcome"].total()

    @property
    def failures(self) -> int:
        """How many laws were found broken."""
        return self.counts["law"].total()

    @property
    def without_verdict(self) -> int:
        """Of these, how many are cases whose process died or never ended."""
        return self.counts["law"][NO_VERDICT]

    @property
    def too_slow(self) -> list[tuple[float, int, str]]:
        """The requests that took too long for their length."""
        return [entry for entry in self.slowest if entry[0] > SLOWEST_ALLOWED and entry[1] < 400]

    def add(self, record: Record) -> None:
        """Count what became of a task."""
        outcome = "failed" if record.broken else "answered" if record.answered else "refused"
        self.counts["outcome"][outcome] += 1
        for name in ("face", "system", "unit"):
            value = getattr(record, name)
            self.counts[name].update([value] if value else [])
        who = record.system or record.face
        self.cpu[who] = self.cpu.get(who, 0.0) + record.cpu
        entry = record.seconds, record.words, record.line
        self.slowest = sorted([*self.slowest, entry], reverse=True)[:_SLOWEST_SHOWN]
        for violation in record.broken:
            self.counts["law"][violation.kind] += 1
            self.failing.append((record.task, violation.kind))
            if record.task.what != "case" or not record.line:
                self.shown.append(
                    f"[{violation.kind}] {record.task.what}\n  {record.line}\n  # {violation.seen}"
                )

    def report(self, plan: Plan, wall: float) -> str:
        """The counts, the failures and the slowest requests, as text."""
        spent = sum(self.cpu.values())
        lines = [
            f"{self.cases} cases in {wall:.0f} s, seed {plan.seed}: "
            f"{self.failures - self.without_verdict} laws broken, {self.without_verdict} cases without verdict, "
            f"{len(self.too_slow)} too slow, {self.cases / max(spent, 1e-9):.1f} cases in a CPU second"
        ]
        if self.unasked:
            lines[0] += f"; {self.unasked} were not asked or not finished: the time was over"
        for name, counted in self.counts.items():
            lines.append(
                f"by {name}: " + (", ".join(f"{key} {n}" for key, n in counted.most_common()) or "none")
            )
        each = ", ".join(
            f"{name} {seconds:.0f}" for name, seconds in sorted(self.cpu.items(), key=lambda item: -item[1])
        )
        lines.append(f"{spent:.0f} CPU seconds: {each}")
        lines += self.shown
        lines.append("slowest requests (CPU seconds, words)")
        for seconds, words, line in self.slowest:
            short = line if len(line) < 150 else f"{line[:100]} … {line[-45:]}"
            lines.append(f"  {seconds:6.2f} {words:5}  {short}")
        return "\n".join(lines) + "\n"


def hunt(
    plan: Plan,
    *,
    workers: int = 1,
    minutes: float = inf,
    shown: int = 2,
    shrinking: float = 15.0,
    told: Callable[[Tally, float], None] = lambda tally, wall: None,
) -> tuple[Tally, float]:
    """Run the plan on so many processes, and make some failures of each kind smaller; `told` hears of it on the way.

    Returns what was counted, and the seconds it took: about so many minutes at most, in which cases are asked until
    only the time that shrinking may need is left.
    """
    start, tally = time.monotonic(), Tally()
    end = start + 60 * minutes
    reserve = min(3 * shrinking + 10.0, 30 * minutes)
    crew = _Crew(plan, workers)
    try:
        waiting = plan.tasks()
        for record in crew.run(
            waiting, end - reserve, end - reserve / 2, lambda: told(tally, time.monotonic() - start)
        ):
            tally.add(record)
        tally.unasked = crew.unfinished + sum(task.what == "case" for task in waiting)
        kinds: Counter[str] = Counter()
        smaller = []
        for task, law in tally.failing:
            kinds[law] += 1
            if task.what == "case" and kinds[law] <= shown:
                smaller.append(
                    Task("shrink", task.number, law, min(shrinking, max(1.0, end - time.monotonic() - 5.0)))
                )
        tally.shown += [record.line for record in crew.run(iter(smaller), end, end, lambda: None)]
    finally:
        crew.dismiss()
    return tally, time.monotonic() - start


class _Crew:
    """Processes that do one task at a time; one that dies, or never ends, is replaced, and its task has failed."""

    def __init__(self, plan: Plan, workers: int) -> None:
        self._context: Any = multiprocessing.get_context("spawn")
        self._plan = plan
        self.unfinished = 0
        self._idle = deque(self._hired() for _ in range(workers))

    def run(
        self, tasks: Iterator[Task], end: float, latest: float, told: Callable[[], None]
    ) -> Iterator[Record]:
        """The records of the tasks, as they come in; none is begun after the end, nor waited for beyond the latest."""
        busy: dict[Connection, tuple[Any, Task, tuple[float, float]]] = {}
        last = time.monotonic()
        while True:
            while self._idle and time.monotonic() < end and (task := next(tasks, None)) is not None:
                process, pipe = self._idle.popleft()
                clocks = time.monotonic(), _cpu_seconds(process.pid)
                pipe.send(task)
                busy[pipe] = process, task, clocks
            if not busy:
                return
            for ready in wait(list(busy), timeout=max(0.0, min(_EVERY, latest - time.monotonic()))):
                assert isinstance(ready, Connection)
                process, task, _ = busy.pop(ready)
                try:
                    record = ready.recv()
                except EOFError:
                    process.join()
                    record = self._lost(task, f"its process ended with {process.exitcode}")
                    process, ready = self._hired()
                self._idle.append((process, ready))
                yield record
            now = time.monotonic()
            for pipe, (process, task, (begun, cpu)) in list(busy.items()):
                taken = _cpu_seconds(process.pid) - cpu
                endless = taken > _PATIENCE or now - begun > _STUCK
                if endless or now > latest:
                    process.kill()
                    process.join()
                    del busy[pipe]
                    if endless:
                        yield self._lost(task, f"no verdict within {taken:.0f} CPU s")
                    else:
                        self.unfinished += 1
                    self._idle.append(self._hired())
            if now - last > _EVERY:
                last = now
                told()

    def dismiss(self) -> None:
        """End the processes."""
        for _, pipe in self._idle:
            with suppress(OSError):
                pipe.send(None)
        for process, _ in self._idle:
            process.join()

    def _hired(self) -> tuple[Any, Connection]:
        mine, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, self._plan))
        process.start()
        theirs.close()  # so that the end of the process is the end of the pipe
        return process, mine

    def _lost(self, task: Task, why: str) -> Record:
        asked = self._plan.case(task.number) if task.what in ("case", "shrink") else task.what
        line = asked.line() if isinstance(asked, Case) else asked
        return Record(task, "lost", broken=(Violation(NO_VERDICT, f"{why}: {line}"),))


def _cpu_seconds(process: int) -> float:
    """The CPU seconds that a process has used; of one that has ended, of which its pipe tells, none."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _work(pipe: Connection, plan: Plan) -> None:
    """What a process does: a task after the other, until there is none."""
    while (task := pipe.recv()) is not None:
        start = time.process_time()
        record = done(plan, task)
        pipe.send(replace(record, cpu=time.process_time() - start))


def done(plan: Plan, task: Task) -> Record:
    """What becomes of a task."""
    random = Random(f"{plan.seed}:{task.what}:{task.number}")
    if task.what == "threads":
        return Record(task, "threads", "default", broken=(*differences_between_threads(random),))
    if task.what in ("fork", "spawn"):
        lines = [draw(random, systems=plan.systems).line() for _ in range(20)]
        return Record(task, task.what, broken=(*differences_between_processes(lines, task.what),))
    if task.what == "hostile":
        line = _hostile()[task.number]
        return Record(task, "hostile", line=line, broken=(*hostile_violations(line),))
    case = plan.case(task.number)
    if isinstance(case, str):
        return Record(task, "hostile", line=case, broken=(*hostile_violations(case),))
    if task.what == "shrink":
        return Record(task, "shrunk", line=_smallest(case, task))
    start = time.process_time()
    verdict = judged(case)
    taken = time.process_time() - start
    if taken > SLOWEST_ALLOWED / 2:  # the checks take their time, and the first of a kind is compiled
        taken = min(_seconds(case), _seconds(case))
    return Record(
        task,
        "document" if case.whole_document else "sentence",
        case.system,
        f"{case.unit}{' ratio' * case.relative}" if case.bounded else "no budget",
        verdict.answered,
        verdict.violations,
        taken,
        len(case.text.split()),
        case.line() if taken > 0.05 or verdict.violations else "",
    )


def _smallest(case: Case, task: Task) -> str:
    small = shrunk(case, task.law, seconds=task.seconds)
    seen = next((again.seen for again in violations(small) if again.kind == task.law), "")
    return f"[{task.law}] case {task.number}\n  {small.line()}\n  # {seen}"


@cache
def _hostile() -> Sequence[str]:
    return tuple(every_hostile_argument())


def _seconds(case: Case) -> float:
    """The CPU time of a request by itself."""
    start = time.process_time()
    with suppress(laconic.LaconicError):
        case.run()
    return time.process_time() - start
