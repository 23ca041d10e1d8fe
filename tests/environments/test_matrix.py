"""The matrix says what it saw: versions, differences and what was skipped."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from tests.environments.__main__ import (
    COLUMNS,
    EXTRAS,
    MARKS,
    Cell,
    Result,
    cells,
    requirements,
    table,
    try_cell,
    write_into,
)


def test_every_row_has_every_column() -> None:
    told = {"versions": {"python": "3.11.7", "numpy": "2.0"}, "seconds": {"first answer": 1.5}}
    lines = table(
        [Result("a", "all 3 given", True, 500, told), Result("b", "skipped: not here", None)]
    ).splitlines()
    assert [line.count(" | ") for line in lines] == [len(COLUMNS) - 1] * 4
    assert lines[2] == "| a | 3.11.7 | 2.0 |  |  |  | 500 | 1.5 |  | all 3 given |"


def test_the_lowest_libraries_and_every_condition_have_a_cell() -> None:
    found = list(cells(["python3.11", "python3.12"]))
    assert [cell.python for cell in found][:3] == ["python3.11", "python3.12", "python3.11"]
    assert [cell.extras for cell in found if cell.resolution == "lowest-direct"] == [(), EXTRAS]
    assert sum(cell.condition.writable for cell in found) == len(found) - 1


def test_what_cannot_be_installed_fails(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x-1-py3-none-any.whl", "w") as archive:
        archive.writestr(
            "x-1.dist-info/METADATA", 'Requires-Dist: numpy>=1\nRequires-Dist: torch; extra == "train"\n'
        )
    assert requirements(tmp_path / "x-1-py3-none-any.whl") == ["numpy>=1"]
    assert requirements(tmp_path / "x-1-py3-none-any.whl", ["train"]) == ["numpy>=1", "torch"]
    result = try_cell(
        Cell("broken", sys.executable), tmp_path / "x-1-py3-none-any.whl", "/bin/false", tmp_path, None
    )
    assert (result.passed, result.verdict) == (False, "not installed: no message")


def test_only_what_is_between_the_marks_is_replaced(tmp_path: Path) -> None:
    document = tmp_path / "environments.md"
    document.write_text(f"Before\n{MARKS[0]}old\n{MARKS[1]}After\n", encoding="utf-8")
    write_into(document, "new\n")
    assert document.read_text(encoding="utf-8") == f"Before\n{MARKS[0]}new\n{MARKS[1]}After\n"
    document.write_text("no marks", encoding="utf-8")
    with pytest.raises(ValueError):
        write_into(document, "new\n")
