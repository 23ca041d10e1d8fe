"""The commands put together, and what becomes of errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from laconic import __version__
from laconic.cli.compare import compare_command
from laconic.cli.compress import compress_command
from laconic.cli.demo import demo_command
from laconic.cli.evaluate import evaluate_command
from laconic.cli.explain import explain_command
from laconic.cli.lm import lm_commands
from laconic.cli.parse import parse_command
from laconic.cli.show import show_command
from laconic.cli.train import train_command
from laconic.errors import LaconicError

_OPTIONS = ("--help", "-h", "--version", "--install-completion", "--show-completion")
# The base of all mistakes on the command line. Typer exports only some of its kinds, and where the base is
# defined depends on Typer's version.
_UsageError: Any = typer.BadParameter.__base__


class _Commands(TyperGroup):
    """Commands by name; anything else is text to compress."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # which is how the shell asks for completions
            args = self._with_command(args)
        return super().parse_args(ctx, args)

    def _with_command(self, args: list[str]) -> list[str]:
        if not args:
            return ["--help"] if sys.stdin is None or sys.stdin.isatty() else ["compress"]
        if args[0] in self.commands or args[0] in _OPTIONS:
            return args
        near = [] if " " in args[0] else get_close_matches(args[0], self.commands, n=1, cutoff=0.75)
        if near:
            raise LaconicError(f"no command {args[0]!r}; did you mean {near[0]!r}?")
        return ["compress", *args]


app = typer.Typer(
    cls=_Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Shorten English sentences by syntax: shorter, grammatical, exactly as long as you ask.",
    epilog='A text without a command is compressed: laconic "Some text." is laconic compress "Some text."',
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"laconic {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


app.command("compress")(compress_command)
app.command("explain")(explain_command)
app.command("parse")(parse_command)
app.command("train")(train_command)
app.command("evaluate")(evaluate_command)
app.command("compare")(compare_command)
app.command("show")(show_command)
app.command("demo")(demo_command)
app.add_typer(lm_commands, name="lm")


def run(arguments: Sequence[str]) -> int:
    """Run the program and return its exit code: 0, 2 for a mistake of the caller, 130 when interrupted."""
    try:
        code = app(list(arguments), prog_name="laconic", standalone_mode=False)
    except _UsageError as error:
        return _fail(error.format_message())
    except LaconicError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    print("laconic: " + " ".join(message.split()), file=sys.stderr)
    return 2
