"""`laconic train`: let a system learn from pairs and store it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from laconic.cli.options import Pairs, Raw
from laconic.cli.pairs import load_pairs
from laconic.systems.registry import SYSTEMS, system_class
from laconic.systems.system import System


def train(name: str, pairs: Path, folder: Path, *, raw: bool = False) -> System:
    """Fit the system of that name to the pairs of a file and save it in a folder."""
    system = system_class(name)().fit(load_pairs(pairs, raw=raw))
    system.save(folder)
    return system


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
) -> None:
    """Let a system learn from sentences and their compressions.

    \b
    Example:
      laconic train truncate --pairs train.jsonl --output models/truncate
      laconic compress --system models/truncate "Some text."
    """
    train(system, pairs, output, raw=raw)
    typer.echo(f"{output}: a model of {system}", err=True)
