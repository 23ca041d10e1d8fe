"""Log-linear models: p(output) ∝ exp(weights · features), fitted by the gradient of the likelihood of the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from laconic.errors import LaconicError
from laconic.learn.interface import Answer, FeatureVector, Observation, Weights
from laconic.storage import Content, Stored


class HasMean(Protocol):
    """An input with its true output, whose outputs can be summed over."""

    @property
    def truth(self) -> FeatureVector:
        """The features of the true output."""
        ...

    def mean_answer(self, weights: Weights, *, loss_scale: float = 0.0) -> Answer:
        """The expected features of all outputs; the loss is what the truth lacks: ln Z - weights · truth."""
        ...


@dataclass(frozen=True, slots=True)
class Mean:
    """An example whose one answer is the mean of all outputs, as log-linear learning wants it."""

    example: HasMean

    @property
    def truth(self) -> FeatureVector:
        """The features of the true output."""
        return self.example.truth

    def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:  # noqa: ARG002
        """The mean answer."""
        return [self.example.mean_answer(weights, loss_scale=loss_scale)]


class LogLinear:
    """Climbs Σ ln p(truth) - ‖w‖² / (2 variance), a batch at a time; the result is averaged.

    Its examples are `Mean`s: truth - answer is then the gradient of ln p(truth). Steps are those of AdaGrad (Duchi,
    Hazan and Singer 2011), of size `rate`. With `loss_scale` above 0, wrong outputs count for more (softmax margin;
    Gimpel and Smith 2010).
    """

    k = 1

    def __init__(
        self, size: int, examples: int, *, variance: float = 10.0, rate: float = 0.1, loss_scale: float = 0.0
    ) -> None:
        if examples < 1 or not (variance > 0 and rate > 0):
            raise LaconicError(
                f"a log-linear model needs examples, a variance and a rate above 0, not {examples}, {variance}, {rate}"
            )
        self.loss_scale = loss_scale
        self.weights: Weights = np.zeros(size)
        self._examples, self._variance, self._rate = examples, variance, rate
        self._squares: Weights = np.zeros(size)
        self._sum: Weights = np.zeros(size)
        self._batches = 0

    def update(self, batch: Sequence[Observation]) -> None:
        """Climb by the mean gradient of a batch."""
        gradient = self.weights * (-1.0 / (self._variance * self._examples))
        for observation in batch:
            change = observation.example.truth - observation.answers[0].features
            change.add_to(gradient, 1 / len(batch))
        self._squares += gradient * gradient
        self.weights += self._rate * gradient / np.sqrt(self._squares + 1e-12)
        self._sum += self.weights
        self._batches += 1

    def result(self) -> Weights:
        """The mean of the weights after each batch."""
        return self._sum / max(1, self._batches)

    @property
    def options(self) -> dict[str, float]:
        """What it was made with."""
        return {"variance": self._variance, "rate": self._rate, "loss_scale": self.loss_scale}

    def state(self) -> Content:
        """The weights, and what their steps and their mean need."""
        arrays = {"weights": self.weights, "squares": self._squares, "sum": self._sum}
        return Content({"batches": self._batches}, arrays)

    def resume(self, stored: Stored) -> None:
        """Go on from a state."""
        self._batches = stored.whole("batches", low=0, high=1 << 53)
        self.weights, self._squares, self._sum = (
            stored.array(name, np.float64, self.weights.shape).copy()
            for name in ("weights", "squares", "sum")
        )
