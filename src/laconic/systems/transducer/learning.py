"""Fitting a transducer to pairs: the grammar and the gold derivations, then the weights of the features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from laconic.decode.cube_pruning import Beam
from laconic.decode.transducer import Transducer
from laconic.errors import LaconicError
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import AlignedTrees, Grammar
from laconic.grammar.rule_features import ALL_FEATURES, FeatureGroup
from laconic.learn.interface import Weights
from laconic.learn.perceptron import Perceptron
from laconic.learn.structured_svm import SvmOptions, SvmProgress, train_svm
from laconic.learn.training import Schedule, train
from laconic.ngram.model import NgramModel
from laconic.systems.transducer.examples import (
    Lesson,
    OnError,
    TransductionExample,
    gold_derivation,
    make_lessons,
)
from laconic.systems.transducer.features import RuleFeatures
from laconic.systems.transducer.losses import Loss, TokenHamming


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """How to learn.

    `extraction` and `targets` (rules of one source fragment) set the grammar, `groups` the features, `loss`
    what is minimised. Rules seen at most `rare` times are described as if unseen (0: none, as in the paper);
    those seen fewer than `least` times are forgotten after learning. `gold` is how the derivation of a
    reference is chosen: that of most rules, or that of highest score under the model which the former gave.
    `learner` is the structured SVM, with `svm`, or the averaged perceptron, with `schedule`. All features are
    multiplied with `scale`, which balances them with the loss, as the paper does. `beam` is that of searches
    with a language model while learning.
    """

    extraction: ExtractionOptions = field(default_factory=ExtractionOptions)
    targets: int = 50
    groups: FeatureGroup = ALL_FEATURES
    rare: int = 1
    least: int = 2
    loss: Loss = field(default_factory=TokenHamming)
    gold: Literal["rules", "score"] = "rules"
    learner: Literal["svm", "perceptron"] = "svm"
    svm: SvmOptions = field(default_factory=SvmOptions)
    schedule: Schedule = field(default_factory=lambda: Schedule(epochs=5))
    scale: float = 1.0
    beam: Beam = field(default_factory=lambda: Beam(20, 40))

    def __post_init__(self) -> None:
        if self.gold not in ("rules", "score") or self.learner not in ("svm", "perceptron"):
            raise LaconicError(
                "the gold derivation is that of most 'rules' or best 'score', the learner 'svm' or "
                f"'perceptron', not {self.gold!r} and {self.learner!r}"
            )
        if not self.scale > 0:
            raise LaconicError(f"features are multiplied with a scale above 0, not {self.scale}")


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """What was learnt: rules, the names of features, their weights, and how well the SVM converged."""

    grammar: Grammar
    names: tuple[str, ...]
    weights: Weights
    progress: SvmProgress | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Lessons:
    """A grammar, its features and the pairs that it derives: the same for every loss, model and learner."""

    grammar: Grammar
    features: RuleFeatures
    transducer: Transducer
    lessons: Sequence[Lesson]


def prepare(
    pairs: Sequence[AlignedTrees], options: LearningOptions, *, on_error: OnError | None = None
) -> Lessons:
    """Extract a grammar from the pairs and find their gold derivations of most rules.

    Pairs that it does not derive within its limits go to `on_error`.
    """
    grammar = Grammar.extracted(pairs, options.extraction, targets=options.targets, on_error=on_error)
    features = RuleFeatures(options.groups, rare=options.rare)
    transducer = Transducer(grammar, features)
    lessons = make_lessons(pairs, transducer, on_error=on_error)
    features.fixed = True
    if not lessons:
        raise LaconicError("no pair to learn from: the grammar derives none of them within its limits")
    return Lessons(grammar, features, transducer, lessons)


def learn(
    prepared: Lessons,
    options: LearningOptions,
    *,
    language: NgramModel | None = None,
    generator: np.random.Generator,
    checkpoint: Path | None = None,
    progress: Callable[[SvmProgress], None] | None = None,
) -> Learnt:
    """Fit weights to the lessons that were prepared with the same options."""
    size = len(prepared.features)
    beam = options.beam if language is not None else None
    # Weights w of features s ψ score as s w does with ψ; for s w, ½ ‖w‖² + C R is (½ ‖s w‖² + C s² R) / s².
    svm = replace(options.svm, regularisation=options.scale**2 * options.svm.regularisation)

    def fitted(lessons: Sequence[Lesson], state: Path | None) -> tuple[Weights, SvmProgress | None]:
        shown = [
            TransductionExample.of(lesson, options.loss, language=language, beam=beam) for lesson in lessons
        ]
        if options.learner == "perceptron":
            learner = Perceptron(size, loss_scale=options.scale**-2)
            plan = options.schedule
            return train(learner, shown, generator=generator, schedule=plan, checkpoint=state).weights, None
        done = train_svm(shown, size, svm, checkpoint=state, progress=progress)
        return done.weights, done.progress

    weights, convergence = fitted(prepared.lessons, checkpoint)
    if options.gold == "score":
        rescored = [
            replace(
                lesson,
                gold=gold_derivation(prepared.transducer, lesson.space.tree, lesson.reference, weights),
            )
            for lesson in prepared.lessons
        ]
        if checkpoint is not None:
            checkpoint = checkpoint.with_name(f"{checkpoint.stem}.score{checkpoint.suffix}")
        weights, convergence = fitted(rescored, checkpoint)
    return Learnt(prepared.grammar.frequent(options.least), prepared.features.names, weights, convergence)
