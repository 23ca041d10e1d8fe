"""The matrix: one wheel in many environments, which must all give the same answers.

`python -m tests.environments` looks for Python 3.11 to 3.14 on the path (or takes those of `--pythons`), and for uv,
which makes the environments. Cells that cannot be had here are listed as skipped, with the reason. The exit code is 1
if a cell fails. `--keep` writes what was found to `experiments/results/environments/matrix.json`, with the checksum of
the wheel; documents quote that file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from email import message_from_bytes
from pathlib import Path
from typing import Any

from benchmarks.__main__ import cpu_name
from experiments._environments import keep, lines, row
from experiments._sources import commit_of

from laconic.corpora.registry import checksum
from tests.environments.conditions import CONDITIONS, PLAIN, Condition, Place, missing_tool

ROOT = Path(__file__).parent.parent.parent
SMOKE = Path(__file__).parent / "smoke.py"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# Where wheels must exist for everything we need; nothing runs there, it is only resolved.
PLATFORMS = {
    "Linux on ARM": "aarch64-manylinux_2_28",
    "macOS 14 on ARM": "aarch64-apple-darwin",
    "Windows": "x86_64-pc-windows-msvc",
}
EXTRAS = ("ilp", "serve", "tokenizers")  # which the questions of `smoke.py --extras` need


@dataclass(frozen=True)
class Cell:
    """An environment to try."""

    name: str
    python: str
    resolution: str = "highest"
    condition: Condition = PLAIN
    extras: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """What became of a cell."""

    cell: str
    verdict: str
    passed: bool | None  # None: skipped
    size: int = 0
    told: dict[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """What is kept of it; answers are compared, not kept."""
        told = {name: self.told.get(name, {}) for name in ("versions", "seconds")}
        return {
            "cell": self.cell,
            "verdict": self.verdict,
            "passed": self.passed,
            "megabytes": self.size,
        } | told

    def row(self) -> str:
        """The line of the table."""
        return f"| {' | '.join(row(self.record()))} |"


def cells(pythons: Sequence[str]) -> Iterator[Cell]:
    """All cells for the Pythons that there are, the first of which gives the answers to compare with."""
    for python in pythons:
        yield Cell(f"newest libraries, {Path(python).name}", python)
    yield Cell("lowest allowed libraries", pythons[0], "lowest-direct")
    yield Cell(f"lowest allowed with {', '.join(EXTRAS)}", pythons[0], "lowest-direct", extras=EXTRAS)
    for condition in CONDITIONS[1:]:
        yield Cell(condition.name, pythons[0], condition=condition)


def try_cell(cell: Cell, wheel: Path, uv: str, folder: Path, expected: dict[str, str] | None) -> Result:
    """Install the wheel for a cell, ask it everything, and compare."""
    if not cell.condition.writable and (reason := missing_tool()):
        return Result(cell.name, f"skipped: {reason}", None)
    environment = folder / re.sub(r"\W+", "-", cell.name)
    python = environment / "bin" / "python"
    # What the wheel asks for is asked for directly, since only such requirements are resolved to their lowest versions.
    install = [uv, "pip", "install", "--quiet", "--python", str(python), "--resolution", cell.resolution]
    for command in (
        [uv, "venv", "--quiet", "--no-project", "--python", cell.python, str(environment)],
        [*install, str(wheel), *requirements(wheel, cell.extras)],
    ):
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            return Result(cell.name, f"not installed: {_last_line(done.stderr)}", False)
    size = sum(path.lstat().st_size for path in environment.rglob("*")) // 10**6
    with Place(cell.condition, environment, folder / f"home of {environment.name}") as place:
        done = place.run([python, SMOKE, *(["--extras"] if cell.extras else [])])
    if done.returncode:
        return Result(cell.name, f"failed: {_last_line(done.stderr)}", False, size)
    told = json.loads(done.stdout)
    answers = told["answers"]
    different = [name for name in answers if expected is not None and answers[name] != expected.get(name)]
    if different:
        return Result(
            cell.name, f"{len(different)} of {len(answers)} differ: {', '.join(different)}", False, size, told
        )
    return Result(
        cell.name, f"all {len(answers)} {'given' if expected is None else 'the same'}", True, size, told
    )


def requirements(wheel: Path, extras: Sequence[str] = ()) -> list[str]:
    """What a wheel needs, with these of its extras."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    needed = (line.partition(";") for line in metadata.get_all("Requires-Dist", []))
    wanted = {f"extra=={extra}" for extra in extras}
    return [
        what if "extra" in marker else what + semicolon + marker
        for what, semicolon, marker in needed
        if "extra" not in marker or re.sub(r"[\s'\"]", "", marker) in wanted
    ]


def try_platform(platform: str, wheel: Path, uv: str, folder: Path) -> Result:
    """Whether every library has a wheel for a platform, in each Python."""
    source = folder / "requirements.in"
    source.write_text(f"laconic @ {wheel.as_uri()}\n", encoding="utf-8")
    missing = []
    for version in VERSIONS:
        command = [uv, "pip", "compile", "--quiet", "--no-header", "--only-binary", ":all:", str(source)]
        command += ["--python-version", version, "--python-platform", PLATFORMS[platform]]
        settings = os.environ | {"MACOSX_DEPLOYMENT_TARGET": "14.0"}
        done = subprocess.run(command, env=settings, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            missing.append(f"{version} ({_last_line(done.stderr)})")
    verdict = (
        f"no wheels for {', '.join(missing)}"
        if missing
        else f"wheels for {VERSIONS[0]} to {VERSIONS[-1]}; not run"
    )
    return Result(f"{platform}, on paper", verdict, not missing)


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no message").replace(
        "|", "/"
    )


def signature(wheel: Path, *, built_here: bool) -> dict[str, str]:
    """What was tried, on what, and when: the checksum tells a wheel that was given from one of this commit."""
    _, version, *_ = wheel.name.split("-")
    return {
        "laconic": version,
        "commit": (built_here and commit_of(ROOT)) or "unknown",
        "wheel": checksum(wheel),
        "date": f"{date.today()}",
        "machine": f"{cpu_name()}, {os.cpu_count()} cores",
    }


def _runs(python: str) -> bool:
    try:
        return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main() -> int:
    """Run the matrix, print its table as it grows, and keep it if asked."""
    parser = argparse.ArgumentParser(prog="python -m tests.environments", description=main.__doc__)
    parser.add_argument("--pythons", nargs="+", default=[f"python{version}" for version in VERSIONS])
    parser.add_argument(
        "--uv",
        default=shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"),
    )
    parser.add_argument("--wheel", type=Path, help="by default one is built")
    parser.add_argument(
        "--keep", action="store_true", help="write what is found to experiments/results/environments, too"
    )
    options = parser.parse_args()
    if options.uv is None:
        parser.error("uv is not installed: pip install uv")
    there = [python for python in options.pythons if _runs(python)]
    if not there:
        parser.error(f"none of {', '.join(options.pythons)} runs here")
    results = [
        Result(python, "skipped: not on this machine", None)
        for python in options.pythons
        if python not in there
    ]
    with tempfile.TemporaryDirectory(prefix="environments-") as name:
        folder = Path(name)
        wheel = options.wheel
        if wheel is None:
            build = [
                sys.executable,
                "-m",
                "build",
                "--wheel",
                "--no-isolation",
                "--outdir",
                str(folder / "wheel"),
                str(ROOT),
            ]
            subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
            (wheel,) = (folder / "wheel").iterdir()
        wheel = wheel.resolve()
        signed = signature(wheel, built_here=options.wheel is None)
        print(*lines([result.record() for result in results]), sep="\n", flush=True)
        expected: dict[str, str] | None = None
        for cell in cells(there):
            results.append(try_cell(cell, wheel, options.uv, folder, expected))
            expected = expected or results[-1].told.get("answers")
            print(results[-1].row(), flush=True)
        for platform in PLATFORMS:
            results.append(try_platform(platform, wheel, options.uv, folder))
            print(results[-1].row(), flush=True)
    if options.keep:
        print(keep(signed, [result.record() for result in results]))
    return int(any(result.passed is False for result in results))


if __name__ == "__main__":
    sys.exit(main())
