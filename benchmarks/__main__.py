"""Run the benchmarks: all, or those named.

python -m benchmarks [name ...] [--data FOLDER]
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules


def main() -> None:
    here = Path(__file__).parent
    names = sorted(module.name for module in iter_modules([str(here)]) if not module.name.startswith("_"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed and memory of laconic.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run: {', '.join(names)}")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of corpora")
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))} (there are: {', '.join(names)})")
    for name in options.names or names:
        print(f"== {name}")
        import_module(f"benchmarks.{name}").run(options.data)


if __name__ == "__main__":
    main()
