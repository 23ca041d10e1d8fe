"""Sentence compression as dependency parsing: models and learners on the dev sets of spoken and written news.

Models go from McDonald's bigrams to second order trees with bigrams; then learners of the second order, the models
that are shipped, and the sentence of the draft's Figure 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._field import THADANI
from experiments._pages import Page, Row, Table, percent, published
from experiments._references import without_wordless

from laconic.annotate import Annotator, load_annotator
from laconic.corpora.pair import Pair
from laconic.corpora.registry import open_pairs
from laconic.metrics.evaluation import Compressor, evaluate
from laconic.sentence import Sentence
from laconic.systems.dependency import PATHS, Dependency, Discriminative, Factors, LearningOptions
from laconic.systems.dependency.examples import CompressionExample, examples_of, gold_compressions
from laconic.systems.dependency.features import Extractor
from laconic.systems.dependency.learning import fit_examples
from laconic.systems.registry import open_system
from laconic.trees.svg import dependencies_to_svg

CORPORA = ("spoken", "written")
MODELS: dict[str, Dependency | Discriminative] = {
    "bigrams alone": Discriminative(PATHS),
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
    "frank-wolfe": replace(PERCEPTRON, learner="frank-wolfe", strength=0.003),
}
HEADER: Row = (
    "corpus",
    "model",
    "gold length: unigram F1",
    "gold length: relation F1",
    "gold length: positional F1",
    "own length: unigram F1",
    "own length: relation F1",
    "own length: rate",
)
SCORED = (
    "F1 in percent, averaged over sentences and all references of dev; references that keep nothing but a full "
    "stop (7 of 199 written ones, of headings) are left out. Relations are those of the embedded parser."
)
FIGURE = "Production was closed down last night for the Christmas period"
"""A sentence of ten words with those that the caption of the draft's Figure 1 keeps, in their places."""
FIGURE_KEPT = (0, 2, 6, 8)  # Production closed for Christmas


@dataclass(frozen=True)
class Corpora:
    """Train and dev pairs; everything is parsed once."""

    data: Path
    annotations: Path

    def annotate(self, sentences: Iterable[Sentence]) -> list[Sentence]:
        return list(annotator().annotate(sentences, cache=self.annotations))

    @cache  # noqa: B019  (there is one such value a run)
    def dev(self, name: str) -> list[Pair]:
        pairs = without_wordless(open_pairs(f"{name}.dev", self.data))
        sources = self.annotate(pair.source for pair in pairs)
        return [replace(pair, source=source) for pair, source in zip(pairs, sources, strict=True)]

    @cache  # noqa: B019
    def examples(self, name: str) -> tuple[list[CompressionExample], list[CompressionExample]]:
        """What is shown to learners, the first references of train, and what they stop on, all of dev."""
        train = list(open_pairs(f"{name}.train", self.data))
        extractor = Extractor()
        shown, unseen = (
            examples_of(
                gold_compressions(pairs, references=references, annotate=self.annotate), extractor, Factors()
            )
            for pairs, references in ((train, 1), (self.dev(name), None))
        )
        return list(shown), list(unseen)


@cache
def corpora(data: Path, annotations: Path) -> Corpora:
    return Corpora(data, annotations)


@cache
def annotator() -> Annotator:
    return load_annotator(threads=1)


def learnt(
    system: Dependency | Discriminative, corpora: Corpora, name: str, options: LearningOptions
) -> Compressor:
    """The system after learning from a corpus."""
    shown, unseen = (
        [replace(example, factors=system.factors, gold_length=options.gold_length) for example in examples]
        for examples in corpora.examples(name)
    )
    generator = np.random.default_rng(0)
    training = fit_examples(shown, unseen, system.extractor.size, options=options, generator=generator)
    return system.with_weights(training.weights)


def scores(at: Workplace, corpus: str, system: Compressor) -> Found:
    """A line of a table: the scores of a system at gold length and at the length it chooses."""
    opened = corpora(at.data, at.annotations)
    gold, own = (
        evaluate(
            system,
            opened.dev(corpus),
            gold_length=held,
            parser=opened.annotate,
            progress=at.check_time,
        )
        for held in (True, False)
    )
    return {
        "scores": [
            *(percent(gold, metric, 2) for metric in ("clipped_bag_f1", "relation_f1", "positional_f1")),
            *(percent(own, metric, 2) for metric in ("clipped_bag_f1", "relation_f1", "word_rate")),
        ]
    }


def model(at: Workplace, *, corpus: str, title: str) -> Found:
    return scores(at, corpus, learnt(MODELS[title], corpora(at.data, at.annotations), corpus, PERCEPTRON))


def learner(at: Workplace, *, corpus: str, title: str) -> Found:
    options = LEARNERS[title]
    return scores(at, corpus, learnt(Dependency(), corpora(at.data, at.annotations), corpus, options))


def shipped(at: Workplace, *, corpus: str, title: str) -> Found:
    return scores(at, corpus, open_system(title))


def figure(at: Workplace, *, text: str, kept: Sequence[int]) -> Found:
    """The compression of the figure with the best tree over its words under the shipped model."""
    [sentence] = corpora(at.data, at.annotations).annotate([Sentence.from_words(text.split())])
    dropped = set(range(len(sentence))) - set(kept)
    found = open_system("dependency").compress(sentence, keep=kept, drop=dropped)
    assert found.heads is not None
    return {"words": found.words, "heads": found.heads}


def table_page(
    stem: str, title: str, note: str, with_published: bool, found: Mapping[str, Found]
) -> Iterator[Page]:
    rows = [(*HEADER, "seconds a sentence") if with_published else HEADER]
    for place, corpus in enumerate(CORPORA):
        for name, job in found.items():
            of, _, system = name.partition(", ")
            if of == corpus:
                rows.append((corpus, system, *job["scores"], *([""] if with_published else [])))
        for system, cells in THADANI.items() if with_published else ():
            *scored, seconds = published(*cells[place])
            rows.append((corpus, f"*{system}, as published*", *scored, *[""] * 4, seconds))
    yield Page(stem, title, f"{note} {SCORED}", [Table(rows)], plotted="gold length: relation F1")


def figure_page(found: Mapping[str, Found]) -> Iterator[Page]:
    job = found["sentence"]
    drawing = dependencies_to_svg(job["words"], job["heads"])
    rows: list[Row] = [("source", "compression"), (FIGURE, " ".join(job["words"]))]
    note = "The compression of the draft, with the best tree over its words under the shipped model."
    yield Page("figure-1", "Figure 1 of the draft", note, [Table(rows)], {"figure-1.svg": drawing})


def _jobs(
    work: Callable[..., Found], titles: Iterable[str], *, train: bool = True, **more: Any
) -> tuple[Job, ...]:
    return tuple(
        Job(
            f"{corpus}, {title}",
            work,
            {"corpus": corpus, "title": title},
            reads=(f"{corpus}.train", f"{corpus}.dev") if train else (f"{corpus}.dev",),
            **more,
        )
        for corpus in CORPORA
        for title in titles
    )


EXPERIMENTS = (
    Experiment(
        "dependency/models",
        "compressive parsing: orders of trees, at gold length, beside Thadani 2014",
        1,
        _jobs(model, MODELS, uses=("parser",)),
        partial(
            table_page,
            "models",
            "Orders of trees, with and without bigrams",
            "Learnt as in the draft: averaged perceptron, minibatches of 4, the first reference of each pair of train, "
            "stopped on dev; here with the loss in the search. Published: Thadani (2014) on the test sets, with "
            "relations of the RASP parser, so that they compare within a column only; seconds on 16 cores with a "
            "commercial solver (ours: [speed](../speed/compressive.txt)).",
            True,
        ),
    ),
    Experiment(
        "dependency/learners",
        "compressive parsing: learners of the second order",
        2,
        _jobs(learner, LEARNERS, uses=("parser",)),
        partial(
            table_page,
            "learners",
            "Learners",
            "Second order with bigrams, the first reference of each pair of train, stopped on dev.",
            False,
        ),
    ),
    Experiment(
        "dependency/together",
        "compressive parsing: the shipped models",
        2,
        _jobs(
            shipped,
            ("discriminative", "dependency"),
            train=False,
            uses=("parser", "discriminative", "dependency"),
        ),
        partial(
            table_page,
            "together",
            "The shipped models",
            "Learnt by MIRA from all references of spoken and written train together, stopped on dev.",
            False,
        ),
    ),
    Experiment(
        "dependency/figure",
        "compressive parsing: Figure 1 of the draft",
        0.2,
        (Job("sentence", figure, {"text": FIGURE, "kept": FIGURE_KEPT}, uses=("parser", "dependency")),),
        figure_page,
    ),
)
