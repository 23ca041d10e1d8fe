"""What a result was measured by is told apart by what runs, and by that alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments._code import code_checksum
from experiments._experiment import Job

from experiments import _code

START = """'Begins.'
from laconic import near
from laconic.room import thing


def work():
    import laconic.late
"""
FILES = {
    "start.py": START,
    "near.py": "VALUE = 1\n",
    "late.py": "def f(x):\n    return x + 1\n",
    "room/__init__.py": "from laconic.room.inside import thing\n",
    "room/inside.py": "thing = 3\n",
    "apart.py": "VALUE = 1\n",
}
CACHED = (_code._parsed, _code._module_checksum, _code._imported, _code._path, _code._checksum_from)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_code, "_ROOTS", {"laconic": tmp_path})
    (tmp_path / "room").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def checksum() -> str:
    for cached in CACHED:
        cached.cache_clear()
    work = type("Work", (), {"__module__": "laconic.start"})
    return code_checksum(Job("job", work))


@pytest.fixture(autouse=True)
def _forgotten():
    yield
    for cached in CACHED:
        cached.cache_clear()


@pytest.mark.parametrize("name", ["near.py", "late.py", "room/__init__.py", "room/inside.py"])
def test_code_that_can_be_imported_counts(package: Path, name: str) -> None:
    before = checksum()
    with (package / name).open("a") as stream:
        stream.write("more = 5\n")
    assert checksum() != before


def test_other_code_comments_docstrings_and_layout_do_not(package: Path) -> None:
    before = checksum()
    (package / "apart.py").write_text("VALUE = 2\n")
    (package / "start.py").write_text(START.replace("Begins.", "Begins again."))
    (package / "late.py").write_text(
        'def f(x):  # one more\n    """One more."""\n    return (x\n        + 1)\n'
    )
    assert checksum() == before


def test_a_system_counts_where_it_is_named() -> None:
    def work() -> None: ...

    plain = code_checksum(Job("job", work))
    named = {code_checksum(Job("job", work, {"system": name})) for name in ("markov", "truncate")}
    used = code_checksum(Job("job", work, uses=("markov", "parser")))
    assert len({plain, *named}) == 3 and used in named
