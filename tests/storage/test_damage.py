"""No damage to a model is met by anything but one clear line: nothing loads, nothing crashes, memory is bounded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from laconic.cli.application import run
from laconic.errors import ModelError
from laconic.storage import checksum_of
from tests.storage.damages import CARDS, LOADERS, MODELS, copied, damage, put, removed, unharmed
from tests.storage.test_model_folder import bomb

ROOT = Path(__file__).parent.parent.parent
SHIPPED = sorted(set(LOADERS) - {"annotator"})


def test_every_shipped_model_is_damaged() -> None:
    assert set(LOADERS) == {path.name for path in MODELS.iterdir() if path.is_dir()}


def hunt(numbers: range, folder: Path) -> Counter[str]:
    """Load every damaged model; whatever is not refused by a line is a failure that names the number."""
    seen: Counter[str] = Counter()
    for number in numbers:
        name, done = damage(number, folder)
        what = f"damage {number}, {name}/{done}"
        try:
            LOADERS[name](folder)
        except ModelError as error:
            assert str(folder) in str(error) and "\n" not in str(error), what
            assert len(str(error)) < 300 + len(str(folder)), what
            seen[name] += 1
        except Exception as error:
            pytest.fail(f"{what}: {error!r}")
        else:
            assert unharmed(name, folder) and done.startswith("card.json: flip"), f"{what} loads"
        removed(folder)
    return seen


def test_damaged_models_are_refused_in_one_line(tmp_path: Path) -> None:
    assert set(hunt(range(150), tmp_path / "model")) == set(LOADERS)


@pytest.mark.slow
def test_many_damaged_models_are_refused_in_one_line(tmp_path: Path) -> None:
    hunt(range(1000, 1000 + int(os.environ.get("LACONIC_DAMAGES", "3000"))), tmp_path / "model")


def test_the_hunt_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LOADERS:
        monkeypatch.setitem(LOADERS, name, lambda _: None)
    with pytest.raises(AssertionError, match=r"damage 0, .* loads"):
        hunt(range(1), tmp_path / "model")


@pytest.mark.parametrize("content", CARDS, ids=range(len(CARDS)))
def test_the_program_says_it_in_a_line_and_exits_with_2(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "model"
    copied("markov", folder)
    put(folder / "card.json", content)
    assert run(["compress", "--system", str(folder), "It fell again."]) == 2
    captured = capsys.readouterr()
    assert (
        captured.out == "" and captured.err.startswith(f"laconic: {folder}") and captured.err.count("\n") == 1
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process's own memory is Linux's to tell")
def test_memory_is_bounded(tmp_path: Path) -> None:
    """A text that expands to 64 MiB, as its card says, and holds nothing but line ends."""
    folder = tmp_path / "model"
    shutil.copytree(MODELS / "news-trigram", folder)
    bomb(folder, "vocabulary.txt", b"\n" * (1 << 26), 1 << 26)
    code = """
import sys
from pathlib import Path
from laconic.ngram import load
try:
    load(Path(sys.argv[1]))
except ValueError as error:
    status = Path("/proc/self/status").read_text()
    print(int(status.partition("VmHWM:")[2].split()[0]) // 1024, error)
"""
    command = [sys.executable, "-c", code, str(folder)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert int(found.split()[0]) < 500 and "`vocabulary` must be a text of at most" in found


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_cards_say_where_models_come_from(name: str) -> None:
    card = json.loads((MODELS / name / "card.json").read_text())
    assert {"kind", "name", "laconic", "options", "settings", "files", "checksum"} <= set(card)
    data = card.get("training") or card["data"]
    checksums = data.get("sha256", data)
    assert all(len(checksum) == 64 for checksum in checksums.values())
    for needed, checksum in card.get("needs", {}).items():
        if needed == "annotator":  # that of the network whose trees it was learnt from, be it a forerunner
            assert len(checksum) == 64
            assert f"`{checksum[:8]}`" in (ROOT / "training/README.md").read_text(encoding="utf-8")
        else:
            assert checksum == checksum_of(MODELS / needed)


def test_models_together_are_small() -> None:
    folders = [folder for folder in MODELS.iterdir() if folder.is_dir()]
    sizes = {folder.name: sum(path.stat().st_size for path in folder.iterdir()) for folder in folders}
    assert sum(sizes.values()) <= 60 << 20
    assert sum(sizes[name] for name in SHIPPED) <= 8 << 20
