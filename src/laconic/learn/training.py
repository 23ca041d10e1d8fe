"""Passing over examples in batches, decoded in parallel, until a held-out score no longer rises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from laconic.errors import LaconicError
from laconic.learn.interface import Example, Learner, Observation, Weights

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
) -> Training:
    """Show the examples to the learner, in a new random order each epoch, and keep the best result.

    `validate` scores weights on held-out data, higher is better; without it all epochs are run and the last
    result is kept.
    """
    if not examples:
        raise LaconicError("nothing to learn from: there are no examples")
    plan = schedule or Schedule()
    best = Training(learner.result(), 0, ())
    scores: list[float] = []
    with ThreadPoolExecutor(plan.threads) as pool:
        for epoch in range(1, plan.epochs + 1):
            order = generator.permutation(len(examples))
            for start in range(0, len(order), plan.batch):
                numbers = order[start : start + plan.batch].tolist()

                def decode(number: int) -> Observation:
                    example = examples[number]
                    answers = example.answers(learner.weights, k=learner.k, loss_scale=learner.loss_scale)
                    return Observation(number, example, answers)

                learner.update(list(pool.map(decode, numbers)))
                if progress is not None:
                    done = (epoch - 1) * len(order) + start + len(numbers)
                    progress(done, plan.epochs * len(order))
            result = learner.result()
            if validate is None:
                best = Training(result, epoch, ())
                continue
            scores.append(validate(result))
            if epoch == 1 or scores[-1] > scores[best.epoch - 1]:
                best = Training(result, epoch, ())
            elif epoch - best.epoch >= plan.patience:
                break
    return Training(best.weights, best.epoch, tuple(scores))
