"""`laconic lm train` and `laconic lm score`: n-gram language models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from laconic.cli.options import OutputFile, Texts
from laconic.cli.output import open_output
from laconic.cli.progress import counted, progress_bar
from laconic.cli.texts import read_each_line
from laconic.errors import LaconicError
from laconic.files import read_lines

if TYPE_CHECKING:
    from laconic.ngram import NgramModel

lm_commands = typer.Typer(
    rich_markup_mode=None,
    help="""Train and ask n-gram language models.

    \b
    Examples:
      laconic lm train news.txt --output news --vocabulary 50000
      laconic lm score "It rained all day." --model news
    """,
)

Tokenised = Annotated[bool, typer.Option("--tokenised", help="One sentence a line, words between spaces.")]


def sentences_of(lines: Iterable[str], *, tokenised: bool) -> Iterator[Sequence[str]]:
    """The words of every sentence: of raw text cut by laconic, of tokenised text as it stands."""
    from laconic.text.split import split_sentences

    for line in lines:
        if tokenised:
            words = line.split()
            if words:
                yield words
        else:
            for sentence in split_sentences(line):
                if sentence.words:
                    yield sentence.words


def write_model(model: NgramModel, path: Path, *, bits: int) -> None:
    """Write a model: in ARPA format if the name ends in `.arpa` or `.arpa.gz`, else as a folder."""
    from laconic.ngram import save, write_arpa

    if path.name.endswith((".arpa", ".arpa.gz")):
        write_arpa(model, path)
    elif path.is_file():
        raise LaconicError(f"{path} is a file: name a new folder, or a file ending in .arpa or .arpa.gz")
    else:
        save(model, path, bits=8 if bits == 8 else 32)


def read_model(path: Path | None, *, fold: bool = False) -> NgramModel:
    """Read a model folder or an ARPA file (`fold`: of folded words); without a path, the model of news."""
    from laconic.ngram import load, load_news_model, read_arpa

    if path is None:
        return load_news_model()
    return read_arpa(path, folding="news" if fold else "none") if path.is_file() else load(path)


@lm_commands.command("train")
def lm_train_command(
    texts: Annotated[list[Path], typer.Argument(metavar="TEXT", help="Text files, plain or gzip.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="A folder, or a file .arpa or .arpa.gz.")
    ],
    order: Annotated[int, typer.Option("--order", "-n", help="The length of the longest n-grams.")] = 3,
    min_count: Annotated[int, typer.Option("--min-count", help="Rarer words become the unknown word.")] = 1,
    vocabulary: Annotated[
        int | None, typer.Option("--vocabulary", help="Only so many words.", show_default=False)
    ] = None,
    cut_offs: Annotated[
        str, typer.Option("--cut-offs", metavar="N,N...", help="Least occurrences of 2, 3, ... words.")
    ] = "",
    prune: Annotated[
        float, typer.Option("--prune", help="Threshold of entropy pruning, such as 1e-7.")
    ] = 0.0,
    bits: Annotated[int, typer.Option("--bits", help="Bits a value in a folder: 8 or 32.")] = 32,
    fold: Annotated[bool, typer.Option("--fold", help="Make quotes, dashes and digits alike.")] = False,
    tokenised: Tokenised = False,
) -> None:
    """Estimate a model with modified Kneser-Ney smoothing.

    \b
    Examples:
      laconic lm train news.txt more.txt.gz --output news --vocabulary 50000
      laconic lm train words.txt --tokenised --output words.arpa.gz --order 4
    """
    from laconic.ngram import EstimationOptions, estimate

    if bits not in (8, 32):
        raise LaconicError(f"--bits is 8 or 32, not {bits}")
    options = EstimationOptions(
        order=order,
        min_count=min_count,
        vocabulary_size=vocabulary,
        cut_offs=_numbers(cut_offs),
        prune=prune,
        folding="news" if fold else "none",
    )
    lines = (line for path in texts for _, line in read_lines(path))
    with progress_bar("sentences", answer_on_terminal=False) as report:
        model = estimate(counted(sentences_of(lines, tokenised=tokenised), report), options)
    write_model(model, output, bits=bits)
    sizes = ", ".join(
        f"{last - first:,}" for first, last in zip(model.offsets, model.offsets[1:], strict=False)
    )
    typer.echo(f"{output}: {sizes} n-grams of 1 to {model.order} words")


@lm_commands.command("score")
def lm_score_command(
    text: Texts = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", "-m", help="A model folder or ARPA file; else the shipped one.", show_default=False
        ),
    ] = None,
    output: OutputFile = None,
    fold: Annotated[bool, typer.Option("--fold", help="The ARPA file was trained with --fold.")] = False,
    tokenised: Tokenised = False,
) -> None:
    """Score sentences: ln p, tokens (the end is one), unknown words.

    The perplexity of the whole goes to standard error.

    \b
    Examples:
      laconic lm score "It rained all day."
      laconic lm score news.txt --model words.arpa.gz
    """
    from laconic.ngram import Perplexity

    language = read_model(model, fold=fold)
    lines = read_each_line(text or [])
    total = Perplexity(0, 0, 0, 0.0, 0.0)
    with open_output(output) as write:
        write("log_probability\ttokens\tunknown\tsentence")
        for words in sentences_of((line.text for line in lines), tokenised=tokenised):
            own = language.perplexity([words])
            write(f"{own.log_probability:.4f}\t{own.tokens}\t{own.unknown}\t{' '.join(words)}")
            total += own
    if total.perplexity is not None:
        typer.echo(
            f"perplexity {total.perplexity:.2f} (sentences {total.sentences}, tokens {total.tokens}, "
            f"unknown {total.unknown})",
            err=True,
        )


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(",") if number)
    except ValueError:
        raise LaconicError(f"--cut-offs takes whole numbers with commas between, not {text!r}") from None
