"""The program: one command a file, each a thin skin over a function that can be imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the program with the arguments of the process."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        # Answered before anything else is imported: scripts ask for it often.
        from laconic import __version__

        print(f"laconic {__version__}")
        return
    from laconic.cli.application import run

    sys.exit(run(arguments))
