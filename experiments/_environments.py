"""Where laconic was tried: the file that `python -m tests.environments --keep` writes, and what documents show of it.

The file stands for itself: its signature says which wheel was tried, when and on what, its cells what became of it in
each environment, with the versions that were installed there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from experiments._pages import Row, Table, write_text
from experiments._runner import RESULTS

COLUMNS = (
    *("cell", "Python", "NumPy", "Numba", "onnxruntime", "Typer"),
    *("MB", "first answer, s", "as a process, s", "answers"),
)
_LIBRARIES = ("python", "numpy", "numba", "onnxruntime", "typer")
_TIMES = ("first answer", "as a process")

Cell = Mapping[str, Any]
"""What became of an environment, as JSON can hold it."""


def row(cell: Cell) -> Row:
    """The line of the table for a cell; what was not reached is left empty."""
    numbers = [cell["versions"].get(name, "") for name in _LIBRARIES]
    numbers += [cell["megabytes"] or "", *(cell["seconds"].get(name, "") for name in _TIMES)]
    return (cell["cell"], *map(str, numbers), cell["verdict"])


def lines(cells: Sequence[Cell]) -> Iterator[str]:
    """The table of so many cells."""
    yield from Table([COLUMNS, *map(row, cells)]).markdown()


def keep(signature: Mapping[str, str], cells: Sequence[Cell], results: Path = RESULTS) -> Path:
    """Write the file whole, one cell a line; returns its path."""
    body = ",\n".join(json.dumps(cell) for cell in cells)
    path = results / "environments" / "matrix.json"
    write_text(path, f'{{"signature": {json.dumps(dict(signature))}, "cells": [\n{body}\n]}}\n')
    return path


def kept(results: Path = RESULTS) -> tuple[dict[str, str], list[Cell]]:
    """The signature and the cells that were kept."""
    content = json.loads((results / "environments" / "matrix.json").read_text(encoding="utf-8"))
    return content["signature"], content["cells"]


def environments(results: Path) -> Iterator[str]:
    """When the libraries were taken, and the table."""
    signature, cells = kept(results)
    taken = date.fromisoformat(signature["date"])
    yield (
        f"Libraries as of {taken.day} {taken:%B %Y} "
        "([as measured](../experiments/results/environments/matrix.json))."
    )
    yield ""
    yield from lines(cells)
