"""`laconic evaluate`: measure a system, or outputs made before, against references."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from laconic.budget import Budget
from laconic.cli.annotator import open_annotator
from laconic.cli.options import LIMITS, MANNER, Json, OutputFile, Pairs, options_of, taking
from laconic.cli.output import open_output
from laconic.cli.progress import progress_bar
from laconic.corpora.cutting import load_pairs, tokeniser_for
from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.files import read_lines
from laconic.options import Options
from laconic.systems.manner import system_for
from laconic.systems.registry import SYSTEMS

if TYPE_CHECKING:
    from laconic.metrics.case import Metric
    from laconic.metrics.report import Report

GoldLength = Annotated[
    bool, typer.Option("--gold-length", help="Hold every output to the exact length of its reference.")
]
Relations = Annotated[bool, typer.Option("--relations", help="Parse, and measure relation F1, too.")]
Readers = Annotated[
    bool, typer.Option("--readers", help="Parse, and estimate the share that readers find good, too.")
]


def measure(
    what: str,
    pairs: list[Pair],
    *,
    budget: Budget | None = None,
    gold_length: bool = False,
    relations: bool = False,
    readers: bool = False,
    options: Options | None = None,
) -> Report:
    """The report on a system, the folder of a model, or a file of outputs, one a line."""
    from laconic.metrics.evaluation import STANDARD, evaluate

    parser = open_annotator().annotate if relations else None
    metrics = (*STANDARD, _estimated_readers()) if readers else STANDARD
    with progress_bar(what, answer_on_terminal=False) as report:
        if what in SYSTEMS or not Path(what).is_file():
            system = system_for(replace(options or Options(), system=what))
            return evaluate(
                system,
                pairs,
                budget=budget,
                gold_length=gold_length,
                metrics=metrics,
                parser=parser,
                progress=report,
                name=what,
            )
        lines = [line for _, line in read_lines(Path(what))]
        cut = tokeniser_for(lines)
        answers = [cut(line).words for line in lines]
        return evaluate(
            answers,
            pairs,
            budget=budget,
            gold_length=gold_length,
            metrics=metrics,
            parser=parser,
            name=what,
        )


def _estimated_readers() -> Metric:
    from laconic.metrics.readers import EstimatedReaders
    from laconic.systems.default.judgement import Judge

    judge = Judge.shipped()
    return EstimatedReaders(judge.probability, judge.signature)


@taking(*LIMITS, *MANNER)
def evaluate_command(
    pairs: Pairs,
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs", metavar="FILE", help="Measure these outputs, one a line.", show_default=False
        ),
    ] = None,
    gold_length: GoldLength = False,
    relations: Relations = False,
    readers: Readers = False,
    json: Json = False,
    output: OutputFile = None,
    **options: Any,
) -> None:
    """Measure a system against people's compressions.

    \b
    Examples:
      laconic evaluate --pairs dev.jsonl --system truncate --ratio 0.7
      laconic evaluate --pairs dev.jsonl --gold-length --json --output report.json
    """
    asked = options_of(options)
    if outputs is not None and not outputs.is_file():
        raise LaconicError(f"{outputs}: no such file of outputs")
    report = measure(
        str(asked.system if outputs is None else outputs),
        load_pairs(pairs),
        budget=asked.budget(),
        gold_length=gold_length,
        relations=relations,
        readers=readers,
        options=asked,
    )
    with open_output(output) as write:
        write(report.to_json() if json else report.table())
