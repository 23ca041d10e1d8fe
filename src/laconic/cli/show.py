"""`laconic show`: draw trees, or what people deleted from a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import typer

from laconic.cli.annotator import open_annotator
from laconic.cli.difference import plain_difference
from laconic.cli.options import OutputFile, Texts
from laconic.cli.output import open_output
from laconic.cli.texts import read_texts, sentences_of
from laconic.compression import Compression
from laconic.corpora.cutting import load_pairs
from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.sentence import Sentence

Kind = Literal["phrases", "dependencies"]


def read_parsed(path: Path) -> Iterator[Sentence]:
    """The sentences of a file of trees; its ending says whether CoNLL-U, Penn brackets or JSON Lines."""
    ending = path.name.removesuffix(".gz").rpartition(".")[2]
    if ending == "conllu":
        from laconic.formats.conllu import read_conllu, to_sentence

        return map(to_sentence, read_conllu(path))
    if ending in ("penn", "ptb", "mrg"):
        from laconic.formats.penn import read_trees

        return (Sentence.from_words(tree.words, tree=tree) for tree in read_trees(path))
    if ending == "jsonl":
        from laconic.formats.jsonl import read_sentences

        return read_sentences(path)
    raise LaconicError(f"{path}: trees are read from files that end in .conllu, .penn, .ptb, .mrg or .jsonl")


def drawing(sentence: Sentence, kind: Kind | None, *, svg: bool) -> str:
    """The tree of a sentence as text or SVG; without a kind, whichever tree it has, phrases first."""
    if kind != "dependencies" and sentence.tree is not None:
        from laconic.trees.drawing import draw_tree
        from laconic.trees.svg import tree_to_svg

        draw: Callable[..., str] = tree_to_svg if svg else draw_tree
        return draw(sentence.tree)
    if kind != "phrases" and sentence.heads is not None:
        from laconic.trees.drawing import draw_dependencies
        from laconic.trees.svg import dependencies_to_svg

        draw = dependencies_to_svg if svg else draw_dependencies
        return draw(sentence.words, sentence.heads, relations=sentence.relations)
    missing = {"phrases": "phrase structure", "dependencies": "dependency tree", None: "tree"}[kind]
    raise LaconicError(f"no {missing} to draw for {sentence.text.strip()[:60]!r}")


def pair_difference(pair: Pair) -> str:
    """A source with what each reference deleted between tildes; a reference that rewrites stands as it is."""
    lines = []
    for reference, kept in zip(pair.references, pair.kept, strict=True):
        if kept is None:
            lines += [pair.source.text.strip(), "=> " + " ".join(reference)]
        else:
            lines.append(plain_difference(Compression.by_deletion(pair.source, kept)))
    return "\n".join(lines)


def show_command(
    text: Texts = None,
    trees: Annotated[
        Path | None,
        typer.Option(
            "--trees", "-t", metavar="FILE", help="Draw the trees of this file.", show_default=False
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs", "-p", metavar="FILE", help="Show the deletions of these pairs.", show_default=False
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--number", "-n", metavar="N", help="Only the N-th, from 1.", min=1, show_default=False),
    ] = None,
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="Which tree, if there are both.", show_default=False)
    ] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Draw SVG instead of text; for one tree.")] = False,
    output: OutputFile = None,
) -> None:
    """Draw the trees of a text or a file, or what was deleted in pairs.

    \b
    Examples:
      laconic show "Stocks fell on Monday."
      laconic show --trees news.conllu --number 3 --svg --output tree.svg
      laconic show --pairs dev.jsonl --number 1
    """
    if sum((bool(text), trees is not None, pairs is not None)) > 1:
        raise LaconicError("a text, --trees and --pairs exclude each other")
    drawings: Iterator[str]
    if pairs is not None:
        if svg:
            raise LaconicError("--svg draws trees, not pairs")
        drawings = map(pair_difference, load_pairs(pairs))
    else:
        if trees is not None:
            sentences = read_parsed(trees)
        else:
            sentences = open_annotator().annotate(sentences_of(read_texts(text or ())))
        drawings = (drawing(sentence, kind, svg=svg) for sentence in sentences)
    if number is not None:
        drawings = islice(drawings, number - 1, number)
    elif svg:
        drawings = islice(drawings, 1)
    with open_output(output) as write:
        count = 0
        for count, picture in enumerate(drawings, start=1):
            write(picture if count == 1 else f"\n{picture}")
        if count == 0:
            raise LaconicError(
                "there is nothing to show" if number is None else f"there is no number {number}"
            )
