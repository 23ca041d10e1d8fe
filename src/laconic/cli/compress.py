"""`laconic compress`: shorten texts, files of any length, and streams of lines, records or trees."""

from __future__ import annotations

import json as json_
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from laconic.budget import Budget
from laconic.cli.difference import plain_difference, terminal_difference
from laconic.cli.options import Json, Lines, OutputFile, Texts, Threads, flag, options_of, taking
from laconic.cli.output import open_output, shows_on_terminal
from laconic.cli.progress import counted, progress_bar
from laconic.cli.texts import StandardInput, Text, files_of, read_each_line, read_texts
from laconic.compressed_text import CompressedText
from laconic.documents.compress import compress_with
from laconic.documents.pins import Pins
from laconic.errors import FormatError, InfeasibleBudget, LaconicError
from laconic.formats.jsonl import Record, format_line
from laconic.options import TABLE, Options
from laconic.parallel import map_in_order
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.systems.system import System

Trees = Literal["penn", "conllu", "json"]

_LAST_END = re.compile(r"(?:\r\n?|\n)\Z")


@dataclass(frozen=True, slots=True)
class Asked:
    """A text or a sentence with its trees, where it comes from, and the record that it is a field of.

    What stands `before` it and `ends` it is written again, and counts for no limit. Limits are for texts, not for the
    blank lines between them.
    """

    text: str | Sentence
    place: str = ""
    record: Record | None = None
    before: str = ""
    ends: str = "\n"
    is_limited: bool = True

    @classmethod
    def of(cls, text: Text) -> Asked:
        """A text without the end of its last line; one of arguments ends a line in any case."""
        bare = _LAST_END.sub("", text.text)
        return cls(bare, text.place, ends=text.text[len(bare) :] or ("" if text.place else text.ends))

    @classmethod
    def of_line(cls, line: Text) -> Asked:
        """A line."""
        limited = bool(line.text.strip())
        return cls(line.text, line.place, before=line.before, ends=line.ends, is_limited=limited)


@dataclass(frozen=True, slots=True)
class Answer:
    """A shortened text, and what was asked for."""

    text: CompressedText
    asked: Asked

    def notes(self) -> Iterator[str]:
        """What is to be said of it, with its place."""
        place = self.asked.place
        return (f"{place}: {note}" if place else note for note in self.text.notes)


def compress_all(
    texts: Iterable[Asked],
    system: System,
    options: Options,
    budget: Budget | None = None,
    *,
    threads: int = 1,
    ready: Callable[[], bool] = lambda: True,
) -> Iterator[Answer]:
    """Shorten texts in their order, on several threads.

    What must stay or go need not be in each of them; a word that is in none is an error, raised when all are done.
    """
    pins = Pins(options)

    def compressed(asked: Asked) -> Answer:
        try:
            limit = budget if asked.is_limited else None
            return Answer(compress_with(system, asked.text, options, limit, pins=pins), asked)
        except LaconicError as error:
            hint = f" ({flag('impossible')} leave goes on)" if isinstance(error, InfeasibleBudget) else ""
            raise Text("", asked.place).blame(error, hint) from None

    yield from map_in_order(compressed, texts, threads=threads, ready=ready)
    pins.check()


def read_records(lines: Iterable[Text], field: str) -> Iterator[Asked]:
    """The texts that a field of JSON objects holds, one object a line; blank lines are left out."""
    for line in lines:
        if not line.text.strip():
            continue
        source = line.place or "text"
        try:
            record = Record.of(line.text)
        except LaconicError as problem:
            raise FormatError(str(problem), source=source) from None
        if not isinstance(record.fields.get(field), str):
            raise FormatError(f"expected an object with a string {field!r}", source=source)
        yield Asked(record.fields[field], line.place, record, line.before, line.ends)


def read_parsed(arguments: list[str], trees: Trees) -> Iterator[Asked]:
    """The sentences of files of trees, or of standard input, as `laconic parse` writes them."""
    if arguments and arguments != ["-"]:
        files: list[Path | None] = list(files_of(arguments))
        if not files:
            raise LaconicError(f"{arguments[0]}: no such file of trees")
    else:
        files = [None]
    for path in files:
        lines = (
            enumerate((line.text for line in StandardInput()), start=1) if path is None else _numbered(path)
        )
        source = "standard input" if path is None else str(path)
        for number, sentence in enumerate(_sentences(lines, source, trees), start=1):
            yield Asked(sentence, f"{source}: sentence {number}")


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    from laconic.files import read_lines

    return read_lines(path)


def _sentences(lines: Iterable[tuple[int, str]], source: str, trees: Trees) -> Iterator[Sentence]:
    if trees == "penn":
        from laconic.formats.penn import parse_records

        for record in parse_records(lines, source=source):
            yield Sentence.from_words(record.tree.words, tree=record.tree)
    elif trees == "conllu":
        from laconic.formats.conllu import parse_conllu, to_sentence

        yield from map(to_sentence, parse_conllu(lines, source=source))
    else:
        from laconic.formats.jsonl import sentence_from_json

        for number, line in lines:
            if line.strip():
                try:
                    yield sentence_from_json(json_.loads(line))
                except ValueError as error:
                    raise FormatError(str(error), source=source, line=number) from None


@taking(*TABLE)
def compress_command(
    text: Texts = None,
    lines: Lines = False,
    json_field: Annotated[
        str | None,
        typer.Option(
            "--json-field",
            metavar="NAME",
            help="Read JSON Lines, shorten this field of each object, and write them again.",
            show_default=False,
        ),
    ] = None,
    trees: Annotated[
        Trees | None,
        typer.Option("--trees", help="Read trees, as `laconic parse` writes them.", show_default=False),
    ] = None,
    threads: Threads = None,
    json: Json = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what was deleted.")] = False,
    output: OutputFile = None,
    **options: Any,
) -> None:
    """Shorten texts to a limit, or each sentence to its natural length.

    \b
    Examples:
      laconic compress "The council on Tuesday plans to consider the matter." --words 7
      laconic notes.txt --characters 600 --drop-sentences --output short.txt
      laconic page.html --format html --ratio 0.6 --per paragraph
      cat news.txt | laconic --lines --words 8..12 --protect names
      laconic records.jsonl --json-field body --for title --impossible nearest
    """
    for one, other in (
        ("json", "diff"),
        ("lines", "json_field"),
        ("lines", "trees"),
        ("json_field", "trees"),
    ):
        given = {"json": json, "diff": diff, "lines": lines, "json_field": json_field, "trees": trees}
        if given[one] and given[other]:
            raise LaconicError(f"{flag(one)} and {flag(other)} exclude each other")
    stream = bool(lines or json_field or trees)
    defaults: dict[str, Any] = {"impossible": "leave"} if stream else {}
    if lines:
        defaults["format"] = "lines"
    wanted = options_of(options, **defaults)
    budget, opened = wanted.budget(), system_for(wanted)
    ready: Callable[[], bool] = lambda: True  # noqa: E731
    arguments = list(text or ())
    texts: Iterable[Asked]
    if trees:
        texts = read_parsed(arguments, trees)
    elif stream:
        each = read_each_line(arguments)
        if isinstance(each, StandardInput):
            ready = each.ready  # whoever writes line by line, and waits for each answer, is not kept waiting
        texts = read_records(each, json_field) if json_field else map(Asked.of_line, each)
    else:
        texts = map(Asked.of, read_texts(arguments))
    answers: Iterable[Answer] = compress_all(
        texts, opened, wanted, budget, threads=(threads or opened.threads) if stream else 1, ready=ready
    )
    if not stream:
        answers = list(answers)  # a mistake is reported before anything is written
    on_terminal = shows_on_terminal(output)
    difference = terminal_difference if on_terminal else plain_difference
    unmet = 0
    with (
        open_output(output) as write,
        progress_bar("compressing", answer_on_terminal=on_terminal) as report,
    ):
        lacking = ""  # the end of the last line, where others or a prompt would go on it
        for answer in counted(answers, report):
            unmet += len(answer.text.unmet)
            asked, ends = answer.asked, answer.asked.ends
            if asked.record is not None:
                more = {"laconic": answer.text.to_dict()} if json else {}
                written = asked.before + asked.record.with_fields({str(json_field): answer.text.text, **more})
                ends = ends or "\n"
            elif json:
                written, ends = format_line(answer.text.to_dict()), "\n"
            else:
                shown = _marked(answer.text, difference) if diff else answer.text.text
                written = asked.before + shown
            write(lacking + written, ends)
            lacking = "" if ends else "\n"
            if not json:
                for note in answer.notes():
                    print(f"laconic: {note}", file=sys.stderr)
        if on_terminal:
            write(lacking, "")
    if unmet:
        raise typer.Exit(1)


def _marked(answer: CompressedText, difference: Callable[[Any], str]) -> str:
    return "".join(
        piece.text
        if not piece.is_sentence
        else ""
        if piece.compression is None
        else difference(piece.compression)
        for piece in answer.pieces
    )
