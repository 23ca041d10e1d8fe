"""`laconic train`: let a system learn from pairs and store it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from laconic.cli.options import Pairs
from laconic.cli.progress import progress_bar
from laconic.errors import LaconicError
from laconic.systems.registry import SYSTEMS
from laconic.systems.training import Plan


def train_command(
    system: Annotated[
        str, typer.Argument(metavar="SYSTEM", help=f"One of {', '.join(SYSTEMS)}.", show_default=False)
    ],
    pairs: Pairs,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where the model goes.", show_default=False),
    ],
    dev: Annotated[
        Path | None,
        typer.Option(
            "--dev",
            metavar="FILE",
            help="Other pairs, to choose the natural length on and to score; without them, some are held out.",
            show_default=False,
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            metavar="FOLDER",
            help="Where training keeps its state; stopped, it goes on from there.",
            show_default=False,
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUE",
            help="An option of the system; may be given several times. An unknown name lists those there are.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Let a system learn from sentences and their compressions.

    The pairs may be raw or cut into words. The model's card.json says what it was trained on, how, and how it scores.

    \b
    Example:
      laconic train truncate --pairs train.jsonl --output models/truncate
      laconic compress --system models/truncate "Some text."
      laconic train em --pairs train.jsonl --dev dev.jsonl --checkpoint state --output models/em
      laconic train bayesian --pairs train.jsonl --option sweeps=1000 --option seed=1 --output models/bayesian
    """
    plan = Plan(system, pairs, dev, checkpoint, named_options(option or []))
    with progress_bar(f"training {system}", answer_on_terminal=False) as report:
        plan.train(output, progress=report, on_error=lambda error: typer.echo(f"left out: {error}", err=True))
    typer.echo(f"{output}: a model of {system}", err=True)


def named_options(texts: Sequence[str]) -> dict[str, str]:
    """The options of a command line by name; each may be given once.

    >>> named_options(["sweeps=1000", "seed=1"])
    {'sweeps': '1000', 'seed': '1'}
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise LaconicError(f"an option is given as NAME=VALUE, not {text!r}")
        if name in found:
            raise LaconicError(f"the option {name!r} is given twice")
        found[name] = value
    return found
