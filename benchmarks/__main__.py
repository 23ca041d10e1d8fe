"""Run the benchmarks: all, or those named.

python -m benchmarks [name ...] [--data FOLDER] [--keep]

With `--keep`, what a benchmark prints is written to `experiments/results/speed/NAME.txt`, too, with a signature: what
was measured, on what, and when, with the checksums of the models and of the data that was read. Documents quote these
files.
"""

from __future__ import annotations

import argparse
import io
import os
import platform
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout, suppress
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import iter_modules

from experiments._sources import commit_of, shipped_models

import laconic
from laconic.corpora.registry import checksum
from laconic.files import write_whole

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "speed"
LIBRARIES = ("numpy", "numba", "onnxruntime")


class _Both(io.StringIO):
    """What is printed, shown at once and kept."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)  # type: ignore[union-attr]
        return super().write(text)


class Opened:
    """The files of a folder that this process opens, as Python reports them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.paths: set[Path] = set()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            path = Path(arguments[0]).resolve()
            if path.is_relative_to(self._folder):
                self.paths.add(path)


def signature(name: str) -> str:
    """What was measured, on what, and when."""
    libraries = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    return (
        f"# python -m benchmarks {name}\n"
        f"# laconic {laconic.__version__}, commit {commit_of(Path(__file__).parent) or 'unknown'}, "
        f"{datetime.now(UTC):%d %B %Y}\n"
        f"# Python {platform.python_version()}, {libraries}\n"
        f"# {cpu_name()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before\n"
        f"# models: {', '.join(f'{model} {found}' for model, found in shipped_models().items())}\n"
    )


def data_line(paths: Iterable[Path]) -> str:
    """The names and checksums of the files that were read; nothing where none was."""
    read = ", ".join(f"{path.name} {checksum(path)[:12]}" for path in sorted(paths))
    return f"# data: {read}\n" if read else ""


def cpu_name() -> str:
    """What the processor calls itself."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(": ")[2]
    return platform.processor() or platform.machine()


def main() -> None:
    here = Path(__file__).parent
    names = sorted(module.name for module in iter_modules([str(here)]) if not module.name.startswith("_"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed and memory of laconic.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run: {', '.join(names)}")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of corpora")
    parser.add_argument(
        "--keep", action="store_true", help="write what they print to experiments/results/speed, too"
    )
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))} (there are: {', '.join(names)})")
    for name in options.names or names:
        print(f"== {name}")
        module, signed, printed = import_module(f"benchmarks.{name}"), signature(name), _Both()
        opened = Opened(options.data)
        with redirect_stdout(printed):
            module.run(options.data)
        if options.keep:
            with write_whole(RESULTS / f"{name}.txt") as stream:
                stream.write((signed + data_line(opened.paths) + printed.getvalue()).encode())


if __name__ == "__main__":
    main()
