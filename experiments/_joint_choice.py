"""What the joint systems were chosen by, on folds of train: learners of the discriminative model, weights of the two.

The folds are of spoken and written train together, documents whole. Jobs are named `learner,2,MIRA 0.1` (the epochs of
a learner on fold 2), `parts,2` (transducer and discriminative model without fold 2) and `weight,2,0.5` (both, searched
together, on sentences of fold 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._folds import folds
from experiments._pages import Page, Row, Table
from experiments._references import without_wordless
from experiments._trees import corpora_at
from numpy.typing import NDArray

from laconic.corpora.pair import Pair
from laconic.corpora.registry import open_pairs
from laconic.learn.interface import Answer, Example, FeatureVector, Weights
from laconic.learn.log_linear import Mean
from laconic.learn.training import Schedule, train
from laconic.metrics.evaluation import evaluate
from laconic.sentence import Sentence
from laconic.systems.dependency import PATHS, Discriminative, Factors, LearningOptions
from laconic.systems.dependency.examples import CompressionExample, examples_of, gold_compressions
from laconic.systems.dependency.learning import f1_at_gold_length, fit_examples
from laconic.systems.joint import JointDiscriminative
from laconic.systems.transducer.system import TreeTransducer

CORPORA = ("spoken", "written")
FOLDS = 4
EPOCHS = 6
WEIGHTS = (0.1, 0.3, 0.5, 1.0, 2.0, 4.0, 8.0)
HELD_SENTENCES = 60  # of each corpus and fold, on which weights are tried
WITH_EVIDENCE = replace(PATHS, evidence=True)


@dataclass(frozen=True, slots=True)
class Learning:
    """A way to learn: the options, the features, and of how many references a feature must be to have a weight."""

    options: LearningOptions
    factors: Factors = WITH_EVIDENCE
    least: int = 0


MIRA = LearningOptions(learner="mira", strength=0.1)
LEARNERS = {
    "MIRA 0.1": Learning(MIRA),
    "MIRA 0.01": Learning(replace(MIRA, strength=0.01)),
    "MIRA 0.1, first references": Learning(replace(MIRA, references=1)),
    "MIRA 0.1, no evidence": Learning(MIRA, PATHS),
    "MIRA 0.1, features of 2 references": Learning(MIRA, least=2),
    "log-linear 1": Learning(replace(MIRA, learner="log-linear", strength=1.0)),
    "log-linear 0.1": Learning(replace(MIRA, learner="log-linear", strength=0.1)),
    "MIRA 0.1, 4 best": Learning(replace(MIRA, k=4)),
}


def curves(at: Workplace, *, fold: int, name: str) -> Found:
    """F1 at gold length on each corpus of the fold after every epoch."""
    learning = LEARNERS[name]
    shown, held = examples_of_fold(at, fold, learning.factors, learning.options.references)
    found: dict[str, list[float]] = {corpus: [] for corpus in held}

    def note(weights: Weights) -> float:
        for corpus, examples in held.items():
            found[corpus].append(round(100 * f1_at_gold_length(examples, weights), 4))
        return 0.0

    train(
        learning.options.new_learner(Discriminative(learning.factors).extractor.size, len(shown)),
        lessons(shown, learning),
        generator=np.random.default_rng(0),
        schedule=Schedule(epochs=EPOCHS, patience=EPOCHS, threads=1),
        validate=note,
        progress=at.check_time,
    )
    return found


def parts(at: Workplace, *, fold: int) -> Found:
    """Train both parts on a fold, with the options of the shipped ones, and keep them in the state."""
    from training.dependency import OPTIONS
    from training.transducer import BEAM
    from training.transducer import OPTIONS as TRANSDUCER_OPTIONS

    state = at.state("joint", f"parts,{fold}")
    shown, _ = examples_of_fold(at, fold, WITH_EVIDENCE, OPTIONS.references)
    training = fit_examples(
        shown,
        [],
        Discriminative().extractor.size,
        options=replace(OPTIONS, schedule=Schedule(EPOCHS, threads=1)),
        generator=np.random.default_rng(0),
        progress=at.check_time,
    )
    discriminative = Discriminative().with_weights(training.weights)
    discriminative.save(state / "discriminative")
    pairs = [pair for corpus in CORPORA for pair in pairs_of_fold(at.data, corpus, fold)[0]]
    transducer = TreeTransducer(beam=BEAM).fit(
        pairs, options=TRANSDUCER_OPTIONS, checkpoint=state / "checkpoint", progress=at.check_time
    )
    transducer.save(state / "transducer")
    return {"pairs": len(pairs)}


def joint_scores(at: Workplace, *, fold: int, weight: float, after: Mapping[str, Found]) -> Found:
    """F1 and relation F1 of both together at gold length, on each corpus of the fold."""
    state = at.state("joint", *after)
    system = JointDiscriminative(
        TreeTransducer.load(state / "transducer"), Discriminative.load(state / "discriminative"), weight
    )
    found = {}
    for corpus in CORPORA:
        held = without_wordless(pairs_of_fold(at.data, corpus, fold)[1])
        some = held[:: max(1, len(held) // HELD_SENTENCES)]
        sources = annotate(at, (pair.source for pair in some))
        parsed = [replace(pair, source=source) for pair, source in zip(some, sources, strict=True)]
        report = evaluate(
            system,
            parsed,
            gold_length=True,
            parser=lambda each: annotate(at, each),
            progress=at.check_time,
        )
        scores = {name: report[name].score.macro or 0.0 for name in ("positional_f1", "relation_f1")}
        found[corpus] = {name: round(100 * score, 4) for name, score in scores.items()} | {
            "sentences": float(len(parsed))
        }
    return found


def annotate(at: Workplace, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    return corpora_at(at).parse(sentences)


@lru_cache(maxsize=8)
def pairs_of_fold(data: Path, corpus: str, fold: int) -> tuple[list[Pair], list[Pair]]:
    """What is shown and what is held out."""
    return list(folds(list(open_pairs(f"{corpus}.train", data)), FOLDS))[fold]


@lru_cache(maxsize=1)
def examples_of_fold(
    at: Workplace, fold: int, factors: Factors, references: int | None
) -> tuple[list[CompressionExample], dict[str, list[CompressionExample]]]:
    extractor = Discriminative(factors).extractor

    def examples(pairs: Sequence[Pair], count: int | None) -> list[CompressionExample]:
        golds = gold_compressions(pairs, references=count, annotate=partial(annotate, at))
        return examples_of(golds, extractor, factors)

    dealt = {corpus: pairs_of_fold(at.data, corpus, fold) for corpus in CORPORA}
    shown = [example for pairs, _ in dealt.values() for example in examples(pairs, references)]
    return shown, {corpus: examples(held, None) for corpus, (_, held) in dealt.items()}


@dataclass(frozen=True)
class Supported:
    """An example in which only some features count."""

    example: CompressionExample
    counted: NDArray[np.bool_]

    @property
    def truth(self) -> FeatureVector:
        return self._of(self.example.truth)

    def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:
        found = self.example.answers(weights, k=k, loss_scale=loss_scale)
        return [replace(answer, features=self._of(answer.features)) for answer in found]

    def _of(self, vector: FeatureVector) -> FeatureVector:
        stay = self.counted[vector.features]
        return FeatureVector(vector.features[stay], vector.values[stay])


def lessons(shown: Sequence[CompressionExample], learning: Learning) -> Sequence[Example]:
    """The examples as the learner wants them."""
    if learning.options.learner == "log-linear":
        return [Mean(example) for example in shown]
    if not learning.least:
        return shown
    often = np.zeros(Discriminative(learning.factors).extractor.size, np.int32)
    for example in shown:
        often[example.truth.features] += 1
    return [Supported(example, often >= learning.least) for example in shown]


# -- the pages and the experiments ------------------------------------------------------------------


def learner_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    rows: list[Row] = [("learner", "epochs", "spoken", "written", "mean")]
    for name in LEARNERS:
        of = [found[f"learner,{fold},{name}"] for fold in range(FOLDS)]
        curve = {corpus: np.mean([each[corpus] for each in of], axis=0) for corpus in CORPORA}
        mean = np.mean(list(curve.values()), axis=0)
        best = int(np.argmax(mean))
        cells = (*(curve[corpus][best] for corpus in CORPORA), mean[best])
        rows.append((name, str(best + 1), *(f"{cell:.2f}" for cell in cells)))
    note = (
        f"F1 at gold length, in percent, on {FOLDS} folds of spoken and written train (documents whole), learnt from "
        f"the other folds of both; after the number of epochs, of {EPOCHS}, that is best on average."
    )
    yield Page("learners", "Learners of the discriminative model", note, [Table(rows)], plotted="mean")


def weight_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    rows: list[Row] = [("weight", *(f"{name} {what}" for name in CORPORA for what in ("F1", "relation F1")))]
    for weight in WEIGHTS:
        of = [found[f"weight,{fold},{weight:g}"] for fold in range(FOLDS)]
        cells = []
        for corpus in CORPORA:
            sizes = [each[corpus]["sentences"] for each in of]
            for metric in ("positional_f1", "relation_f1"):
                cells.append(np.average([each[corpus][metric] for each in of], weights=sizes))
        rows.append((f"{weight:g}", *(f"{cell:.1f}" for cell in cells)))
    note = (
        f"Transducer and discriminative model at gold length on {FOLDS} folds of train, both learnt from the other "
        f"folds, by the weight of the second; about {HELD_SENTENCES} sentences of each corpus and fold. Percent."
    )
    title = "The weight of the discriminative model"
    yield Page("weights", title, note, [Table(rows)], plotted="spoken relation F1")


READS = ("spoken.train", "written.train")


def _learner_jobs() -> Iterator[Job]:
    for name in LEARNERS:
        for fold in range(FOLDS):
            options = {"fold": fold, "name": name}
            yield Job(f"learner,{fold},{name}", curves, options, reads=READS, uses=("parser",))


def _weight_jobs() -> Iterator[Job]:
    for fold in range(FOLDS):
        yield Job(f"parts,{fold}", parts, {"fold": fold}, reads=READS, uses=("parser", "news-trigram"))
        for weight in WEIGHTS:
            options = {"fold": fold, "weight": weight}
            after = (f"parts,{fold}",)
            yield Job(
                f"weight,{fold},{weight:g}", joint_scores, options, reads=READS, uses=("parser",), after=after
            )


CHOICES = (
    Experiment(
        "joint/learners",
        "learners of the discriminative model, on folds",
        13,
        tuple(_learner_jobs()),
        learner_pages,
    ),
    Experiment(
        "joint/weights",
        "the weight of the discriminative model beside the transducer, on folds",
        9,
        tuple(_weight_jobs()),
        weight_pages,
    ),
)
