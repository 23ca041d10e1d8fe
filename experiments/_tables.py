"""Tables of results as Markdown files, written whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from laconic.files import write_whole
from laconic.metrics.report import Report

Row = tuple[str, ...]


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
