"""`laconic train`: let a system learn from pairs and store it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from laconic.cli.options import Pairs, Raw
from laconic.cli.pairs import load_pairs
from laconic.cli.progress import progress_bar
from laconic.errors import LaconicError
from laconic.systems.options import configured
from laconic.systems.registry import SYSTEMS, system_class
from laconic.systems.system import System


def train(
    name: str,
    pairs: Path,
    folder: Path,
    *,
    raw: bool = False,
    development: Path | None = None,
    checkpoint: Path | None = None,
    chosen: Mapping[str, str] | None = None,
) -> System:
    """Fit the system of that name to the pairs of a file and save it in a folder.

    Development pairs and the folder of a checkpoint are for systems that use them; for others they are an error.
    `chosen` are options of the system by name, as text.
    """
    plan = configured(system_class(name)(), chosen or {})
    system = plan.system
    taken = signature(system.fit).parameters
    options: dict[str, Any] = dict(plan.arguments)
    if development is not None:
        options["development"] = load_pairs(development, raw=raw)
    if checkpoint is not None:
        options["checkpoint"] = checkpoint
    for option, flag in (("development", "--dev"), ("checkpoint", "--checkpoint")):
        if option in options and option not in taken:
            raise LaconicError(f"the system {name!r} makes no use of {flag}: leave it out")
    if "on_error" in taken:
        options["on_error"] = lambda error: typer.echo(f"left out: {error}", err=True)
    with progress_bar(f"training {name}", answer_on_terminal=False) as report:
        if report is not None and "progress" in taken:
            steps = count(1)
            # Learners that do not know how long they will take say other things than (done, of how many).
            options["progress"] = lambda *news: report(*(news if len(news) == 2 else (next(steps), None)))
        fitted = system.fit(load_pairs(pairs, raw=raw), **options)
    fitted.save(folder)
    return fitted


def train_command(
    system: Annotated[
        str, typer.Argument(metavar="SYSTEM", help=f"One of {', '.join(SYSTEMS)}.", show_default=False)
    ],
    pairs: Pairs,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where the model goes.", show_default=False),
    ],
    raw: Raw = False,
    dev: Annotated[
        Path | None,
        typer.Option(
            "--dev", metavar="FILE", help="Pairs to choose the natural length on.", show_default=False
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

    \b
    Example:
      laconic train truncate --pairs train.jsonl --output models/truncate
      laconic compress --system models/truncate "Some text."
      laconic train em --pairs train.jsonl --dev dev.jsonl --checkpoint state --output models/em
      laconic train bayesian --pairs train.jsonl --option sweeps=1000 --option seed=1 --output models/bayesian
    """
    chosen = named_options(option or [])
    train(system, pairs, output, raw=raw, development=dev, checkpoint=checkpoint, chosen=chosen)
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
