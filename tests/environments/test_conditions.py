"""The same answers where nothing may be written, where there is no home, and in the C locale."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

import laconic
from tests.environments import smoke
from tests.environments.conditions import CONDITIONS, PLAIN, Condition, Place, missing_tool

SMOKE = Path(smoke.__file__)
READ_ONLY = next(condition for condition in CONDITIONS if not condition.writable)

pytestmark = pytest.mark.skipif(missing_tool() is not None, reason=str(missing_tool()))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the machine code that it has so far, since compiling is not the question."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(Path(laconic.__file__).parent, folder / "laconic")
    return folder


def answers(condition: Condition, package: Path, home: Path) -> dict[str, str]:
    with Place(condition, package, home) as place:
        done = place.run([sys.executable, SMOKE, "--quick"], PYTHONPATH=str(package))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["place"] == str(package / "laconic")
    found: dict[str, str] = told["answers"]
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def expected(package: Path, home: Path) -> dict[str, str]:
    return answers(PLAIN, package, home)


@pytest.mark.parametrize("condition", [c for c in CONDITIONS[1:] if c.writable], ids=lambda c: c.name)
def test_the_answers_are_the_same(
    condition: Condition, package: Path, home: Path, expected: dict[str, str]
) -> None:
    assert answers(condition, package, home) == expected


def test_the_answers_are_the_same_where_nothing_may_be_written(
    package: Path, expected: dict[str, str], tmp_path: Path
) -> None:
    assert answers(READ_ONLY, package, tmp_path / "home") == expected


def test_the_answers_are_answers(expected: dict[str, str]) -> None:
    assert len(expected["exactly so many characters"].rstrip("\n")) == 60
    assert expected["accents"].startswith("Zoë’s café")
    assert expected["a refusal"].endswith("exit code 2\n")


def test_read_only_is_read_only(tmp_path: Path) -> None:
    package, home = tmp_path / "package", tmp_path / "home"
    with Place(READ_ONLY, package, home) as place:
        for folder in (package, home):
            assert place.run(["touch", folder / "file"]).returncode != 0
    with Place(PLAIN, package, home) as place:
        assert place.run(["touch", package / "file"]).returncode == 0
