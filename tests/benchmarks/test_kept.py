"""What is kept of a measurement says what was measured: code, models, data and instructions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from benchmarks._instructions import kernels_in_use
from experiments._sources import model_checksum

from benchmarks import __main__ as benchmarks
from experiments import machines
from laconic.corpora.registry import checksum


def test_a_benchmark_that_is_kept_names_models_and_data(tmp_path: Path, monkeypatch) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for name in ("read.txt", "unread.txt"):
        (data / name).write_text(name)
    monkeypatch.setattr(benchmarks, "RESULTS", tmp_path)
    work = SimpleNamespace(run=lambda folder: print(len((folder / "read.txt").read_text())))
    monkeypatch.setattr(benchmarks, "import_module", lambda _: work)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "gibbs", "--keep", "--data", str(data)])
    benchmarks.main()
    *head, printed = (tmp_path / "gibbs.txt").read_text().splitlines()
    assert printed == "8"
    assert all(line.startswith("# ") for line in head)
    [models], [read] = (
        [line for line in head if line.startswith(f"# {what}: ")] for what in ("models", "data")
    )
    assert f" markov {model_checksum('markov')}," in models and " annotator " in models
    assert read == f"# data: read.txt {checksum(data / 'read.txt')[:12]}"


def test_answers_of_a_machine_name_models_data_and_kernels(tmp_path: Path, capsys) -> None:
    data = tmp_path / "compression"
    data.mkdir()
    for corpus in machines.REGISTERS:
        (data / f"{corpus}.dev.jsonl").write_text("")
    machines.dump(tmp_path / "here.json", iter([]), None, tmp_path)
    setting = json.loads((tmp_path / "here.json").read_text())["setting"]
    assert f"markov {model_checksum('markov')}" in setting["models"]
    assert f"spoken.dev {checksum(data / 'spoken.dev.jsonl')[:12]}" in setting["data"]
    assert setting.items() >= kernels_in_use().items()
    machines.read(tmp_path / "here.json")
    assert setting["NumPy's"] in capsys.readouterr().out


def test_kernels_kept_from_instructions_show() -> None:
    if "X86_V4" not in kernels_in_use()["NumPy's"]:
        pytest.skip("this CPU or NumPy has nothing to keep from")
    kept = {
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "",
    }
    code = "import json; from benchmarks._instructions import kernels_in_use; print(json.dumps(kernels_in_use()))"
    printed = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | kept, capture_output=True, text=True, check=True
    )
    found = json.loads(printed.stdout)
    assert found["our kernels"] == "haswell with no more features"
    assert "X86_V4" not in found["NumPy's"] and "X86_V3" in found["NumPy's"]
