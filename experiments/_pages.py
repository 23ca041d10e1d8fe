"""Results as pages: Markdown to read, CSV to compute with, SVG to look at; each written whole."""

from __future__ import annotations

import csv
import io
import re
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
        """All rows as comma-separated values under one head, without marks.

        Where there are several tables, the first column names theirs; where rows were published by others, the last
        column says which.
        """
        tables = [Table(self.listed)] if self.listed else self.tables
        rows = [
            dict(_plain_row(table, several=len(tables) > 1, row=row))
            for table in tables
            for row in table.rows[1:]
        ]
        heads = dict.fromkeys(head for row in rows for head in row if head != PUBLISHED)
        if any(row[PUBLISHED] for row in rows):
            heads[PUBLISHED] = None
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(heads), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return stream.getvalue()


PUBLISHED = "published"
_ITALIC = re.compile(r"\*(.+)\*")
_CODE = re.compile(r"`([^`]*)`")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")


def _plain_row(table: Table, *, several: bool, row: Row) -> Iterator[tuple[str, str]]:
    """The cells of a row under unique heads, and whether its name or all of its numbers are marked as published."""
    if several:
        yield "table", table.title
    yield from zip(_unique(table.rows[0]), map(_unmarked, row), strict=True)
    italic = [bool(_ITALIC.fullmatch(cell)) for cell in row]
    numbers = [is_italic for is_italic, cell in zip(italic, row, strict=True) if _number(cell) is not None]
    yield PUBLISHED, "yes" if italic[0] or (any(italic) and all(numbers)) else ""


def _unique(head: Row) -> Iterator[str]:
    """The names of columns; one that stands there several times is told by the last before it that does not."""
    before = ""
    for name in head:
        repeated = head.count(name) > 1
        before = before if repeated else name
        yield _unmarked(f"{before} {name}" if repeated else name)


def _unmarked(cell: str) -> str:
    """A cell without what Markdown marks, numbers without signs between their thousands; nothing for a dash."""
    if italic := _ITALIC.fullmatch(cell):
        cell = italic[1]
    cell = _CODE.sub(r"\1", cell).removesuffix("\\*")
    return "" if cell == "-" else cell.replace(",", "") if _THOUSANDS.fullmatch(cell) else cell


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
