"""Results as pages: Markdown to read, CSV to compute with, SVG to look at; each written whole."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from experiments._plot import bar_plot

from laconic.files import write_whole
from laconic.metrics.report import Report

Row = tuple[str, ...]
"""The cells of a line of a table; its head is the first row."""


@dataclass(frozen=True)
class Table:
    """Rows under a head, with a title if there are several on a page and a note."""

    rows: Sequence[Row]
    title: str = ""
    note: str = ""

    def markdown(self) -> Iterator[str]:
        """The lines of the table."""
        if self.title:
            yield from (f"## {self.title}", "")
        if self.note:
            yield from (self.note, "")
        head, *body = self.rows
        yield f"| {' | '.join(head)} |"
        yield f"| {' | '.join('---' for _ in head)} |"
        for row in body:
            yield f"| {' | '.join(row)} |"


@dataclass(frozen=True)
class Page:
    """A page of results: its file's name without an ending, tables, and pictures by the names of their files.

    `plotted` names a column of the first table that is drawn as bars, published numbers hollow. `listed` are the rows
    to compute with, where those of the tables are not all that is known.
    """

    stem: str
    title: str
    note: str
    tables: Sequence[Table]
    pictures: Mapping[str, str] = field(default_factory=dict)
    plotted: str = ""
    listed: Sequence[Row] = ()

    def files(self, experiment: str) -> Iterator[tuple[str, str]]:
        """The names and contents of the page's files."""
        lines = [f"# {self.title}", "", f"    python -m experiments {experiment}", "", self.note]
        for table in self.tables:
            lines += ["", *table.markdown()]
        pictures = {**self.pictures, **self._bars()}
        for name in pictures:
            lines += ["", f"![{name.removesuffix('.svg')}]({name})"]
        yield f"{self.stem}.md", "\n".join([*lines, ""])
        yield f"{self.stem}.csv", self._csv()
        yield from pictures.items()

    def _bars(self) -> dict[str, str]:
        """The column that is to be drawn, as a picture."""
        if not self.plotted:
            return {}
        head, *rows = self.tables[0].rows
        place = head.index(self.plotted)
        bars = []
        for row in rows:
            if (number := _number(row[place])) is not None:
                first = next(column for column, cell in enumerate(row) if _number(cell) is not None)
                name = ", ".join(cell.strip("*`") for cell in row[: max(1, first)] if cell)
                bars.append((name, number, row[place].startswith("*")))
        return {f"{self.stem}.svg": bar_plot(bars, across=self.plotted)} if bars else {}

    def _csv(self) -> str:
        """All rows as comma-separated values; where there are several tables, the first column names theirs."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows(self.listed)
        for table in () if self.listed else self.tables:
            several = [table.title] if len(self.tables) > 1 else []
            writer.writerows([*several, *row] for row in table.rows)
        return stream.getvalue()


def _number(cell: str) -> float | None:
    """What a cell says, if that is a number, marked or not."""
    try:
        return float(cell.strip("\\*").replace(",", ""))
    except ValueError:
        return None


def percent(report: Report, metric: str, digits: int = 1) -> str:
    """A score in percent, averaged over sentences; nothing where no sentence has one."""
    return in_percent(report[metric].score.macro, digits)


def in_percent(value: float | None, digits: int = 1) -> str:
    """A share in percent; nothing where there is none."""
    return "" if value is None else f"{100 * value:.{digits}f}"


def published(*cells: object) -> Row:
    """Numbers that others have published, marked as such."""
    return tuple(f"*{cell}*" if cell not in ("", None) else "" for cell in cells)


def write_text(path: Path, content: str) -> None:
    """Write a text file whole."""
    with write_whole(path) as stream:
        stream.write(content.encode())
