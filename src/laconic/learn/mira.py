"""MIRA: the smallest change of the weights that gives the truth a margin (Crammer and Singer 2003)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.learn.interface import FeatureVector, Observation, Weights
from laconic.storage import Content, Stored


class Mira:
    """After each example, the w nearest to the old one such that truth beats each of k answers by its loss.

    min ½‖w' - w‖² + C ξ   subject to   w' · (truth - answer) >= loss - ξ  for each of the k answers.

    Its dual has one α >= 0 for each answer, Σ α <= C, and w' = w + Σ α (truth - answer). Examples of a batch
    were decoded with the same weights and then change them one after another. The result is averaged.
    """

    def __init__(
        self, size: int, *, k: int = 1, aggressiveness: float = 0.01, loss_scale: float = 1.0
    ) -> None:
        if k < 1 or not aggressiveness > 0:
            raise LaconicError(
                f"MIRA needs k of at least 1 and an aggressiveness above 0, not {k}, {aggressiveness}"
            )
        self.k = k
        self.loss_scale = loss_scale
        self.weights: Weights = np.zeros(size)
        self._aggressiveness = aggressiveness
        self._weighted: Weights = np.zeros(size)  # as in the perceptron, by examples instead of batches
        self._examples = 0

    def update(self, batch: Sequence[Observation]) -> None:
        """Learn from a batch, example by example."""
        for observation in batch:
            changes = [observation.example.truth - answer.features for answer in observation.answers]
            gaps = [
                answer.loss - change.dot(self.weights)
                for answer, change in zip(observation.answers, changes, strict=True)
            ]
            for step, change in zip(self._steps(changes, gaps), changes, strict=True):
                if step != 0.0:
                    change.add_to(self.weights, step)
                    change.add_to(self._weighted, step * self._examples)
            self._examples += 1

    def result(self) -> Weights:
        """The mean of the weights after each example."""
        return self.weights - self._weighted / max(1, self._examples)

    @property
    def options(self) -> dict[str, float]:
        """What it was made with."""
        return {"k": self.k, "aggressiveness": self._aggressiveness, "loss_scale": self.loss_scale}

    def state(self) -> Content:
        """The weights and what their mean needs."""
        return Content({"examples": self._examples}, {"weights": self.weights, "weighted": self._weighted})

    def resume(self, stored: Stored) -> None:
        """Go on from a state."""
        self._examples = stored.whole("examples", low=0, high=1 << 53)
        self.weights, self._weighted = (
            stored.array(name, np.float64, self.weights.shape).copy() for name in ("weights", "weighted")
        )

    def _steps(self, changes: Sequence[FeatureVector], gaps: Sequence[float]) -> NDArray[np.float64]:
        gram = np.array([[one.times(other) for other in changes] for one in changes])
        return dual_steps(gram, np.array(gaps), self._aggressiveness)


def dual_steps(
    gram: NDArray[np.float64], gaps: NDArray[np.float64], total: float, *, rounds: int = 1000
) -> NDArray[np.float64]:
    """The α >= 0 with Σ α <= total that maximises gaps · α - ½ α' gram α, to within rounding.

    Coordinate ascent over single α's and over pairs, between which weight moves once the total is used up.
    """
    count = len(gaps)
    alpha = np.zeros(count)
    slope = gaps.copy()  # the gradient gaps - gram α

    def move(where: int, amount: float) -> None:
        nonlocal slope
        alpha[where] += amount
        slope -= amount * gram[where]

    for _ in range(rounds):
        moved = 0.0
        for here in range(count):
            room = total - alpha.sum()
            if gram[here, here] > 0.0:
                amount = min(max(slope[here] / gram[here, here], -alpha[here]), room)
                move(here, amount)
                moved = max(moved, abs(amount))
            for there in range(here):
                curvature = gram[here, here] + gram[there, there] - 2 * gram[here, there]
                if curvature > 1e-12:
                    amount = (slope[here] - slope[there]) / curvature
                    amount = min(max(amount, -alpha[here]), alpha[there])
                    move(here, amount)
                    move(there, -amount)
                    moved = max(moved, abs(amount))
        if moved <= 1e-12 * alpha.sum():
            break
    return alpha
