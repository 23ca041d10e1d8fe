"""What is built for a release is the same wherever it is built, and complete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from hashlib import sha256
from pathlib import Path

import pytest

from laconic import __version__

ROOT = Path(__file__).parent.parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def build(tree: Path, output: Path, *, umask: int = 0o022, **environment: str) -> dict[str, Path]:
    """The wheel and the source distribution, built from a tree, by their endings."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(output), str(tree)]
    # The wheel is made of the unpacked source distribution, so that what one lacks the other cannot have.
    done = subprocess.run(
        command, env=os.environ | environment, umask=umask, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.suffix: path for path in output.iterdir()}


def copy(target: Path) -> Path:
    """The source tree again, in another folder, with other dates and stricter permissions."""
    leave = shutil.ignore_patterns("__pycache__", "*.pyc")
    target.mkdir()
    included: list[str] = SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for path in (ROOT / name.strip("/") for name in (*included, "pyproject.toml", ".gitignore")):
        if path.is_dir():
            shutil.copytree(path, target / path.name, ignore=leave, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(path, target / path.name)
    for path in target.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (10**9, 10**9))
    return target


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def unpacked(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(built[".gz"]) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"laconic-{__version__}"


def test_what_builds_knows_the_licences_by_their_names() -> None:
    # Before that, hatchling refuses licences of a project's own (LicenseRef-…).
    needed = [*SETTINGS["build-system"]["requires"], *SETTINGS["project"]["optional-dependencies"]["dev"]]
    versions = [each.partition(">=")[2] for each in needed if each.startswith("hatchling")]
    assert len(versions) == 2
    assert all(tuple(map(int, version.split("."))) >= (1, 26, 3) for version in versions)


@pytest.mark.slow
def test_a_build_is_the_same_to_the_byte(built: dict[str, Path], tmp_path: Path) -> None:
    again = build(
        copy(tmp_path / "elsewhere"),
        tmp_path / "dist",
        umask=0o077,
        TZ="Asia/Tokyo",
        LANG="C",
        PYTHONHASHSEED="7",
    )
    sums = [
        {end: sha256(path.read_bytes()).hexdigest() for end, path in made.items()} for made in (built, again)
    ]
    assert sums[0] == sums[1]
    dated = build(ROOT, tmp_path / "dated", SOURCE_DATE_EPOCH="1700000000")
    assert sha256(dated[".whl"].read_bytes()).hexdigest() != sums[0][".whl"]  # so the comparison can fail


@pytest.mark.slow
def test_the_wheel_carries_the_terms(built: dict[str, Path]) -> None:
    about = f"laconic-{__version__}.dist-info"
    with zipfile.ZipFile(built[".whl"]) as archive:
        names = set(archive.namelist())
        metadata = message_from_bytes(archive.read(f"{about}/METADATA"))
    for name in (
        "LICENSE",
        "NOTICE",
        "LICENSES/Apache-2.0.txt",
        "LICENSES/Unicode-3.0.txt",
        "src/laconic/models/LICENCE.md",
    ):
        assert f"{about}/licenses/{name}" in names
    assert "laconic/models/LICENCE.md" in names
    assert metadata["Version"] == __version__
    assert "English" in metadata["Summary"]


@pytest.mark.slow
def test_the_source_distribution_passes_its_tests(unpacked: Path) -> None:
    """Those that depend on files beside the package; CONTRIBUTING has the whole run before a release."""
    tests = ["tests/test_documentation.py", "tests/test_architecture.py", "tests/test_files.py", "tests/text"]
    terms = ["tests/release/test_terms.py", "tests/release/test_sbom.py"]
    command = [sys.executable, "-m", "pytest", "-m", "not slow", "-p", "no:cacheprovider", *tests, *terms]
    environment = os.environ | {"PYTHONPATH": str(unpacked / "src")}
    done = subprocess.run(command, cwd=unpacked, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
