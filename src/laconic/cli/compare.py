"""`laconic compare`: is one system better than another, or is that chance?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from laconic.cli.evaluate import GoldLength, Relations, measure
from laconic.cli.options import LIMITS, Json, OutputFile, options_of, taking
from laconic.cli.output import open_output
from laconic.corpora.cutting import load_pairs
from laconic.errors import LaconicError
from laconic.files import read_lines

if TYPE_CHECKING:
    from laconic.metrics.report import Report


def stored_report(what: str) -> Report | None:
    """The report in a file that `laconic evaluate --json` wrote; None if it is no such file."""
    from laconic.metrics.report import Report

    path = Path(what)
    if path.suffix != ".json" or not path.is_file():
        return None
    return Report.from_json("\n".join(line for _, line in read_lines(path)), source=what)


@taking(*LIMITS)
def compare_command(
    first: Annotated[str, typer.Argument(help="A system, a model's folder, a file of outputs, or a report.")],
    second: Annotated[str, typer.Argument(help="What to compare it with.")],
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            "-p",
            metavar="FILE",
            help="The pairs to measure on; reports need none.",
            show_default=False,
        ),
    ] = None,
    gold_length: GoldLength = False,
    relations: Relations = False,
    json: Json = False,
    output: OutputFile = None,
    **options: Any,
) -> None:
    """Compare two systems on the same pairs, by paired bootstrap and Wilcoxon's test.

    Reports are files ending in .json that `laconic evaluate --json` wrote.

    \b
    Examples:
      laconic compare truncate everything --pairs dev.jsonl
      laconic compare monday.json tuesday.json
    """
    from laconic.metrics.comparison import compare

    budget = options_of(options).budget()
    reports = [stored_report(first), stored_report(second)]
    if None in reports:
        if pairs is None:
            raise LaconicError("--pairs is needed to measure what is not a report")
        corpus = load_pairs(pairs)
    measured = [
        report
        if report is not None
        else measure(what, corpus, budget=budget, gold_length=gold_length, relations=relations)
        for what, report in zip((first, second), reports, strict=True)
    ]
    comparison = compare(*measured)
    with open_output(output) as write:
        write(comparison.to_json() if json else comparison.table())
