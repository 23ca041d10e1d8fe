"""Fitting the weights of a factored model to pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from laconic.corpora.pair import Pair
from laconic.decode.contract import Limit
from laconic.errors import LaconicError
from laconic.learn.frank_wolfe import FrankWolfe
from laconic.learn.interface import Learner, Weights
from laconic.learn.log_linear import LogLinear, Mean
from laconic.learn.mira import Mira
from laconic.learn.perceptron import Perceptron
from laconic.learn.training import Progress, Schedule, Training, train
from laconic.systems.dependency.examples import CompressionExample, examples_of, gold_compressions
from laconic.systems.dependency.factors import Factors
from laconic.systems.dependency.features import Extractor

MOST_WORDS = 250
"""Longer sentences are neither learnt from nor compressed: the chart grows with the cube of their length."""

HELD_OUT = 10
"""One pair in so many is held out to stop on, where no development pairs are given."""


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """How to learn: by which learner, from how many references of a pair (None: all), for how long.

    `strength` is the scale of the loss in the perceptron's search, the aggressiveness of MIRA, the regularisation of
    the margins of Frank-Wolfe, or the variance of the log-linear prior; `k` is the number of answers that MIRA looks
    at. At `gold_length`, the search during training is held to the length of the reference. `head_loss` is what a
    wrong head costs beside a wrong word.
    """

    learner: Literal["perceptron", "mira", "frank-wolfe", "log-linear"] = "mira"
    strength: float = 0.1
    k: int = 1
    references: int | None = None
    gold_length: bool = False
    head_loss: float = 0.5
    schedule: Schedule = field(default_factory=Schedule)

    def new_learner(self, size: int, examples: int) -> Learner:
        """A learner that knows nothing yet."""
        match self.learner:
            case "perceptron":
                return Perceptron(size, loss_scale=self.strength)
            case "mira":
                return Mira(size, k=self.k, aggressiveness=self.strength)
            case "frank-wolfe":
                return FrankWolfe(size, examples, regularisation=self.strength)
            case "log-linear":
                return LogLinear(size, examples, variance=self.strength)
        known = "'perceptron', 'mira', 'frank-wolfe' or 'log-linear'"
        raise LaconicError(f"a learner is {known}, not {self.learner!r}")


def learn(
    pairs: Sequence[Pair],
    extractor: Extractor,
    factors: Factors,
    *,
    development: Sequence[Pair] | None,
    options: LearningOptions,
    generator: np.random.Generator,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> Training:
    """Fit weights to the pairs, stopping by F1 at gold length on the development pairs."""
    if development is None:
        development = pairs[HELD_OUT - 1 :: HELD_OUT]
        pairs = [pair for number, pair in enumerate(pairs, start=1) if number % HELD_OUT]
    shown, unseen = (
        examples_of(
            gold_compressions(
                (pair for pair in some if len(pair.source) <= MOST_WORDS), references=references
            ),
            extractor,
            factors,
            head_loss=options.head_loss,
            gold_length=options.gold_length,
        )
        for some, references in ((pairs, options.references), (development, None))
    )
    return fit_examples(
        shown,
        unseen,
        extractor.size,
        options=options,
        generator=generator,
        progress=progress,
        checkpoint=checkpoint,
    )


def fit_examples(
    shown: Sequence[CompressionExample],
    unseen: Sequence[CompressionExample],
    size: int,
    *,
    options: LearningOptions,
    generator: np.random.Generator,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> Training:
    """Fit weights to the shown examples, stopping by F1 at gold length on the unseen ones, if there are any."""
    if not shown:
        raise LaconicError("no pair to learn from whose reference is made by deleting words")
    return train(
        options.new_learner(size, len(shown)),
        [Mean(example) for example in shown] if options.learner == "log-linear" else shown,
        generator=generator,
        schedule=options.schedule,
        validate=(lambda weights: f1_at_gold_length(unseen, weights)) if unseen else None,
        progress=progress,
        checkpoint=checkpoint,
    )


def f1_at_gold_length(examples: Sequence[CompressionExample], weights: Weights) -> float:
    """The F1 of the kept positions, each compression as long as its reference.

    Averaged over the references of a sentence, then over sentences.
    """
    by_sentence: dict[int, list[float]] = defaultdict(list)
    for example in examples:
        length = len(example.gold.kept)
        decoder = example.factors.decoder(example.rows.score(weights))
        kept = decoder.best(limit=Limit(length, length)).kept
        by_sentence[id(example.rows)].append(len(set(kept) & set(example.gold.kept)) / length)
    return float(np.mean([np.mean(scores) for scores in by_sentence.values()]))
