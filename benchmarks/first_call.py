"""What the first answer of each system costs where no kernel has been compiled, and where all are at hand.

Every system starts with an empty cache, in a process of its own, from a copy of the package without machine code.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import laconic
from laconic.systems.registry import SYSTEMS

ASK = """
import sys
from contextlib import suppress
from laconic import Budget, InfeasibleBudget, open_system
with suppress(InfeasibleBudget):  # one system keeps everything
    open_system(sys.argv[1]).compress(sys.argv[2], Budget.at_most(8))
"""
SENTENCE = "On Tuesday the council agreed to lower the fees for the pool, which had risen twice last year."


def seconds(name: str, folder: Path) -> float:
    """The processor time of a process that asks a system once, with the package in that folder."""
    apart = {place: str(folder) for place in ("PYTHONPATH", "XDG_CACHE_HOME", "TMPDIR")}
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"} | apart
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", ASK, name, SENTENCE], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(data: Path) -> None:  # noqa: ARG001  (asks for one sentence)
    print(f"{'processor seconds to the first answer':40s} {'no kernels':>10s} {'kernels':>8s}")
    for name, entry in SYSTEMS.items():
        if entry.can_run:
            with TemporaryDirectory() as folder:
                home = Path(laconic.__file__).parent
                shutil.copytree(home, Path(folder) / home.name, ignore=shutil.ignore_patterns("*.kernel"))
                cold, warm = (seconds(name, Path(folder)) for _ in range(2))
            print(f"{name:40s} {cold:10.1f} {warm:8.1f}", flush=True)
