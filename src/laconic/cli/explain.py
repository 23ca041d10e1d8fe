"""`laconic explain`: why each word stayed or went, what else would do, and the best at every length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from laconic.cli.options import Json, OutputFile, Texts, options_of, taking
from laconic.cli.output import open_output
from laconic.cli.texts import Text, read_texts
from laconic.documents.compress import TextRequest, request_of
from laconic.documents.explain import explain_with
from laconic.errors import LaconicError
from laconic.formats.jsonl import format_line
from laconic.options import TABLE
from laconic.systems.manner import system_for
from laconic.systems.reasons import MOST


def alternatives(request: TextRequest, count: int) -> Iterator[str]:
    """The best few compressions of each sentence with their scores, best first."""
    if len(request.parts) > 1 and len(request.sharing(0)) > 1:
        raise LaconicError("--best lists what one sentence can be: with --per sentence each has the limit")
    for part in request.parts:
        found = request.system.k_best(part.sentence, count, request.budget, keep=part.keep, drop=part.drop)
        for compression in found:
            yield f"{compression.score or 0.0:8.2f}  {compression.text}"


def every_length(request: TextRequest) -> Iterator[str]:
    """The best compression of each sentence at every number of words, the shortest first."""
    for part in request.parts:
        for compression in request.system.frontier(part.sentence, keep=part.keep, drop=part.drop):
            yield f"{len(compression.words):3d}  {compression.text}"


@taking(*TABLE)
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
    rivals: Annotated[
        int,
        typer.Option("--rivals", metavar="K", min=0, help="Say what else would do for the first K words."),
    ] = MOST,
    json: Json = False,
    html: Annotated[bool, typer.Option("--html", help="Write HTML.")] = False,
    output: OutputFile = None,
    **options: Any,
) -> None:
    """Say why each word of a text stays or goes; or list what else would do.

    The answer is that of `compress` with the same options. The number behind a word is what it costs to have it the
    other way: the score of the best answer in which it goes, or stays, is so much lower.

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
    if (json and html) or ((json or html) and (lengths or best is not None)):
        raise LaconicError("--json and --html are two forms of reasons: give one of them, without a list")
    opened = system_for(asked)

    def rows(text: str) -> Iterator[str]:
        if lengths:
            return every_length(request_of(opened, text, asked, budget))
        if best is not None:
            return alternatives(request_of(opened, text, asked, budget), best)
        explained = explain_with(opened, text, asked, budget)
        if json:
            return iter([format_line(explained.to_dict(rivals))])
        return iter([explained.html(rivals)] if html else explained.lines(rivals))

    with open_output(output) as write:
        for each in read_texts(text or ()):
            for row in _blaming(each, rows):
                write(row)


def _blaming(text: Text, rows: Any) -> list[str]:
    try:
        return list(rows(text.text.removesuffix("\n")))
    except LaconicError as error:
        raise text.blame(error) from None
