"""`laconic subtitles`: bring subtitles within reading speed, width and number of lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from laconic.cli.difference import plain_mark, terminal_mark
from laconic.cli.options import taking
from laconic.cli.output import open_output, shows_on_terminal
from laconic.documents.subtitles.norms import NORMS
from laconic.documents.subtitles.report import CueReport, SubtitleReport
from laconic.documents.subtitles.timestamps import write_clock
from laconic.errors import LaconicError
from laconic.files import write_whole

PLUGIN = "plugin"


def difference(report: SubtitleReport, mark: Callable[[str], str]) -> str:
    """The cues that were changed, with what was deleted marked.

    Each has its number, its time and its speed before and after in a line above it.
    """
    return "\n".join(_cue_difference(cue, mark) for cue in report.changed)


def _cue_difference(cue: CueReport, mark: Callable[[str], str]) -> str:
    time = write_clock(cue.start, "00:00:00.000")
    head = f"{cue.number} {time} {cue.before.speed:.1f} -> {cue.after.speed:.1f} cps, {cue.outcome}"
    text = " ".join(text if stays else mark(text) for text, stays in cue.stretches)
    return f"{head}\n{text}\n" if text else f"{head}\n"


def _norms(incomplete: str) -> list[tuple[str, str]]:
    return [(name, norm.source) for name, norm in NORMS.items() if name.startswith(incomplete)]


@taking("like", "system", "keep", "protect", "drop_sentences")
def subtitles_command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="SubRip, WebVTT, SubStation Alpha, TTML, or the JSON of whisper; - is standard input. "
            "The word plugin, with a folder after it, writes the plugin for Subtitle Edit 5.",
        ),
    ],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="With plugin: where to write it.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file, whole or not at all, in the format of its suffix.",
            show_default=False,
        ),
    ] = None,
    norm: Annotated[
        str, typer.Option("--for", metavar="NORM", help=f"{', '.join(NORMS)}.", autocompletion=_norms)
    ] = "netflix",
    cps: Annotated[
        float | None,
        typer.Option("--cps", metavar="N", help="At most N characters a second.", show_default=False),
    ] = None,
    line: Annotated[
        int | None,
        typer.Option("--line", metavar="N", help="At most N characters a line.", show_default=False),
    ] = None,
    lines: Annotated[
        int | None, typer.Option("--lines", metavar="N", help="At most N lines.", show_default=False)
    ] = None,
    count_spaces: Annotated[
        bool | None,
        typer.Option(
            "--count-spaces/--no-count-spaces",
            help="Whether spaces count as characters a second.",
            show_default=False,
        ),
    ] = None,
    extend: Annotated[
        bool, typer.Option("--extend", help="Show cues longer first, where there is time before the next.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Write what was done: CSV if so named, else text.",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; say which cues are above their limits.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show the changed cues with what was deleted.")
    ] = False,
    encoding: Annotated[
        str | None,
        typer.Option(
            "--encoding",
            metavar="NAME",
            help="Of a file that is not UTF-8, such as cp1252.",
            show_default=False,
        ),
    ] = None,
    **options: Any,
) -> None:
    """Bring every cue within reading speed, width and number of lines; what fits stays as it is, byte for byte.

    The exit code is 1 if some cue is left above its limits; a line on standard error names it and says why.

    \b
    Examples:
      laconic subtitles in.srt -o out.srt
      laconic subtitles in.srt -o out.srt --for ted --extend --report report.csv
      laconic subtitles in.vtt --check --cps 17 --line 42 --lines 2
      laconic subtitles whisper.json -o out.srt --diff
      laconic subtitles plugin ~/SubtitleEdit/Plugins/laconic
    """
    if file == PLUGIN and folder is not None:
        from laconic.integrations.subtitle_edit.folder import write_plugin

        write_plugin(folder)
        print(f"laconic: the plugin is in {folder}", file=sys.stderr)
        return
    if folder is not None:
        raise LaconicError(
            f"one file at a time: {str(folder)!r} is one too many (the answer goes to --output)"
        )
    if check and (output is not None or diff):
        raise LaconicError("--check changes nothing, so there is nothing for --output or --diff")
    from laconic.documents.subtitles import Subtitles, fit
    from laconic.documents.subtitles import check as checked

    source = sys.stdin.buffer.read() if file == "-" else Path(file)
    subtitles = Subtitles.read(source, encoding=encoding)
    limits = {"cps": cps, "line": line, "lines": lines, "count_spaces": count_spaces}
    if check:
        found = checked(subtitles, norm, **limits)  # type: ignore[arg-type]
        _write_report(found, report)
        with open_output(None) as write:
            write(found.text)
    else:
        fitted = fit(
            subtitles,
            norm,
            **limits,  # type: ignore[arg-type]
            extend=extend,
            **options,
            to=output,
        )
        found = fitted.report
        _write_report(found, report)
        if output is not None:
            if output.is_dir():
                raise LaconicError(f"{output}: is a directory, expected a file")
            fitted.save(output)
        elif not diff:
            sys.stdout.buffer.write(fitted.content)
            sys.stdout.buffer.flush()
        if diff:
            with open_output(None) as write:
                write(difference(found, terminal_mark() if shows_on_terminal(None) else plain_mark))
        for cue in found.above:
            print(f"laconic: cue {cue.number} is above its limits: {cue.reason}", file=sys.stderr)
        print(f"laconic: {found.summary}", file=sys.stderr)
    if found.above:
        raise typer.Exit(1)


def _write_report(found: SubtitleReport, path: Path | None) -> None:
    if path is not None:
        text = found.to_csv() if path.suffix.lower() == ".csv" else f"{found.text}\n"
        with write_whole(path) as stream:
            stream.write(text.encode())
