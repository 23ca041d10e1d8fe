"""A table of the package that is missing or was cut short is one clear line, whichever reads it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import laconic
from laconic.errors import LaconicError
from laconic.packaged import END, TABLES, check_tables

PACKAGE = Path(laconic.__file__).parent


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    for name in TABLES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / name, tmp_path / name)
    return tmp_path


def test_every_table_that_is_read_is_known() -> None:
    kinds = (".toml", ".txt", ".headrules")
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*") if path.suffix in kinds}
    assert {name for name in found if not name.startswith("models/")} == set(TABLES)


def test_whole_tables_pass(tables: Path) -> None:
    check_tables()
    check_tables(tables)
    path = tables / TABLES[0]  # as git may check it out elsewhere
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    check_tables(tables)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.999, None])
def test_a_table_cut_short_is_named(name: str, share: float | None, tables: Path) -> None:
    path = tables / name
    content = path.read_bytes()
    if share is None:
        path.unlink()
    else:
        path.write_bytes(content[: int(share * (len(content) - len(END)))])
    with pytest.raises(LaconicError, match=f"{re.escape(str(path))}: missing or cut short"):
        check_tables(tables)


def test_the_program_says_so_in_one_line(tmp_path: Path) -> None:
    package = tmp_path / "laconic"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "models"))
    table = package / "systems" / "default" / "protections.toml"
    table.write_bytes(table.read_bytes()[:9000])
    done = subprocess.run(
        [sys.executable, "-m", "laconic", "compress", "It was late, he said."],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"laconic: {table}: missing or cut short; laconic must be installed again\n"
