"""Train the trigram model of news that is shipped in src/laconic/models/news-trigram.

    python -m training.news_trigram --data ../shared/data

Deterministic: the same data and version give the same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from training.cards import finish

from laconic.corpora.registry import checksum
from laconic.files import read_lines
from laconic.ngram import EstimationOptions, NgramModel, estimate, load, save
from laconic.ngram.news import NEWS_MODEL
from laconic.text.split import split_sentences
from laconic.text.tokenise import tokenise

OPTIONS = EstimationOptions(order=3, min_count=2, cut_offs=(1, 2), prune=7e-8, folding="news")
BITS = 8
ARTICLES = "text/reuters21578.txt.gz"
SOURCES = tuple(
    f"compression/{name}" for name in ("spoken.train.jsonl", "written.train.jsonl", "google.train.jsonl.gz")
)
DEV = tuple(f"compression/{name}.dev.jsonl" for name in ("spoken", "written", "google"))


def articles(path: Path) -> Iterator[Sequence[str]]:
    """The sentences of a file with one paragraph a line."""
    for _, line in read_lines(path):
        for sentence in split_sentences(line):
            yield sentence.words


def sources(path: Path) -> Iterator[Sequence[str]]:
    """The source sentences of a file of compression pairs."""
    for _, line in read_lines(path):
        yield tokenise(json.loads(line)["source"]).words


def training_sentences(data: Path) -> Iterator[Sequence[str]]:
    yield from articles(data / ARTICLES)
    for name in SOURCES:
        yield from sources(data / name)


def card(model: NgramModel, exact: NgramModel, data: Path, sentences: int, words: int) -> dict[str, object]:
    perplexities = {}
    for name in DEV:
        text = list(sources(data / name))
        stored, unrounded = model.perplexity(text), exact.perplexity(text)
        perplexities[name] = {
            "sentences": stored.sentences,
            "tokens with sentence ends": stored.tokens,
            "unknown tokens": stored.unknown,
            "perplexity": round(stored.perplexity or 0.0, 2),
            "perplexity of known tokens": round(stored.known_perplexity or 0.0, 2),
            "perplexity before rounding to 8 bits": round(unrounded.perplexity or 0.0, 2),
        }
    digests = {name: checksum(data / name) for name in (ARTICLES, *SOURCES)}
    return {
        "name": "news-trigram",
        "what": "Trigram language model of cased English news: modified Kneser-Ney, entropy-pruned",
        "command": "python -m training.news_trigram --data ../shared/data",
        "options": asdict(OPTIONS) | {"bits": BITS},
        "seed": None,
        "words": "cut by laconic.text, folded (quotes, dashes, digits) by laconic.ngram.vocabulary.fold",
        "training": {"sentences": sentences, "words": words, "sha256": digests},
        "ngrams": [last - first for first, last in zip(model.offsets, model.offsets[1:], strict=False)],
        "dev sources": perplexities,
        "licences": {
            "Reuters-21578": "for research; copyright Reuters Ltd. and Carnegie Group, Inc.",
            "Clarke & Lapata spoken and written compressions (source sides)": "for research",
            "Filippova & Altun Google compressions (source sides)": "as is, without warranty",
        },
    }


def train(data: Path, folder: Path) -> None:
    count = words = 0

    def counted() -> Iterator[Sequence[str]]:
        nonlocal count, words
        for sentence in training_sentences(data):
            count += 1
            words += len(sentence)
            yield sentence

    exact = estimate(counted(), OPTIONS)
    save(exact, folder, bits=BITS)
    model = load(folder)
    finish(folder, card(model, exact, data, count, words))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=NEWS_MODEL)
    arguments = parser.parse_args()
    train(arguments.data, arguments.output)
