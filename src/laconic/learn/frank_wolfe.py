"""The structured support vector machine by block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.errors import LaconicError
from laconic.learn.checkpoints import packed, unpacked
from laconic.learn.interface import FeatureVector, Observation, Weights
from laconic.storage import Content, Stored

_NOTHING = FeatureVector(np.zeros(0, np.int64), np.zeros(0))


class FrankWolfe:
    """Minimises ½ λ ‖w‖² + mean over examples of max over answers of (loss - w · (truth - answer)).

    In the dual, example i of n holds a mixture of its answers: w_i = (mixture of truth - answer) / (λ n) and
    ℓ_i = (mixture of loss) / n, with w = Σ w_i. A cost-augmented answer gives the corner (w_s, ℓ_s); the best
    point between mixture and corner is at

        γ = (λ (w_i - w_s) · w - ℓ_i + ℓ_s) / (λ ‖w_i - w_s‖²), cut to [0, 1],

    so that no step size is to be chosen and the dual `objective` never falls, not even when the examples of a
    batch were decoded with the weights before the batch.
    """

    k = 1
    loss_scale = 1.0

    def __init__(self, size: int, examples: int, *, regularisation: float) -> None:
        if not regularisation > 0 or examples < 1:
            raise LaconicError(
                f"a margin needs a regularisation above 0 and an example, not {regularisation}, {examples}"
            )
        self.weights: Weights = np.zeros(size)
        self._lambda = regularisation
        self._examples = examples
        self._parts = [_NOTHING] * examples
        self._losses = np.zeros(examples)
        # The mean of the weights after each update, the later the heavier: Σ_t t w_t · 2 / (T (T + 1)).
        self._weighted: Weights = np.zeros(size)
        self._updates = 0

    @property
    def objective(self) -> float:
        """The dual objective, a lower bound of the primal: Σ ℓ_i - ½ λ ‖w‖²."""
        return float(self._losses.sum() - 0.5 * self._lambda * (self.weights @ self.weights))

    def update(self, batch: Sequence[Observation]) -> None:
        """Learn from a batch, example by example."""
        for observation in batch:
            answer, number = observation.answers[0], observation.number
            corner = (observation.example.truth - answer.features).scaled(1 / (self._lambda * self._examples))
            corner_loss = answer.loss / self._examples
            part, loss = self._parts[number], self._losses[number]
            apart = part - corner
            curvature = self._lambda * apart.squared_norm
            self._updates += 1
            if curvature <= 0.0:
                continue
            rise = self._lambda * apart.dot(self.weights) - loss + corner_loss
            step = min(max(rise / curvature, 0.0), 1.0)
            apart.add_to(self.weights, -step)
            # as in the perceptron: Σ_t t w_t = Σ_t Δ_t (Σ of t … T), of which the part before t is kept
            apart.add_to(self._weighted, -step * (self._updates - 1) * self._updates / 2)
            self._parts[number] = part.plus(apart, -step)
            self._losses[number] = (1 - step) * loss + step * corner_loss

    def result(self) -> Weights:
        """The mean of the weights, later ones weighing more."""
        total = self._updates * (self._updates + 1) / 2
        return self.weights - self._weighted / max(1.0, total)

    @property
    def options(self) -> dict[str, float]:
        """What it was made with."""
        return {"regularisation": self._lambda}

    def state(self) -> Content:
        """The weights, what their mean needs, and the mixtures of the examples."""
        arrays = {"weights": self.weights, "weighted": self._weighted, "losses": self._losses}
        return Content({"updates": self._updates}, arrays) | packed(self._parts).within("parts")

    def resume(self, stored: Stored) -> None:
        """Go on from a state."""
        parts = unpacked(stored.within("parts"), len(self.weights))
        if len(parts) != self._examples:
            raise stored.fault("parts", f"a mixture for each of {self._examples} examples", len(parts))
        self._parts = parts
        self._updates = stored.whole("updates", low=0, high=1 << 53)
        self._losses = stored.array("losses", np.float64, self._losses.shape).copy()
        self.weights, self._weighted = (
            stored.array(name, np.float64, self.weights.shape).copy() for name in ("weights", "weighted")
        )
