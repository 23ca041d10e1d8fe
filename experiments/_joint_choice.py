"""What the joint systems were chosen by, on folds of train: learners of the discriminative model, weights of the two.

The folds are of spoken and written train together, documents whole. Jobs are named `learner,2,MIRA 0.1` (the epochs of
a learner on fold 2), `parts,2` (transducer and discriminative model without fold 2) and `weight,2,0.5` (both, searched
together, on sentences of fold 2).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import time

import numpy as np
from experiments._folds import folds
from experiments._jobs import TimeIsUp, result_file, run_jobs
from experiments._references import without_wordless
from experiments._tables import Row, write_table
from experiments._trees import Corpora
from numpy.typing import NDArray

from laconic.corpora.pair import Pair
from laconic.corpora.registry import open_pairs
from laconic.errors import LaconicError
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


@dataclass(frozen=True)
class Choice:
    """Where the data is, and the work of its jobs."""

    data: Path
    annotations: Path

    def learner_jobs(self) -> list[str]:
        return [f"learner,{fold},{name}" for name in LEARNERS for fold in range(FOLDS)]

    def parts_jobs(self) -> list[str]:
        return [f"parts,{fold}" for fold in range(FOLDS)]

    def weight_jobs(self) -> list[str]:
        return [f"weight,{fold},{weight:g}" for fold in range(FOLDS) for weight in WEIGHTS]

    def annotate(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        return Corpora(self.data, self.annotations, threads=1).parse(sentences)

    def __call__(self, job: str, state: Path, end: float) -> str | None:
        """Do one job."""
        kind, fold, *rest = job.split(",", 2)
        if kind == "learner":
            return json.dumps(self.curves(int(fold), rest[0], end))
        if kind == "parts":
            return self.parts(int(fold), state, end)
        return json.dumps(self.joint_scores(int(fold), float(rest[0]), state.parent / f"parts,{fold}", end))

    def curves(self, fold: int, name: str, end: float) -> dict[str, list[float]]:
        """F1 at gold length on each corpus of the fold after every epoch."""
        learning = LEARNERS[name]
        shown, held = examples_of_fold(self, fold, learning.factors, learning.options.references)
        found: dict[str, list[float]] = {corpus: [] for corpus in held}

        def note(weights: Weights) -> float:
            for corpus, examples in held.items():
                found[corpus].append(100 * f1_at_gold_length(examples, weights))
            return 0.0

        train(
            learning.options.new_learner(Discriminative(learning.factors).extractor.size, len(shown)),
            lessons(shown, learning),
            generator=np.random.default_rng(0),
            schedule=Schedule(epochs=EPOCHS, patience=EPOCHS, threads=1),
            validate=note,
            progress=stop_at(end),
        )
        return found

    def parts(self, fold: int, state: Path, end: float) -> str:
        """Train both parts on a fold, with the options of the shipped ones, and keep them in the state."""
        from training.dependency import OPTIONS
        from training.transducer import BEAM
        from training.transducer import OPTIONS as TRANSDUCER_OPTIONS

        shown, _ = examples_of_fold(self, fold, WITH_EVIDENCE, OPTIONS.references)
        training = fit_examples(
            shown,
            [],
            Discriminative().extractor.size,
            options=replace(OPTIONS, schedule=Schedule(EPOCHS, threads=1)),
            generator=np.random.default_rng(0),
            progress=stop_at(end),
        )
        discriminative = Discriminative().with_weights(training.weights)
        discriminative.save(state / "discriminative")
        pairs = [pair for corpus in CORPORA for pair in pairs_of_fold(self, corpus, fold)[0]]
        transducer = TreeTransducer(beam=BEAM).fit(
            pairs, options=TRANSDUCER_OPTIONS, checkpoint=state / "checkpoint", progress=stop_at(end)
        )
        transducer.save(state / "transducer")
        return json.dumps({"pairs": len(pairs)})

    def joint_scores(self, fold: int, weight: float, parts: Path, end: float) -> dict[str, dict[str, float]]:
        """F1 and relation F1 of both together at gold length, on each corpus of the fold."""
        system = JointDiscriminative(
            TreeTransducer.load(parts / "transducer"), Discriminative.load(parts / "discriminative"), weight
        )
        found = {}
        for corpus in CORPORA:
            held = without_wordless(pairs_of_fold(self, corpus, fold)[1])
            some = held[:: max(1, len(held) // HELD_SENTENCES)]
            sources = self.annotate(pair.source for pair in some)
            parsed = [replace(pair, source=source) for pair, source in zip(some, sources, strict=True)]
            report = evaluate(
                system,
                parsed,
                gold_length=True,
                parser=lambda each: self.annotate(each),
                progress=stop_at(end),
            )
            scores = {name: report[name].score.macro or 0.0 for name in ("positional_f1", "relation_f1")}
            found[corpus] = {name: 100 * score for name, score in scores.items()} | {
                "sentences": float(len(parsed))
            }
        return found


def stop_at(end: float) -> Callable[..., None]:
    """What stops work that reports its progress when its time is up."""

    def stop(*_: object) -> None:
        if time() >= end:
            raise TimeIsUp

    return stop


@lru_cache(maxsize=8)
def pairs_of_fold(choice: Choice, corpus: str, fold: int) -> tuple[list[Pair], list[Pair]]:
    """What is shown and what is held out."""
    return list(folds(list(open_pairs(f"{corpus}.train", choice.data)), FOLDS))[fold]


@lru_cache(maxsize=1)
def examples_of_fold(
    choice: Choice, fold: int, factors: Factors, references: int | None
) -> tuple[list[CompressionExample], dict[str, list[CompressionExample]]]:
    extractor = Discriminative(factors).extractor

    def examples(pairs: Sequence[Pair], count: int | None) -> list[CompressionExample]:
        golds = gold_compressions(pairs, references=count, annotate=choice.annotate)
        return examples_of(golds, extractor, factors)

    parts = {corpus: pairs_of_fold(choice, corpus, fold) for corpus in CORPORA}
    shown = [example for pairs, _ in parts.values() for example in examples(pairs, references)]
    return shown, {corpus: examples(held, None) for corpus, (_, held) in parts.items()}


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


def run(choice: Choice, folder: Path, *, workers: int, minutes: float) -> None:
    """Do what is left."""
    end = time() + 60 * minutes
    left = run_jobs(
        [*choice.parts_jobs(), *choice.learner_jobs()], choice, folder, workers=workers, minutes=minutes
    )
    if not set(left) & set(choice.parts_jobs()):
        minutes = (end - time()) / 60
        left += run_jobs(choice.weight_jobs(), choice, folder, workers=workers, minutes=minutes)
    else:
        left += choice.weight_jobs()
    print(f"{len(left)} jobs are left: call this again" if left else "nothing is left: make the tables")


def tables(folder: Path, output: Path) -> None:
    """Write what was tried: the learners and the weights of which all folds are done."""
    write_table(
        output / "learners.md",
        "Learners of the discriminative model",
        f"F1 at gold length, in percent, on {FOLDS} folds of spoken and written train (documents whole), learnt from "
        f"the other folds of both; after the number of epochs, of {EPOCHS}, that is best on average.",
        [("learner", "epochs", "spoken", "written", "mean"), *learner_rows(folder)],
    )
    write_table(
        output / "weights.md",
        "The weight of the discriminative model",
        f"Transducer and discriminative model at gold length on {FOLDS} folds of train, both learnt from the other "
        f"folds, by the weight of the second; about {HELD_SENTENCES} sentences of each corpus and fold. Percent.",
        [
            ("weight", *(f"{name} {what}" for name in CORPORA for what in ("F1", "relation F1"))),
            *weight_rows(folder),
        ],
    )


def learner_rows(folder: Path) -> Iterator[Row]:
    for name in LEARNERS:
        paths = [result_file(folder, f"learner,{fold},{name}") for fold in range(FOLDS)]
        found = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
        if not found:
            continue
        curves = {corpus: np.mean([each[corpus] for each in found], axis=0) for corpus in CORPORA}
        mean = np.mean(list(curves.values()), axis=0)
        best = int(np.argmax(mean))
        note = "" if len(found) == FOLDS else f" ({len(found)} folds)"
        cells = (*(curves[corpus][best] for corpus in CORPORA), mean[best])
        yield name + note, str(best + 1), *(f"{cell:.2f}" for cell in cells)


def weight_rows(folder: Path) -> Iterator[Row]:
    for weight in WEIGHTS:
        paths = [result_file(folder, f"weight,{fold},{weight:g}") for fold in range(FOLDS)]
        if not all(path.exists() for path in paths):
            raise LaconicError(f"the weight {weight:g} was not tried on all folds yet: run the jobs first")
        found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        cells = []
        for corpus in CORPORA:
            sizes = [each[corpus]["sentences"] for each in found]
            for metric in ("positional_f1", "relation_f1"):
                cells.append(np.average([each[corpus][metric] for each in found], weights=sizes))
        yield f"{weight:g}", *(f"{cell:.1f}" for cell in cells)
