"""The commands put together, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any

import typer

from laconic import __version__
from laconic.cli.output import cannot_write, stop_writing
from laconic.errors import LaconicError

COMMANDS = {
    "compress": "laconic.cli.compress:compress_command",
    "batch": "laconic.cli.batch:batch_command",
    "subtitles": "laconic.cli.subtitles:subtitles_command",
    "explain": "laconic.cli.explain:explain_command",
    "parse": "laconic.cli.parse:parse_command",
    "train": "laconic.cli.train:train_command",
    "evaluate": "laconic.cli.evaluate:evaluate_command",
    "compare": "laconic.cli.compare:compare_command",
    "rate": "laconic.cli.rate:rate_commands",
    "show": "laconic.cli.show:show_command",
    "demo": "laconic.cli.demo:demo_command",
    "warm": "laconic.cli.warm:warm_command",
    "lm": "laconic.cli.lm:lm_commands",
    "mcp": "laconic.cli.mcp:mcp_command",
    "serve": "laconic.cli.serve:serve_command",
}
"""Where each command is: what a run does not need is not imported, which is most of the time it would take."""

_OPTIONS = ("--help", "-h", "--version", "--install-completion", "--show-completion")
# The base of all mistakes on the command line. Typer exports only some of its kinds, and where the base is
# defined depends on Typer's version.
_UsageError: Any = typer.BadParameter.__base__


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with the commands of these names."""
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Shorten English sentences by syntax: shorter, grammatical, exactly as long as you ask.",
        epilog='A text without a command is compressed: laconic "Some text." is laconic compress "Some text."',
    )
    app.callback()(_program)
    for name in names:
        module, _, attribute = COMMANDS[name].partition(":")
        command = getattr(import_module(module), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _with_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with a command in front: what is none is text to compress."""
    if not arguments:
        return ["--help"] if sys.stdin is None or sys.stdin.isatty() else ["compress"]
    first = arguments[0]
    if first in COMMANDS or first in _OPTIONS:
        return list(arguments)
    near = [] if " " in first else get_close_matches(first, COMMANDS, n=1, cutoff=0.75)
    if near:
        raise LaconicError(f"no command {first!r}; did you mean {near[0]!r}?")
    return ["compress", *arguments]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"laconic {__version__}")
        raise typer.Exit


def _program(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run the program and return its exit code: 0, 2 for a mistake of the caller, 130 when
    interrupted, 141 when whoever reads the answer has had enough."""
    try:
        if "_LACONIC_COMPLETE" in os.environ:  # which is how the shell asks for completions
            wanted, names = list(arguments), tuple(COMMANDS)
        else:
            wanted = _with_command(arguments)
            names = (wanted[0],) if wanted[0] in COMMANDS else tuple(COMMANDS)
        code = application(names)(wanted, prog_name="laconic", standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as error:
        return _fail(error.format_message())
    except LaconicError as error:
        return _fail(str(error))
    except BrokenPipeError:
        return stop_writing()
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # which is what Typer makes of it
            return stop_writing()
        raise
    except OSError as error:
        if cannot_write():
            stop_writing()
            return _fail(f"standard output: {error.strerror}")
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    print("laconic: " + " ".join(message.split()), file=sys.stderr)
    return 2
