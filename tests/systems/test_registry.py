"""Systems are found by name or folder, and every entry of the registry is a system."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic.errors import LaconicError, ModelError
from laconic.storage import Content, write_model
from laconic.systems import registry
from laconic.systems.registry import DEFAULT, SYSTEMS, Entry, open_system, system_class
from laconic.systems.system import System
from laconic.systems.truncate import Truncate


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


def test_a_folder_never_names_code(tmp_path: Path) -> None:
    write_model(tmp_path, "os:system", Content())
    with pytest.raises(ModelError, match="a model of 'os:system', which is no system"):
        open_system(tmp_path)


def test_a_system_without_a_model_says_how_to_train_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SYSTEMS, "learner", Entry("laconic.systems.truncate:Truncate", "learns"))
    with pytest.raises(ModelError, match=r"`laconic train learner --pairs FILE --output FOLDER`"):
        open_system("learner")
