"""Options that several commands share, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from laconic.budget import PLAIN_WORDS, Budget, Unit
from laconic.errors import LaconicError
from laconic.systems.one_call import open_cached
from laconic.systems.registry import SYSTEMS, open_system
from laconic.systems.system import System

_NUMBER = re.compile(r"\d*\.?\d+")


def _names(incomplete: str) -> list[tuple[str, str]]:
    return [(name, entry.summary) for name, entry in SYSTEMS.items() if name.startswith(incomplete)]


Texts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TEXT",
        help="The text; without it, standard input is read.",
        show_default=False,
    ),
]
Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--file", "-f", metavar="FILE", help="Read text from this file, one text a line.", show_default=False
    ),
]
SystemName = Annotated[
    str,
    typer.Option(
        "--system",
        "-s",
        metavar="NAME",
        help=f"{', '.join(SYSTEMS)}, or the folder of a trained model.",
        autocompletion=_names,
    ),
]
Words = Annotated[
    int | None,
    typer.Option("--words", "-w", metavar="N", help="At most N words, marks included.", show_default=False),
]
Chars = Annotated[
    int | None, typer.Option("--chars", "-c", metavar="N", help="At most N characters.", show_default=False)
]
Plain = Annotated[
    bool,
    typer.Option(
        "--plain", help='Count words as a word processor does: marks do not count, and "isn\'t" is one.'
    ),
]
Ratio = Annotated[
    float | None,
    typer.Option("--ratio", "-r", metavar="R", help="At most R of the words, 0 to 1.", show_default=False),
]
Tokens = Annotated[
    int | None,
    typer.Option(
        "--tokens", "-t", metavar="N", help="At most N tokens of the --tokenizer.", show_default=False
    ),
]
TokenizerName = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="NAME",
        help="A tokenizer.json, tiktoken:ENCODING, or bytes.",
        show_default=False,
    ),
]
Register = Annotated[
    str | None,
    typer.Option(
        "--register",
        metavar="NAME",
        help="Whose compressions to imitate: news (keeps 2/5), spoken (5/6) or written (4/5).",
        show_default=False,
    ),
]
Style = Annotated[
    str | None,
    typer.Option(
        "--style",
        metavar="STYLE",
        help="How much to keep without a limit: terse, balanced, safe, or 0 to 1.",
        show_default=False,
    ),
]
Exact = Annotated[bool, typer.Option("--exact", help="Exactly that many, not at most.")]
AtLeast = Annotated[bool, typer.Option("--at-least", help="At least that many, not at most.")]
Minimum = Annotated[
    float | None,
    typer.Option(
        "--min", metavar="N", help="And no less than N of the same: -w 12 --min 8.", show_default=False
    ),
]
Protect = Annotated[
    list[str] | None,
    typer.Option(
        "--protect",
        metavar="KIND",
        help="Keep all names, numbers or negations. Repeatable.",
        show_default=False,
    ),
]
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
        help="Sentences and their compressions, JSON Lines.",
        show_default=False,
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="The pairs are raw text, not yet cut into words.")]


def budget_of(
    *,
    words: int | None = None,
    chars: int | None = None,
    tokens: int | None = None,
    tokenizer: str | None = None,
    ratio: float | None = None,
    minimum: float | None = None,
    exact: bool = False,
    at_least: bool = False,
    plain: bool = False,
) -> Budget | None:
    """The budget that the options ask for; None if they ask for none.

    >>> budget_of(words=12)
    Budget(least=None, most=12, unit='words', relative=False)
    """
    amounts = {"--words": words, "--chars": chars, "--tokens": tokens, "--ratio": ratio}
    given = [name for name, value in amounts.items() if value is not None]
    if len(given) > 1:
        raise LaconicError(f"{given[0]} and {given[1]} exclude each other")
    wanted = {"--exact": exact, "--at-least": at_least, "--min": minimum is not None}
    manners = [name for name, value in wanted.items() if value]
    if len(manners) > 1:
        raise LaconicError(f"{manners[0]} and {manners[1]} exclude each other")
    if plain and words is None and ratio is None:
        raise LaconicError("--plain needs --words or --ratio")
    if (tokens is None) != (tokenizer is None):
        raise LaconicError("--tokens and --tokenizer need each other")
    if not given:
        if manners:
            raise LaconicError(f"{manners[0]} needs --words, --chars, --tokens or --ratio")
        return None
    unit: Unit = PLAIN_WORDS if plain else "words" if chars is None else "characters"
    if tokenizer is not None:
        from laconic.units.tokenizers import open_tokenizer

        unit = open_tokenizer(tokenizer)
    amount = next((value for value in (words, chars, tokens) if value is not None), None)
    if minimum is not None:
        most = ratio if amount is None else amount
        assert most is not None
        return Budget.between(minimum, most, unit=unit, relative=amount is None)
    make = Budget.exactly if exact else Budget.at_least if at_least else Budget.at_most
    return make(amount, ratio=ratio, unit=unit)


def open_styled(
    system: str, *, register: str | None = None, style: str | None = None, protect: Sequence[str] = ()
) -> System:
    """A system by name or folder, the default one in a register and a style, with words it protects."""
    if register is None and style is None and not protect:
        return open_system(system)
    manner = float(style) if style is not None and _NUMBER.fullmatch(style) else style
    return open_cached(system, register=register, style=manner, protect=tuple(protect))
