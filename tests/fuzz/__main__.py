"""The hunt as a command: `python -m tests.fuzz --cases 1000 --seed 1 --workers 2`."""

from __future__ import annotations

import argparse
import os
import sys
from math import inf
from pathlib import Path

from laconic.files import write_whole
from tests.fuzz.cases import Case
from tests.fuzz.hunt import Plan, Tally, Task, done, hunt


def main() -> int:
    """Run the hunt; the exit code says whether every law held."""
    options = _arguments()
    texts = options.texts.read_text(encoding="utf-8").splitlines() if options.texts else []
    plan = Plan(options.cases, options.seed, tuple(options.systems), tuple(texts), options.hostile)
    if options.only is not None:
        return _only(plan, options.only)
    print(f"seed {plan.seed}, {plan.cases} cases, {options.workers} processes", flush=True)

    def told(tally: Tally, wall: float) -> None:
        print(f"{wall:.0f} s: {tally.cases} cases, {tally.failures} failures", flush=True)
        _write(options.summary, tally.report(plan, wall))

    tally, wall = hunt(
        plan,
        workers=options.workers,
        minutes=options.minutes,
        shown=options.shown,
        shrinking=options.shrink,
        told=told,
    )
    report = tally.report(plan, wall)
    print(report, end="")
    _write(options.summary, report)
    return 1 if tally.failures or tally.too_slow else 0


def _write(path: Path | None, report: str) -> None:
    if path is not None:
        with write_whole(path) as stream:
            stream.write(report.encode("utf-8", "backslashreplace"))


def _only(plan: Plan, number: int) -> int:
    """One case of the seed alone: its line, and what it breaks."""
    case, record = plan.case(number), done(plan, Task("case", number))
    print(case.line() if isinstance(case, Case) else case)
    for violation in record.broken:
        print(f"[{violation.kind}]\n  # {violation.seen}")
    print(f"{record.seconds:.2f} CPU seconds, {'answered' if record.answered else 'refused'}")
    return 1 if record.broken else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Hunt for broken promises.")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes that ask")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--minutes", type=float, default=inf, help="stop after so many, cases left or not")
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="write the report there, too, as it grows"
    )
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this case of the seed alone")
    parser.add_argument("--systems", nargs="+", default=[], help="ask only these systems")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="take the lines of a file as texts, too")
    parser.add_argument("--shown", type=int, default=2, help="failures of each kind to make smaller and show")
    parser.add_argument(
        "--shrink", type=float, default=15.0, metavar="SECONDS", help="for each failure shown"
    )
    parser.add_argument(
        "--no-hostile", dest="hostile", action="store_false", help="only well-formed requests"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
