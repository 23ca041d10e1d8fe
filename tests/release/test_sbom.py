"""The bill of materials names all that a release consists of."""

from __future__ import annotations

import json
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from release.sbom import MODELS, bill_of_materials, main, needed_libraries

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    return bill_of_materials()


def test_every_dependency_is_named(bill: dict[str, Any]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {component["name"] for component in bill["components"] if component["type"] == "library"}
    assert {Requirement(line).name for line in project["dependencies"]} <= named
    assert "llvmlite" in named  # which only Numba asks for
    assert "pytest" not in named  # which only the extras ask for


def test_every_file_of_a_model_has_its_checksum(bill: dict[str, Any]) -> None:
    found = {
        f"{model['name']}/{file['name']}": file["hashes"][0]["content"]
        for model in bill["components"]
        if model["type"] == "machine-learning-model"
        for file in model["components"]
    }
    there = [
        path for folder in MODELS.iterdir() if folder.is_dir() for path in folder.rglob("*") if path.is_file()
    ]
    assert found == {
        path.relative_to(MODELS).as_posix(): sha256(path.read_bytes()).hexdigest() for path in there
    }


def test_every_part_has_a_reference_of_its_own(bill: dict[str, Any]) -> None:
    parts = [bill["metadata"]["component"], *bill["components"]]
    references = [part["bom-ref"] for part in parts]
    assert len(set(references)) == len(references) == 1 + len(bill["components"])
    for dependency in bill["dependencies"]:
        assert {dependency["ref"], *dependency["dependsOn"]} <= set(references)


def test_libraries_are_those_installed() -> None:
    assert all(library.version for _, library in needed_libraries())


def test_the_same_environment_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.json", "b.json"):
        monkeypatch.setattr("sys.argv", ["sbom", str(tmp_path / name)])
        main()
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_bytes())["bomFormat"] == "CycloneDX"
