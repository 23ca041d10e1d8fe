"""The averaged structured perceptron with minibatches (Collins 2002; Zhao and Huang 2013)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.learn.interface import Observation, Weights
from laconic.storage import Content, Stored


class Perceptron:
    """Adds, after each batch, the mean of truth - answer over its examples; the result is averaged.

    With `loss_scale` above 0, answers are found by cost-augmented search, so that the truth must win by a
    margin.
    """

    k = 1

    def __init__(self, size: int, *, loss_scale: float = 0.0) -> None:
        self.loss_scale = loss_scale
        self.weights: Weights = np.zeros(size)
        # With w_t the weights after batch t and Δ_t = w_t - w_(t-1), the mean of w_1 … w_T is
        # w_T - (Σ_t (t - 1) Δ_t) / T: so a batch touches only the features of its own change.
        self._weighted: Weights = np.zeros(size)
        self._batches = 0

    def update(self, batch: Sequence[Observation]) -> None:
        """Learn from a batch of one answer an example."""
        for observation in batch:
            change = observation.example.truth - observation.answers[0].features
            change.add_to(self.weights, 1 / len(batch))
            change.add_to(self._weighted, self._batches / len(batch))
        self._batches += 1

    def result(self) -> Weights:
        """The mean of the weights after each batch."""
        return self.weights - self._weighted / max(1, self._batches)

    @property
    def options(self) -> dict[str, float]:
        """What it was made with."""
        return {"loss_scale": self.loss_scale}

    def state(self) -> Content:
        """The weights and what their mean needs."""
        return Content({"batches": self._batches}, {"weights": self.weights, "weighted": self._weighted})

    def resume(self, stored: Stored) -> None:
        """Go on from a state."""
        self._batches = stored.whole("batches", low=0, high=1 << 53)
        self.weights, self._weighted = (
            stored.array(name, np.float64, self.weights.shape).copy() for name in ("weights", "weighted")
        )
