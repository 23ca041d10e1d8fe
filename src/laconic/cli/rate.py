"""`laconic rate sheet`, `serve` and `score`: people rate what systems wrote, without knowing who did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from laconic.cli.options import Json, OutputFile
from laconic.cli.output import open_output
from laconic.errors import LaconicError

rate_commands = typer.Typer(
    rich_markup_mode=None,
    help="""Have people rate outputs of systems, blind, and test what they say.

    \b
    Examples:
      laconic rate sheet ours=a.jsonl theirs=b.jsonl --output sheet --raters 2
      laconic rate serve sheet-1.csv
      laconic rate score sheet-1.csv sheet-2.csv --key sheet.key.json
    """,
)


def named_files(arguments: list[str]) -> dict[str, Path]:
    """Arguments such as `old=old.jsonl` as names and paths."""
    found: dict[str, Path] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not (name and equals and path) or name in found:
            raise LaconicError(f"expected NAME=FILE, each name once, not {argument!r}")
        found[name] = Path(path)
    return found


@rate_commands.command("sheet")
def rate_sheet_command(
    outputs: Annotated[
        list[str],
        typer.Argument(metavar="NAME=FILE", help="The outputs of each system: JSON Lines, source and text."),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="SHEET", help="Write SHEET-1.csv, ... and SHEET.key.json."),
    ],
    raters: Annotated[int, typer.Option("--raters", metavar="N", help="So many sheets.", min=1)] = 1,
    latin: Annotated[
        bool, typer.Option("--latin", help="One text of each sentence a rater, all systems equally often.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For the random order.")] = 1,
) -> None:
    """Write blind sheets: texts in random order, equal ones once; who wrote what is in the key alone.

    \b
    Examples:
      laconic rate sheet ours=a.jsonl theirs=b.jsonl --output sheet --raters 3
      laconic rate sheet a=a.jsonl b=b.jsonl people=c.jsonl --output sheet --raters 6 --latin
    """
    from laconic.rating.outputs import read_outputs
    from laconic.rating.sheets import sheets_of, write_sheets

    answers = read_outputs(named_files(outputs))
    sheets = sheets_of(answers, raters=raters, design="latin" if latin else "every", seed=seed)
    for path in write_sheets(sheets, output):
        typer.echo(path)


@rate_commands.command("serve")
def rate_serve_command(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET-1.csv", help="The sheet of one rater.")],
    port: Annotated[int, typer.Option("--port", "-p", metavar="N", help="Listen on this port.")] = 8001,
) -> None:
    """Show a sheet on a page of this machine: keys 1 to 5 rate, and every rating is kept in the sheet at once.

    \b
    Examples:
      laconic rate serve sheet-1.csv
    """
    from laconic.rating.server import create_server

    server = create_server(sheet, port)
    typer.echo(f"laconic: http://{server.server_address[0]!s}:{server.server_address[1]}", err=True)
    try:
        server.serve_forever()
    finally:
        server.server_close()


@rate_commands.command("score")
def rate_score_command(
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET-1.csv", help="Rated sheets, one a rater.")],
    key: Annotated[Path, typer.Option("--key", metavar="SHEET.key.json", help="Who wrote what.")],
    json: Json = False,
    output: OutputFile = None,
) -> None:
    """Print what raters made of systems: means, analysis of variance, comparisons, and how far raters agree.

    Tukey's comparisons follow the analysis of variance; t-tests are paired and corrected by Holm's method; agreement is
    Krippendorff's alpha and the mean of Cohen's quadratically weighted kappa. Lines that lack a rating are left out.

    \b
    Examples:
      laconic rate score sheet-1.csv sheet-2.csv --key sheet.key.json
    """
    from laconic.rating.scores import score

    found = score(sheets, key)
    for note in found.notes:
        typer.echo(f"laconic: {note}", err=True)
    with open_output(output) as write:
        write(found.to_json() if json else found.table())
