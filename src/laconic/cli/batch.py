"""`laconic batch`: shorten the rows of files of any size on all cores, to be stopped and taken up at any moment."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from laconic.cli.options import options_of, taking
from laconic.errors import LaconicError
from laconic.options import TABLE

_SOON, _SELDOM = 0.2, 60.0  # seconds between reports: to a terminal, to a log


@taking(*TABLE)
def batch_command(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="IN... OUT",
            help="Files or patterns of jsonl, csv, tsv, parquet or txt, also .gz or .zst, and the file to write.",
            show_default=False,
        ),
    ],
    column: Annotated[
        str, typer.Option("--column", metavar="NAME", help="The column that holds the texts.")
    ] = "text",
    into: Annotated[
        str, typer.Option("--into", metavar="NAME", help="The column for the shortened texts.")
    ] = "compressed",
    error_column: Annotated[
        str, typer.Option("--error-column", metavar="NAME", help="The column that says what went wrong.")
    ] = "error",
    from_column: Annotated[
        list[str] | None,
        typer.Option(
            "--from-column",
            metavar="OPTION=NAME",
            help="Take an option from a column, row by row, such as words=room. Repeatable.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", min=1, metavar="N", help="Processes; by default one a core.", show_default=False
        ),
    ] = None,
    shard_rows: Annotated[
        int,
        typer.Option("--shard-rows", min=1, metavar="N", help="Rows that are done, or done again, at once."),
    ] = 1000,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin anew, and replace what is there.")
    ] = False,
    **options: Any,
) -> None:
    """Shorten the rows of files; after a stop, even by force, the same command goes on where it was.

    \b
    Examples:
      laconic batch news.jsonl short.jsonl --column body --words 12
      laconic batch "crawl/*.parquet" short.parquet --characters 280 --drop-sentences
      laconic batch titles.csv.gz short.csv.gz --from-column characters=room --impossible nearest
    """
    from laconic.batch.job import Job
    from laconic.batch.rows import Columns

    if len(paths) < 2:
        raise LaconicError("expected the files to read and the file to write: laconic batch IN... OUT")
    named = _from_columns(from_column or [])
    asked = options_of({**options, **({"tokens": 1} if "tokens" in named else {})})
    given = {name: getattr(asked, name) for name in options}
    columns = Columns(column, into, error_column, named, given)
    *inputs, output = paths
    job = Job(tuple(inputs), Path(output), columns, workers, shard_rows, restart)
    say = _Reporter()
    summary = job.run(say)
    say.end()
    saved = 100 * (1 - summary.after / summary.before) if summary.before else 0.0
    print(
        f"laconic: {summary.rows:,} rows, {summary.refused:,} refused; {summary.before:,} {summary.unit} became "
        f"{summary.after:,} ({saved:.0f} % saved)",
        file=sys.stderr,
    )
    if summary.refused:
        if job.errors.exists():
            print(f"laconic: why rows were refused is in {job.errors}", file=sys.stderr)
        raise typer.Exit(1)


def _from_columns(given: list[str]) -> dict[str, str]:
    found = {}
    for each in given:
        name, separator, column = each.partition("=")
        if not (name and separator and column):
            raise LaconicError(f"--from-column {each}: is given as OPTION=NAME, such as words=room")
        found["for_" if name == "for" else name.replace("-", "_")] = column
    return found


class _Reporter:
    """Says how far a job is: on a terminal in one line, in a log now and then."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.start = self.said = monotonic()
        self.share: float | None = None  # that was done before anything was done now

    def __call__(self, progress: Any) -> None:
        """Say it, unless that was done just now."""
        now = monotonic()
        fresh = progress.rows - progress.earlier
        if not fresh or self.share is None:
            self.share = progress.share if not fresh else 0.0
        if now - self.said < (_SOON if self.terminal else _SELDOM):
            return
        self.said, spent = now, now - self.start
        line = f"laconic: {progress.rows:,} rows, {fresh / spent:,.0f} a second, {progress.share:.0%}"
        if progress.share > self.share:
            line += f", {_time(spent * (1 - progress.share) / (progress.share - self.share))} left"
        print(
            f"\r{line}\x1b[K" if self.terminal else line,
            end="" if self.terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> None:
        """Leave no half line behind."""
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _time(seconds: float) -> str:
    """A time as people say it.

    >>> _time(42), _time(1500), _time(200_000)
    ('42 s', '25 min', '55 h 33 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
