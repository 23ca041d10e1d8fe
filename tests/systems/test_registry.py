"""Systems are found by name or folder, and every entry of the registry is a system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import laconic
from laconic.errors import LaconicError, ModelError
from laconic.storage import Content, write_model
from laconic.systems import registry
from laconic.systems.registry import DEFAULT, SYSTEMS, Entry, added_systems, open_system, system_class
from laconic.systems.system import System
from laconic.systems.truncate import Truncate

MODELS = Path(laconic.__file__).parent / "models"


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_entry_is_a_system_of_that_name(name: str) -> None:
    found = system_class(name)
    assert found.name == name
    assert all(callable(getattr(found, method)) for method in ("fit", "compress", "save", "load"))
    assert SYSTEMS[name].summary and found.__doc__


def test_a_system_is_opened_by_name_or_by_folder(tmp_path: Path) -> None:
    assert isinstance(open_system(), System)
    assert open_system().name == DEFAULT
    Truncate(0.5).save(tmp_path)
    assert open_system(tmp_path) == open_system(str(tmp_path)) == Truncate(0.5)


def test_unknown_names_get_suggestions() -> None:
    with pytest.raises(LaconicError, match=r"no system 'trunkate' and no such folder; known: truncate$"):
        open_system("trunkate")
    with pytest.raises(LaconicError, match=f"known: {', '.join(SYSTEMS)}"):
        open_system("zzz")


@pytest.mark.parametrize("name", ["annotator", "news-trigram", "ties"])
def test_a_sound_model_that_is_no_system_is_not_called_damaged(name: str) -> None:
    with pytest.raises(ModelError, match=f"{name}: a model of '[a-z -]+', which is no system"):
        open_system(MODELS / name)


def test_a_folder_never_names_code(tmp_path: Path) -> None:
    write_model(tmp_path, "os:system", Content())
    with pytest.raises(ModelError, match="a model of 'os:system', which is no system"):
        open_system(tmp_path)


def test_a_system_without_a_model_says_how_to_train_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SYSTEMS, "learner", Entry("laconic.systems.truncate:Truncate", "learns"))
    with pytest.raises(ModelError, match=r"`laconic train learner --pairs FILE --output FOLDER`"):
        open_system("learner")


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of somebody else on the path, which adds systems."""
    (tmp_path / "others.py").write_text(
        "from laconic.systems.truncate import Truncate\n"
        "class Halves(Truncate):\n    'Keeps a half.'\n    name = 'halves'\n"
        "    def __init__(self):\n        super().__init__(0.5)\n"
    )
    information = tmp_path / "others-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[laconic.systems]\nhalves = others:Halves\nbroken = others:Nothing\nstrange = others:__name__\n"
        "truncate = others:Halves\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    added_systems.cache_clear()
    yield
    added_systems.cache_clear()


@pytest.mark.usefixtures("other_package")
def test_other_packages_add_systems_by_entry_points() -> None:
    assert open_system("halves").name == "halves"
    assert laconic.compress("It fell again today", system="halves").text == "It fell"
    assert added_systems()["halves"].summary == "a system of others"
    assert isinstance(open_system("truncate"), Truncate) and open_system("truncate").name == "truncate"
    for name, message in (
        ("broken", "cannot be loaded"),
        ("strange", "is no System"),
        ("halve", "known: halves"),
    ):
        with pytest.raises(LaconicError, match=message):
            open_system(name)
