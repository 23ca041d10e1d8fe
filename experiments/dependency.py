"""Sentence compression as dependency parsing: models and learners on the dev sets of spoken and written news.

    python -m experiments.dependency [models] [learners] [together] --data ../shared/data --cache FILE

`models` compares the factors of the model, from McDonald's bigrams to second order trees with bigrams, learnt as in
the paper: perceptron, minibatches of 4, the first reference of each pair. `learners` compares what learns the second
order. `together` has the models that are shipped: both corpora, all references, MIRA. Stopped on and scored on dev,
against all references. Scores are F1 in percent, averaged over sentences; relations are those of the embedded parser,
so they compare within a table only.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

from laconic.annotate import load_annotator
from laconic.corpora.pair import Pair
from laconic.corpora.registry import open_pairs
from laconic.metrics.evaluation import Parser, evaluate
from laconic.metrics.report import Report
from laconic.systems.dependency import Bigram, Dependency, Factors, LearningOptions
from laconic.systems.dependency.examples import examples_of, gold_compressions
from laconic.systems.dependency.features import Extractor
from laconic.systems.dependency.learning import fit_examples
from laconic.systems.registry import open_system

CORPORA = ("spoken", "written")
MODELS: dict[str, Dependency | Bigram] = {
    "bigrams (McDonald 2006)": Bigram(),
    "first order, no bigrams": Dependency(Factors(siblings=False, bigrams=False)),
    "first order": Dependency(Factors(siblings=False)),
    "second order, no bigrams": Dependency(Factors(bigrams=False)),
    "second order": Dependency(),
}
PERCEPTRON = LearningOptions(learner="perceptron", strength=1.0, references=1)
LEARNERS = {
    "perceptron": replace(PERCEPTRON, strength=0.0),
    "perceptron, loss in search": PERCEPTRON,
    "perceptron, gold length": replace(PERCEPTRON, gold_length=True),
    "MIRA": replace(PERCEPTRON, learner="mira", strength=0.1),
    "MIRA, 4 best": replace(PERCEPTRON, learner="mira", strength=0.1, k=4),
    "margin": replace(PERCEPTRON, learner="margin", strength=0.003),
}
PUBLISHED = {  # Thadani (2014), at gold length; relation F1 by the RASP parser
    "bigram DP": ("78.80 / 57.89", "73.18 / 51.14"),
    "dependency ILP": ("80.02 / 60.78", "73.76 / 54.31"),
    "joint n-gram and dependency ILP": ("80.13 / 62.61", "74.00 / 56.24"),
    "Lagrangian DP and LP": ("79.10 / 62.04", "72.06 / 53.78"),
}
HEADER = (
    "model",
    "gold length: unigrams / relations / positions",
    "own length: unigrams / relations at rate",
    "s",
)


class Corpus:
    """The dev pairs of a corpus, and the examples made of train and dev; everything is parsed once."""

    def __init__(self, name: str, data: Path, annotate: Parser, extractor: Extractor) -> None:
        train, dev = (list(open_pairs(f"{name}.{split}", data)) for split in ("train", "dev"))
        sources = annotate([pair.source for pair in dev])
        self.dev = [replace(pair, source=source) for pair, source in zip(dev, sources, strict=True)]
        self.shown, self.unseen = (
            examples_of(
                gold_compressions(pairs, references=references, annotate=lambda some: annotate(list(some))),
                extractor,
                Factors(),
            )
            for pairs, references in ((train, 1), (self.dev, None))
        )


def learnt(system: Dependency | Bigram, corpus: Corpus, options: LearningOptions) -> Dependency | Bigram:
    """The system after learning from the corpus."""
    shown, unseen = (
        [replace(example, factors=system.factors, gold_length=options.gold_length) for example in examples]
        for examples in (corpus.shown, corpus.unseen)
    )
    generator = np.random.default_rng(0)
    training = fit_examples(shown, unseen, system.extractor.size, options=options, generator=generator)
    return system.with_weights(training.weights)


def row(name: str, system: Dependency | Bigram, pairs: Sequence[Pair], parser: Parser, seconds: float) -> str:
    """A line of a table: the scores of a system at gold length and at the length it chooses."""

    def percent(report: Report, metric: str) -> str:
        return f"{100 * (report[metric].score.macro or 0.0):.2f}"

    gold = evaluate(system, pairs, gold_length=True, parser=parser)
    own = evaluate(system, pairs, parser=parser)
    at_gold = " / ".join(
        percent(gold, metric) for metric in ("clipped_bag_f1", "relation_f1", "positional_f1")
    )
    at_own = " / ".join(percent(own, metric) for metric in ("clipped_bag_f1", "relation_f1"))
    return f"| {name} | {at_gold} | {at_own} at {percent(own, 'word_rate')} | {seconds:.0f} |"


def table(title: str, rows: Iterable[str]) -> None:
    print(f"\n### {title}\n\n| {' | '.join(HEADER)} |\n|{' --- |' * len(HEADER)}", flush=True)
    for line in rows:
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", metavar="table", default=["models", "learners", "together"])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/annotations.sqlite"))
    arguments = parser.parse_args()
    if unknown := set(arguments.tables) - {"models", "learners", "together"}:
        parser.error(f"no such table: {', '.join(sorted(unknown))}")
    annotate: Parser = partial(load_annotator().annotate, cache=arguments.cache)
    extractor = Extractor()

    for place, name in enumerate(CORPORA):
        corpus = Corpus(name, arguments.data, annotate, extractor)

        def timed(
            title: str, system: Dependency | Bigram, options: LearningOptions, corpus: Corpus = corpus
        ) -> str:
            begin = perf_counter()
            fitted = learnt(system, corpus, options)
            return row(title, fitted, corpus.dev, annotate, perf_counter() - begin)

        if "models" in arguments.tables:
            table(f"{name}: models", (timed(title, system, PERCEPTRON) for title, system in MODELS.items()))
            for title, scores in PUBLISHED.items():
                print(f"| *{title}, as published* | *{scores[place]}* | | |")
        if "learners" in arguments.tables:
            table(
                f"{name}: learners of the second order",
                (timed(title, Dependency(), options) for title, options in LEARNERS.items()),
            )
        if "together" in arguments.tables:
            shipped = {title: open_system(title) for title in ("bigram", "dependency")}
            table(
                f"{name}: shipped models",
                (
                    row(title, system, corpus.dev, annotate, 0.0)
                    for title, system in shipped.items()
                    if isinstance(system, Dependency | Bigram)
                ),
            )


if __name__ == "__main__":
    main()
