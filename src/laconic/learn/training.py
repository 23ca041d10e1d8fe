"""Passing over examples in batches, decoded in parallel, until a held-out score no longer rises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from laconic.errors import LaconicError
from laconic.learn.checkpoints import training_identity
from laconic.learn.interface import Example, Learner, Observation, Weights
from laconic.storage import Checkpoint, Content, Stored

Progress = Callable[[int, int], None]
"""Called with (examples done, examples in all)."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long to learn: `epochs` at most, stopping when `patience` epochs in a row brought no better score.

    The examples of a batch are decoded with the same weights, by `threads` threads; the result does not
    depend on how many.
    """

    epochs: int = 10
    patience: int = 3
    batch: int = 4
    threads: int = 2

    def __post_init__(self) -> None:
        if min(self.epochs, self.patience, self.batch, self.threads) < 1:
            raise LaconicError(f"epochs, patience, batch and threads are at least 1 each: {self}")


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """The best weights, the epoch (from 1) that gave them, and the held-out score after each epoch."""

    weights: Weights
    epoch: int
    scores: tuple[float, ...]


def train(
    learner: Learner,
    examples: Sequence[Example],
    *,
    generator: np.random.Generator,
    schedule: Schedule | None = None,
    validate: Callable[[Weights], float] | None = None,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> Training:
    """Show the examples to the learner, in a new random order each epoch, and keep the best result.

    `validate` scores weights on held-out data, higher is better; without it all epochs are run and the last
    result is kept. With a `checkpoint`, the state is written to that folder after every epoch, and training goes
    on from it if it is there; one of other examples or options is refused.
    """
    if not examples:
        raise LaconicError("nothing to learn from: there are no examples")
    plan = schedule or Schedule()
    best = Training(learner.result(), 0, ())
    scores: list[float] = []
    done = 0
    saved = None
    if checkpoint is not None:
        kind, size = type(learner).__name__, len(best.weights)
        identity = training_identity(kind, examples, size, **learner.options, batch=plan.batch)
        saved = Checkpoint(checkpoint, identity)
        if resumed := saved.resume(lambda stored: _resumed(stored, learner, generator)):
            done, best, scores = resumed
    with ThreadPoolExecutor(plan.threads) as pool:
        for epoch in range(done + 1, plan.epochs + 1):
            if validate is not None and epoch - 1 - best.epoch >= plan.patience:
                break
            order = generator.permutation(len(examples))
            for start in range(0, len(order), plan.batch):
                numbers = order[start : start + plan.batch].tolist()

                def decode(number: int) -> Observation:
                    example = examples[number]
                    answers = example.answers(learner.weights, k=learner.k, loss_scale=learner.loss_scale)
                    return Observation(number, example, answers)

                learner.update(list(pool.map(decode, numbers)))
                if progress is not None:
                    seen = (epoch - 1) * len(order) + start + len(numbers)
                    progress(seen, plan.epochs * len(order))
            result = learner.result()
            if validate is not None:
                scores.append(validate(result))
            if validate is None or epoch == 1 or scores[-1] > scores[best.epoch - 1]:
                best = Training(result, epoch, ())
            if saved is not None:
                saved.write(_state(epoch, best, scores, learner, generator))
    return Training(best.weights, best.epoch, tuple(scores))


def _state(
    epoch: int, best: Training, scores: Sequence[float], learner: Learner, generator: np.random.Generator
) -> Content:
    numbers = {"epoch": epoch, "best epoch": best.epoch, "generator": generator.bit_generator.state}
    arrays = {"best": best.weights, "scores": np.array(scores)}
    return Content(numbers, arrays) | learner.state().within("learner")


def _resumed(
    stored: Stored, learner: Learner, generator: np.random.Generator
) -> tuple[int, Training, list[float]]:
    """Take up a state; returns the epochs done, the best result so far and the scores."""
    epoch = stored.whole("epoch", low=1, high=1 << 31)
    weights = stored.array("best", np.float64, learner.weights.shape)
    best = Training(weights, stored.whole("best epoch", low=1, high=epoch), ())
    scores = stored.array("scores", np.float64, (None,)).tolist()
    generator.bit_generator.state = stored.settings["generator"]
    learner.resume(stored.within("learner"))
    return epoch, best, scores
