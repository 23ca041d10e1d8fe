"""Tables of results as Markdown files, written whole."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from laconic.files import write_whole
from laconic.metrics.report import Report

Row = tuple[str, ...]
Corpora = TypeVar("Corpora")


def percent(report: Report, metric: str, digits: int = 1) -> str:
    """A score in percent, averaged over sentences; nothing where no sentence has one."""
    value = report[metric].score.macro
    return "" if value is None else f"{100 * value:.{digits}f}"


def write_table(path: Path, title: str, note: str, rows: Sequence[Row]) -> None:
    """Write a table, its head first, under a title and a note."""
    head, *body = rows
    lines = [f"# {title}", "", note, "", f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    write_text(path, "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in body), ""]))


def write_text(path: Path, content: str) -> None:
    with write_whole(path) as stream:
        stream.write(content.encode())


def make_tables(
    description: str | None,
    tables: Mapping[str, Callable[[Corpora, Path], None]],
    corpora: Callable[[Path, Path], Corpora],
    output: Path,
) -> None:
    """The program of an experiment: make the tables asked for, from data and a cache of parsed sentences."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", help=f"which to make: {', '.join(tables)} (default: all)")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/annotations.sqlite"))
    parser.add_argument("--output", type=Path, default=output)
    options = parser.parse_args()
    if unknown := set(options.tables) - set(tables):
        parser.error(f"no such table: {', '.join(sorted(unknown))} (there are: {', '.join(tables)})")
    opened = corpora(options.data, options.cache)
    for name in options.tables or tables:
        tables[name](opened, options.output)
