"""`laconic explain`: why each word stayed or went, what else would do, and the best at every length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from laconic.budget import Budget
from laconic.cli.options import LIMITS, MANNER, OutputFile, Texts, options_of, taking
from laconic.cli.output import open_output
from laconic.cli.texts import read_texts, sentences_of
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.systems.system import System


def explained(system: System, sentence: Sentence, budget: Budget | None) -> Iterator[str]:
    """The compression of a sentence, and a line for each word: the decision, its probability, the reason."""
    compression = system.compress(sentence, budget)
    yield f"=> {compression.text}"
    yield from (f"!! {note}" for note in compression.notes)
    width = max(map(len, sentence.words))
    for decision in system.explain(compression):
        sign = "+" if decision.kept else "-"
        reason = "" if decision.kept else f"  {decision.reason(sentence)}"
        probability = "    " if decision.probability is None else f"{decision.probability:4.2f}"
        yield f"{sign} {decision.word:<{width}} {probability}{reason}".rstrip()


def alternatives(system: System, sentence: Sentence, budget: Budget | None, count: int) -> Iterator[str]:
    """The best few compressions of a sentence with their scores, best first."""
    for compression in system.k_best(sentence, count, budget):
        yield f"{compression.score or 0.0:8.2f}  {compression.text}"


def every_length(system: System, sentence: Sentence) -> Iterator[str]:
    """The best compression of a sentence at every number of words, the shortest first."""
    for compression in system.frontier(sentence):
        yield f"{len(compression.words):3d}  {compression.text}"


@taking(*LIMITS, *MANNER)
def explain_command(
    text: Texts = None,
    best: Annotated[
        int | None,
        typer.Option(
            "--best", "-b", metavar="K", help="List the K best compressions.", min=1, show_default=False
        ),
    ] = None,
    lengths: Annotated[
        bool, typer.Option("--every-length", help="List the best compression at every number of words.")
    ] = False,
    output: OutputFile = None,
    **options: Any,
) -> None:
    """Say why each word of a sentence stays or goes; or list what else would do.

    \b
    Examples:
      laconic explain "The council, which met on Tuesday, lowered the fees." --words 6
      laconic explain "The council, which met on Tuesday, lowered the fees." --best 5
      laconic explain "The council, which met on Tuesday, lowered the fees." --every-length
    """
    asked = options_of(options)
    budget = asked.budget()
    if lengths and (budget is not None or best is not None):
        raise LaconicError("--every-length lists all lengths: it takes no limit and no --best")
    opened = system_for(asked)
    with open_output(output) as write:
        for sentence in sentences_of(read_texts(text or ())):
            if lengths:
                rows = every_length(opened, sentence)
            elif best is not None:
                rows = alternatives(opened, sentence, budget, best)
            else:
                rows = explained(opened, sentence, budget)
            for row in rows:
                write(row)
