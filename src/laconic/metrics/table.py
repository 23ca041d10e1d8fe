"""Tables of plain text."""

from __future__ import annotations

from collections.abc import Sequence


def render_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with the first column to the left, the others to the right; empty columns are left out.

    >>> print(render_table(("metric", "macro", "best"), [("positional_f1", "0.91", "")]))
    metric         macro
    positional_f1   0.91
    """
    columns = [column for column in zip(head, *rows, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for cells in zip(*columns, strict=True):
        first = cells[0].ljust(widths[0])
        others = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        lines.append("  ".join((first, *others)).rstrip())
    return "\n".join(lines)
