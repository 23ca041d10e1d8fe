"""The program: one command a file, each a thin skin over a function that can be imported."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys

_STDOUT = 1


def main() -> None:
    """Run the program with the arguments of the process."""
    if (
        sys.stderr is None
    ):  # closed by whoever started the program: what is said goes nowhere, not into the answer
        from pathlib import Path

        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:  # likewise; an answer that cannot be written is an error
        from laconic.cli.output import ClosedOutput

        sys.stdout = ClosedOutput()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal without a character is shown its number
    arguments = sys.argv[1:]
    if arguments == ["--version"] and sys.stdout.writable():
        # Answered before anything else is imported: scripts ask for it often.
        from laconic import __version__

        try:
            print(f"laconic {__version__}", flush=True)
        except OSError:
            pass  # which is reported as for any answer
        else:
            return
    _keep_stdout_for_answers()
    # Little of what is loaded at the start is garbage, and to look for it ever again takes a tenth of a short run.
    gc.set_threshold(50_000)
    from laconic.errors import LaconicError
    from laconic.packaged import check_tables

    try:
        check_tables()
        from laconic.cli.application import run

        code = run(arguments)
    except LaconicError as error:  # before the program could say so itself
        print(f"laconic: {error}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:  # while the program was still imported
        code = 130
    # Where it is installed, Numba has it write a reset of colours behind the answer on a terminal.
    if (colorama := sys.modules.get("colorama.initialise")) is not None:
        atexit.unregister(colorama.reset_all)
    # At the end Python would look for garbage among all that Numba made: a sixth of a short run's time.
    gc.freeze()
    sys.exit(code)


def _keep_stdout_for_answers() -> None:
    """Send to stderr what libraries print of their own: the solver of programmes does, and has no option for it."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.fileno() == _STDOUT:
        ours = os.dup(_STDOUT)
        os.dup2(sys.stderr.fileno(), _STDOUT)
        sys.stdout = os.fdopen(
            ours,
            "w",
            buffering=1 if sys.stdout.line_buffering else -1,
            encoding=sys.stdout.encoding,
            errors=sys.stdout.errors,
        )
