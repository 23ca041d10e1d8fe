"""The matrix says what it saw: versions, differences and what was skipped."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from experiments._environments import COLUMNS, environments, keep, kept, lines

from laconic.corpora.registry import checksum
from tests.environments.__main__ import EXTRAS, Cell, Result, cells, requirements, signature, try_cell

TOLD = {
    "versions": {"python": "3.11.7", "numpy": "2.0"},
    "seconds": {"first answer": 1.5},
    "answers": {"first": "Short."},
}
RESULTS = [Result("a", "all 3 given", True, 500, TOLD), Result("b", "skipped: not here", None)]


def test_every_row_has_every_column() -> None:
    head, _, *rows = lines([result.record() for result in RESULTS])
    assert rows == [result.row() for result in RESULTS]
    assert [line.count(" | ") for line in (head, *rows)] == [len(COLUMNS) - 1] * 3
    assert rows[0] == "| a | 3.11.7 | 2.0 |  |  |  | 500 | 1.5 |  | all 3 given |"


def test_what_is_kept_says_what_was_tried_and_comes_back(tmp_path: Path) -> None:
    wheel = tmp_path / "laconic-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    signed = signature(wheel, built_here=False)
    assert (signed["laconic"], signed["commit"], signed["wheel"]) == ("0.1.0", "unknown", checksum(wheel))
    keep(signed | {"date": "2026-11-08"}, [result.record() for result in RESULTS], tmp_path)
    again, found = kept(tmp_path)
    assert again == signed | {"date": "2026-11-08"}
    assert found == [result.record() for result in RESULTS]
    assert [each["passed"] for each in found] == [True, None] and "answers" not in found[0]
    first, *_, last = environments(tmp_path)
    assert first.startswith("Libraries as of 8 November 2026 ([as measured](") and last == RESULTS[-1].row()


def test_the_stored_matrix_is_signed_and_passed() -> None:
    signed, found = kept()
    assert set(signed) == {"laconic", "commit", "wheel", "date", "machine"}
    assert {cell["passed"] for cell in found} <= {True, None}
    assert len({cell["cell"] for cell in found}) == len(found)


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
