"""`laconic compress`: shorten the sentences of a text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from laconic.budget import Budget
from laconic.cli.difference import plain_difference, terminal_difference
from laconic.cli.options import (
    AtLeast,
    Chars,
    Exact,
    Files,
    Json,
    Minimum,
    OutputFile,
    Plain,
    Protect,
    Ratio,
    Register,
    Style,
    SystemName,
    Texts,
    Threads,
    TokenizerName,
    Tokens,
    Words,
    budget_of,
    open_styled,
)
from laconic.cli.output import open_output, shows_on_terminal
from laconic.cli.progress import counted, progress_bar
from laconic.cli.texts import Line, StandardInput, read_texts
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.formats.jsonl import compression_to_json, format_line
from laconic.in_order import in_order
from laconic.systems.phrases import find_phrase
from laconic.systems.registry import DEFAULT
from laconic.systems.system import System
from laconic.text.split import split_sentences
from laconic.text.tokenise import tokenise


@dataclass(frozen=True, slots=True)
class CompressedLine:
    """The compressions of the sentences of one line, where it stands, and how many of them miss the limit."""

    compressions: tuple[Compression, ...]
    place: str = ""
    impossible: int = 0

    def joined(self, write: Callable[[Compression], str]) -> str:
        """The sentences as `write` writes them, with the white space that stood between them."""
        pieces = []
        for compression in self.compressions:
            text = write(compression)
            if text:
                pieces += [text, compression.sentence.spaces[-1] or " "]
        return "".join(pieces[:-1])

    def notes(self) -> Iterator[str]:
        """What is to be said of the compressions, each with the place of the line."""
        for compression in self.compressions:
            yield from (f"{self.place}: {note}" if self.place else note for note in compression.notes)


def compress_lines(
    lines: Iterable[Line],
    system: System,
    *,
    budget: Budget | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    whole_lines: bool = False,
    leave_impossible: bool = False,
    threads: int = 1,
) -> Iterator[CompressedLine]:
    """Shorten every sentence of every line, or every line as if it were one sentence.

    The budget holds for each of them; where it cannot, that is an error, or with `leave_impossible` the
    sentence is left as it is, with a note. `keep` and `drop` are words or phrases, pinned wherever they appear;
    one that appears nowhere is an error, raised when all lines are done. Several threads share the lines.
    """
    missing = dict.fromkeys((*keep, *drop))

    def compressed(line: Line) -> CompressedLine:
        sentences = [tokenise(line.text)] if whole_lines else split_sentences(line.text) or [tokenise("")]
        compressions, impossible = [], 0
        for sentence in sentences:
            places = {phrase: find_phrase(sentence, phrase) for phrase in (*keep, *drop)}
            for phrase, found in places.items():
                if found:
                    missing.pop(phrase, None)
            kept = {index for phrase in keep for index in places[phrase]}
            dropped = {index for phrase in drop for index in places[phrase]}
            try:
                # An empty line has no length to hold to a budget.
                wanted = budget if sentence.words else None
                compressions.append(system.compress(sentence, wanted, keep=kept, drop=dropped))
            except InfeasibleBudget as error:
                if not leave_impossible:
                    raise line.blame(
                        error, " (--leave-impossible leaves such sentences as they are)"
                    ) from None
                compressions.append(Compression.left_as_it_is(sentence, error))
                impossible += 1
            except LaconicError as error:
                raise line.blame(error) from None
        return CompressedLine(tuple(compressions), line.place, impossible)

    # Whoever writes line by line, and waits for each answer, is not kept waiting for the next line.
    ready = lines.ready if isinstance(lines, StandardInput) else lambda: True
    yield from in_order(compressed, lines, threads=threads, ready=ready)
    if missing:
        raise LaconicError(f"{next(iter(missing))!r}, to be kept or dropped, is not in the text")


def compress_total(
    lines: Iterable[Line],
    system: System,
    *,
    budget: Budget | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    drop_sentences: bool = False,
) -> CompressedLine:
    """Shorten all lines together, as one text under one budget; lines stay lines."""
    from laconic.systems.document import compress_document

    text = "\n".join(line.text for line in lines)
    found = compress_document(system, text, budget, keep=keep, drop=drop, drop_sentences=drop_sentences)
    pairs = zip(found.sentences, found.compressions, strict=True)
    return CompressedLine(tuple(answer or Compression.by_deletion(source, ()) for source, answer in pairs))


def compress_command(
    text: Texts = None,
    file: Files = None,
    words: Words = None,
    chars: Chars = None,
    tokens: Tokens = None,
    tokenizer: TokenizerName = None,
    ratio: Ratio = None,
    plain: Plain = False,
    minimum: Minimum = None,
    exact: Exact = False,
    at_least: AtLeast = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", "-k", metavar="WORD", help="Keep this word or phrase. Repeatable.", show_default=False
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", "-d", metavar="WORD", help="Drop this word or phrase. Repeatable.", show_default=False
        ),
    ] = None,
    protect: Protect = None,
    system: SystemName = DEFAULT,
    register: Register = None,
    style: Style = None,
    total: Annotated[
        bool, typer.Option("--total", help="One limit for the whole text, not for each sentence.")
    ] = False,
    drop_sentences: Annotated[
        bool, typer.Option("--drop-sentences", help="With --total, sentences may be left out.")
    ] = False,
    whole_lines: Annotated[
        bool,
        typer.Option("--whole-lines", help="Treat each line as one sentence: the limit is for the line."),
    ] = False,
    leave_impossible: Annotated[
        bool,
        typer.Option(
            "--leave-impossible",
            help="Leave sentences that cannot meet the limit as they are, and end with exit code 1.",
        ),
    ] = False,
    threads: Threads = None,
    json: Json = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what was deleted.")] = False,
    output: OutputFile = None,
) -> None:
    """Shorten the sentences of a text; limits hold for each sentence, or with --total for all together.

    \b
    Examples:
      laconic compress "The council on Tuesday plans to consider the matter." --words 7
      laconic compress --chars 42 --keep council --file subtitles.txt
      cat news.txt | laconic compress --ratio 0.6 --json --output short.jsonl
      cat report.txt | laconic compress --total --words 200 --drop-sentences
      laconic compress --words 12 --min 8 --protect names --file news.txt
    """
    if json and diff:
        raise LaconicError("--json and --diff exclude each other")
    if total and whole_lines:
        raise LaconicError("--total and --whole-lines exclude each other")
    if total and leave_impossible:
        raise LaconicError("--leave-impossible is for limits on each sentence, not for --total")
    if drop_sentences and not total:
        raise LaconicError("--drop-sentences needs --total")
    budget = budget_of(
        words=words,
        chars=chars,
        tokens=tokens,
        tokenizer=tokenizer,
        ratio=ratio,
        minimum=minimum,
        exact=exact,
        at_least=at_least,
        plain=plain,
    )
    lines = read_texts(text or (), file or ())
    opened = open_styled(system, register=register, style=style, protect=protect or ())
    compressed: Iterable[CompressedLine]
    if total:
        compressed = [
            compress_total(
                lines, opened, budget=budget, keep=keep or (), drop=drop or (), drop_sentences=drop_sentences
            )
        ]
    else:
        compressed = compress_lines(
            lines,
            opened,
            budget=budget,
            keep=keep or (),
            drop=drop or (),
            whole_lines=whole_lines,
            leave_impossible=leave_impossible,
            threads=threads or opened.threads,
        )
    if text and text != ["-"]:
        compressed = list(compressed)  # a mistake is reported before anything is written
    on_terminal = shows_on_terminal(output)
    difference = terminal_difference if on_terminal else plain_difference
    impossible = 0
    with (
        open_output(output) as write,
        progress_bar("compressing", answer_on_terminal=on_terminal) as report,
    ):
        for line in counted(compressed, report):
            impossible += line.impossible
            if json:
                for compression in line.compressions:
                    write(format_line(compression_to_json(compression)))
                continue
            write(line.joined(difference if diff else lambda compression: compression.text))
            for note in line.notes():
                print(f"laconic: {note}", file=sys.stderr)
    if impossible:
        raise typer.Exit(1)
