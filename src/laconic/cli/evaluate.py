"""`laconic evaluate`: measure a system, or outputs made before, against references."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from laconic.budget import Budget
from laconic.cli.annotator import open_annotator
from laconic.cli.options import (
    AtLeast,
    Chars,
    Exact,
    Json,
    Minimum,
    OutputFile,
    Pairs,
    Ratio,
    Raw,
    Register,
    Style,
    SystemName,
    Words,
    budget_of,
    open_styled,
)
from laconic.cli.output import open_output
from laconic.cli.pairs import load_pairs
from laconic.cli.progress import progress_bar
from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.files import read_lines
from laconic.systems.registry import DEFAULT, SYSTEMS
from laconic.text.tokenise import tokenise

if TYPE_CHECKING:
    from laconic.metrics.report import Report

GoldLength = Annotated[
    bool, typer.Option("--gold-length", help="Hold every output to the exact length of its reference.")
]
Relations = Annotated[bool, typer.Option("--relations", help="Parse, and measure relation F1, too.")]


def measure(
    what: str,
    pairs: list[Pair],
    *,
    budget: Budget | None = None,
    gold_length: bool = False,
    relations: bool = False,
    raw: bool = False,
    register: str | None = None,
    style: str | None = None,
) -> Report:
    """The report on a system, the folder of a model, or a file of outputs, one a line."""
    from laconic.metrics.evaluation import evaluate

    parser = open_annotator().annotate if relations else None
    with progress_bar(what, answer_on_terminal=False) as report:
        if what in SYSTEMS or not Path(what).is_file():
            system = open_styled(what, register=register, style=style)
            return evaluate(
                system,
                pairs,
                budget=budget,
                gold_length=gold_length,
                parser=parser,
                progress=report,
                name=what,
            )
        lines = [line for _, line in read_lines(Path(what))]
        answers = [tokenise(line).words for line in lines] if raw else [line.split() for line in lines]
        return evaluate(answers, pairs, budget=budget, gold_length=gold_length, parser=parser, name=what)


def evaluate_command(
    pairs: Pairs,
    system: SystemName = DEFAULT,
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs", metavar="FILE", help="Measure these outputs, one a line.", show_default=False
        ),
    ] = None,
    words: Words = None,
    chars: Chars = None,
    ratio: Ratio = None,
    minimum: Minimum = None,
    exact: Exact = False,
    at_least: AtLeast = False,
    gold_length: GoldLength = False,
    relations: Relations = False,
    register: Register = None,
    style: Style = None,
    raw: Raw = False,
    json: Json = False,
    output: OutputFile = None,
) -> None:
    """Measure a system against people's compressions.

    \b
    Examples:
      laconic evaluate --pairs dev.jsonl --system truncate --ratio 0.7
      laconic evaluate --pairs dev.jsonl --gold-length --json --output report.json
    """
    budget = budget_of(words=words, chars=chars, ratio=ratio, minimum=minimum, exact=exact, at_least=at_least)
    if outputs is not None and not outputs.is_file():
        raise LaconicError(f"{outputs}: no such file of outputs")
    report = measure(
        system if outputs is None else str(outputs),
        load_pairs(pairs, raw=raw),
        budget=budget,
        gold_length=gold_length,
        relations=relations,
        raw=raw,
        register=register,
        style=style,
    )
    with open_output(output) as write:
        write(report.to_json() if json else report.table())
