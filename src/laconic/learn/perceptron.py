"""The averaged structured perceptron with minibatches (Collins 2002; Zhao and Huang 2013)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.learn.interface import Observation, Weights


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
