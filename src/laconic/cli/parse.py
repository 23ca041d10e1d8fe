"""`laconic parse`: tags and trees for the sentences of a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from laconic.cli.annotator import open_annotator
from laconic.cli.options import Lines, OutputFile, Texts, Threads
from laconic.cli.output import open_output, shows_on_terminal
from laconic.cli.progress import counted, progress_bar
from laconic.cli.texts import read_each_line, read_texts, sentences_of
from laconic.errors import LaconicError
from laconic.sentence import Sentence

Format = Literal["conllu", "penn", "json"]


def sentence_writer(format: Format) -> Callable[[Sentence], str]:  # noqa: A002
    """How a parsed sentence is written, without its last line end."""
    if format == "conllu":
        from laconic.formats.conllu import format_conllu, from_sentence

        return lambda sentence: format_conllu(from_sentence(sentence)).removesuffix("\n")
    if format == "penn":
        return _brackets
    from laconic.formats.jsonl import format_line, sentence_to_json

    return lambda sentence: format_line(sentence_to_json(sentence))


def _brackets(sentence: Sentence) -> str:
    from laconic.formats.penn import format_tree

    if sentence.tree is None:
        raise LaconicError(f"no constituency tree for {sentence.text.strip()[:60]!r}")
    return format_tree(sentence.tree)


def parse_command(
    text: Texts = None,
    lines: Lines = False,
    format: Annotated[  # noqa: A002  (the name of the option)
        Format, typer.Option("--format", "-F", help="How trees are written.")
    ] = "conllu",
    threads: Threads = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="FILE",
            help="Keep annotations in this file; what it knows is not parsed again.",
            show_default=False,
        ),
    ] = None,
    output: OutputFile = None,
) -> None:
    """Split text into sentences and write their tags and trees.

    \b
    Examples:
      laconic parse "Stocks fell. Bonds rose." --format penn
      laconic parse news.txt --format json --output news.jsonl
      laconic parse corpus.txt --lines --cache parsed.sqlite --threads 4
    """
    texts = read_each_line(text or ()) if lines else read_texts(text or ())
    writer = sentence_writer(format)
    parsed = open_annotator(threads=threads).annotate(sentences_of(texts), cache=cache)
    on_terminal = shows_on_terminal(output)
    with open_output(output) as write, progress_bar("parsing", answer_on_terminal=on_terminal) as report:
        for sentence in counted(parsed, report):
            write(writer(sentence))
