"""The options of the commands: those of the one table, and some that only a program has."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from laconic.errors import LaconicError
from laconic.options import AMOUNTS, TABLE, UNITS, Option, Options, Pin
from laconic.systems.registry import SYSTEMS, added_systems

LIMITS = (*UNITS, "ratio", "for_", "tokenizer")
"""The options of the table that set a limit."""

MANNER = ("like", "length", "system")
"""The options of the table that say how a text is cut."""

_PLACE = re.compile(r"@([0-9]+):([0-9]+)")
_LISTS = ("keep", "drop", "protect")
_Command = TypeVar("_Command", bound=Callable[..., Any])


def taking(*names: str) -> Callable[[_Command], _Command]:
    """A command that takes these options of the table in the place of `**options`; those not given are left out."""

    def changed(command: _Command) -> _Command:
        own = inspect.signature(command, eval_str=True)
        # What only the program has comes behind the table, but for what must be given.
        first = [each for each in own.parameters.values() if _comes_first(each)]
        rest = [
            each for each in own.parameters.values() if each not in first and each.kind != each.VAR_KEYWORD
        ]
        table = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_typed(name))
            for name in TABLE
            if name in names
        ]
        rest = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in rest]

        def run(*given: Any, **named: Any) -> Any:
            unset = [name for name in names if named.get(name) in (None, [], False)]
            return command(*given, **{name: value for name, value in named.items() if name not in unset})

        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        parameters = [*first, *table, *rest]
        run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run  # type: ignore[return-value]

    return changed


def options_of(given: Mapping[str, Any], **others: Any) -> Options:
    """The options as the program takes them: places are given as @12:19."""
    options = dict(given)
    for name in ("keep", "drop"):
        if name in options:
            options[name] = [_pin(pin) for pin in options[name]]
    return Options.of({**others, **options})


def flag(name: str) -> str:
    """An option of the table as the program has it."""
    return "--" + name.rstrip("_").replace("_", "-")


def systems(incomplete: str) -> list[tuple[str, str]]:
    """The systems whose names begin so, each with what it does."""
    known = {**SYSTEMS, **added_systems()}
    return [(name, entry.summary) for name, entry in known.items() if name.startswith(incomplete)]


def named_limits(incomplete: str) -> list[str]:
    """The limits of the world whose names begin so."""
    from laconic.limits import NAMES

    return [name for name in NAMES if name.startswith(incomplete)]


def _comes_first(parameter: inspect.Parameter) -> bool:
    required = parameter.default is parameter.empty and parameter.kind != parameter.VAR_KEYWORD
    return required or parameter.name == "text"


def _typed(name: str) -> Any:
    option = TABLE[name]
    kind: Any = str | None
    if name == "drop_sentences":
        kind = bool
    elif name in _LISTS:
        kind = list[str] | None
    names = [flag(name), *([f"-{option.letter}"] if option.letter else [])]

    def completed(incomplete: str) -> list[Any]:
        if name == "system":
            return list(systems(incomplete))
        if name == "for_":
            return list(named_limits(incomplete))
        return [choice for choice in option.choices if choice.startswith(incomplete)]

    return Annotated[
        kind,
        typer.Option(
            *names,
            metavar=option.metavar,
            help=_help(name, option),
            show_default=False,
            autocompletion=completed,
        ),
    ]


def _help(name: str, option: Option) -> str:
    if name == "words":
        return f"{option.help} An AMOUNT is {AMOUNTS}."
    return f"{option.help} Repeatable." if name in _LISTS else option.help


def _pin(pin: str) -> Pin:
    place = _PLACE.fullmatch(pin)
    if place is None and pin.startswith("@") and ":" in pin:
        raise LaconicError(f"{pin!r}: a place is given as @START:END, such as @12:19")
    return pin if place is None else (int(place[1]), int(place[2]))


Texts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TEXT|FILES",
        help="The text, or files to read; without them, standard input is read.",
        show_default=False,
    ),
]
SystemName = Annotated[
    str,
    typer.Option("--system", "-s", metavar="NAME", help=TABLE["system"].help, autocompletion=systems),
]
Lines = Annotated[bool, typer.Option("--lines", help="Every line is a text of its own.")]
Threads = Annotated[
    int | None,
    typer.Option("--threads", min=1, metavar="N", help="Use N cores; by default all.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write to this file, whole or not at all.", show_default=False
    ),
]
Pairs = Annotated[
    Path,
    typer.Option(
        "--pairs",
        "-p",
        metavar="FILE",
        help="Sentences and their compressions, JSON Lines, raw or cut into words.",
        show_default=False,
    ),
]
