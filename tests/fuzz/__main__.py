"""The hunt as a command: `python -m tests.fuzz --cases 1000 --seed 1`."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from contextlib import suppress
from math import inf
from pathlib import Path
from random import Random

import laconic
from tests.fuzz.cases import Case, draw
from tests.fuzz.hostile import draw_hostile, every_hostile_argument, hostile_violations
from tests.fuzz.laws import Violation, violations
from tests.fuzz.same import differences_between_processes, differences_between_threads
from tests.fuzz.shrink import shrunk

SLOWEST_ALLOWED = 2.0
"""CPU seconds that a request for fewer than 400 words may take."""


def main() -> int:
    """Run the hunt; the exit code says whether every law held."""
    options = _arguments()
    texts = options.texts.read_text(encoding="utf-8").splitlines() if options.texts else []
    print(f"seed {options.seed}, {options.cases} cases", flush=True)
    hunt = _Hunt(options.shown, options.shrink)
    start, cpu = time.monotonic(), time.process_time()
    if options.only is None:
        for line in every_hostile_argument() if options.hostile else ():
            hunt.try_hostile(line)
    for number in range(options.cases) if options.only is None else (options.only,):
        if time.monotonic() - start > 60 * options.minutes:
            print(f"stopped before case {number}: {options.minutes:g} minutes are over")
            break
        random = Random(f"{options.seed}:{number}")
        if options.hostile and random.random() < 0.02:
            hunt.try_hostile(draw_hostile(random))
        else:
            hunt.try_case(number, draw(random, systems=options.systems, texts=texts))
        if number % 2000 == 500:
            hunt.note("threads", differences_between_threads(random))
        if number % 10_000 == 600:
            lines = [draw(random, systems=options.systems).line() for _ in range(20)]
            for how in ("fork", "spawn"):
                hunt.note(how, differences_between_processes(lines, how))
        if number % 1000 == 999:
            print(
                f"{number + 1} cases, {hunt.failures} failures, {time.monotonic() - start:.0f} s", flush=True
            )
    hunt.report(time.process_time() - cpu)
    return 1 if hunt.failures or hunt.too_slow else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Hunt for broken promises.")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this case of the seed alone")
    parser.add_argument("--systems", nargs="+", default=[], help="ask only these systems")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="take the lines of a file as texts, too")
    parser.add_argument("--minutes", type=float, default=inf, help="stop after so many, cases left or not")
    parser.add_argument("--shown", type=int, default=2, help="failures to show of each kind")
    parser.add_argument(
        "--shrink", type=float, default=15.0, metavar="SECONDS", help="for each failure shown"
    )
    parser.add_argument(
        "--no-hostile", dest="hostile", action="store_false", help="only well-formed requests"
    )
    return parser.parse_args()


class _Hunt:
    """What was tried, what failed, and how long it took."""

    def __init__(self, shown: int, shrinking: float) -> None:
        self.shown, self.shrinking = shown, shrinking
        self.kinds: Counter[str] = Counter()
        self.tried: Counter[str] = Counter()
        self.times: list[tuple[float, int, str]] = []

    @property
    def failures(self) -> int:
        """How many laws were found broken."""
        return self.kinds.total()

    @property
    def too_slow(self) -> list[tuple[float, int, str]]:
        """The requests that took too long for their length."""
        return [entry for entry in self.times if entry[0] > SLOWEST_ALLOWED and entry[1] < 400]

    def try_case(self, number: int, case: Case) -> None:
        """Run a case, and show what is wrong with it."""
        self.tried[f"{case.system}{' document' if case.whole_document else ''}"] += 1
        start = time.process_time()
        found = violations(case)
        taken = time.process_time() - start
        if taken > SLOWEST_ALLOWED / 2:  # the checks take their time, and the first of a kind is compiled
            taken = min(_seconds(case), _seconds(case))
        self.times = sorted([*self.times, (taken, len(case.text.split()), case.line())], reverse=True)[:10]
        for violation in found:
            self.kinds[violation.kind] += 1
            if self.kinds[violation.kind] <= self.shown:
                small = shrunk(case, violation.kind, seconds=self.shrinking)
                seen = next((again.seen for again in violations(small) if again.kind == violation.kind), "")
                print(f"[{violation.kind}] case {number}\n  {small.line()}\n  # {seen}", flush=True)

    def note(self, what: str, found: list[Violation]) -> None:
        """Count another check, and show what it found."""
        self.tried[what] += 1
        for violation in found:
            self.kinds[violation.kind] += 1
            if self.kinds[violation.kind] <= self.shown:
                print(f"[{violation.kind}]\n  # {violation.seen}", flush=True)

    def try_hostile(self, line: str) -> None:
        """Run a call with odd arguments, and show what is wrong with it."""
        self.tried["hostile"] += 1
        for violation in hostile_violations(line):
            self.kinds[violation.kind] += 1
            if self.kinds[violation.kind] <= self.shown:
                print(f"[{violation.kind}]\n  {line}\n  # {violation.seen}", flush=True)

    def report(self, seconds: float) -> None:
        """Print the counts and the slowest cases."""
        total = self.tried.total()
        print(
            f"\n{total} cases in {seconds:.0f} CPU seconds ({1000 * seconds / max(1, total):.0f} for 1,000)"
        )
        print("  " + ", ".join(f"{name} {count}" for name, count in self.tried.most_common()))
        print(f"{self.failures} failures")
        for kind, count in sorted(self.kinds.items()):
            print(f"  {count:6} {kind}")
        print("slowest (CPU seconds, words)")
        for taken, words, line in self.times:
            print(f"  {taken:6.2f} {words:5}  {line if len(line) < 150 else line[:100] + ' … ' + line[-45:]}")


def _seconds(case: Case) -> float:
    """The CPU time of a request by itself."""
    start = time.process_time()
    with suppress(laconic.LaconicError):
        case.run()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
