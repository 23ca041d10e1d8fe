"""Minimising ½ ‖w‖² + C R(w) for a convex risk R known by its cutting planes.

Every evaluation of the risk at some w gives a plane below it: R(v) >= offset - normal · v for all v, with
equality at w. The planes so far make a small problem whose solution is where the risk is evaluated next; its
value is a lower bound of the whole problem's, so the gap to the best w met is known (Teo et al. 2010).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from laconic.arrays import Float64
from laconic.errors import LaconicError
from laconic.kernel import kernel
from laconic.learn.interface import FeatureVector, Weights

_IDLE_ROUNDS = 25  # planes that took no part in so many solutions are forgotten


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A lower bound of the risk: offset - normal · w."""

    normal: FeatureVector
    offset: float


class CuttingPlanes:
    """The planes met so far, the best weights among those evaluated, and bounds of the optimum.

    The dual of the small problem is: maximise Σ α_j offset_j - ½ ‖Σ α_j normal_j‖² over α >= 0, Σ α <= C;
    its solution gives w = Σ α_j normal_j. The risk is at least 0, which is the plane whose α is the rest.
    """

    def __init__(self, size: int, *, regularisation: float) -> None:
        if not regularisation > 0:
            raise LaconicError(f"C must be above 0, not {regularisation}")
        self.planes: list[Plane] = []
        self.weights: Weights = np.zeros(size)
        self.best: Weights = np.zeros(size)
        self.upper = np.inf
        self.lower = 0.0
        self._total = regularisation
        self._gram = np.zeros((0, 0))
        self._alpha = np.zeros(0)
        self._idle = np.zeros(0, dtype=np.int64)

    @property
    def gap(self) -> float:
        """How far the best weights may be from the optimum, relative to their objective."""
        return (self.upper - self.lower) / max(abs(self.upper), 1e-12) if self.upper < np.inf else np.inf

    def objective(self, plane: Plane) -> float:
        """The objective at `weights` if the plane touches the risk there, otherwise a lower bound of it."""
        risk = max(0.0, plane.offset - plane.normal.dot(self.weights))
        # Not a dot product: libraries for those start threads, which takes longer than the sum.
        return 0.5 * float(np.sum(self.weights * self.weights)) + self._total * risk

    def add(self, plane: Plane, *, touches: bool = True) -> None:
        """Take up the plane found at `weights`, note the objective there if it touches the risk, and move on."""
        objective = self.objective(plane)
        if touches and objective < self.upper:
            self.upper, self.best = objective, self.weights.copy()
        self._append(plane)
        self.solve()

    def _append(self, plane: Plane) -> None:
        normal = np.zeros(len(self.weights))
        plane.normal.add_to(normal)
        row = np.array([*(other.normal.dot(normal) for other in self.planes), plane.normal.squared_norm])
        count = len(self.planes)
        gram = np.empty((count + 1, count + 1))
        gram[:count, :count] = self._gram
        gram[count] = gram[:, count] = row
        self._gram = gram
        self._alpha = np.append(self._alpha, 0.0)
        self._idle = np.append(self._idle, 0)
        self.planes.append(plane)

    def solve(self) -> None:
        """Solve the small problem and forget planes that have long been idle."""
        offsets = np.array([plane.offset for plane in self.planes])
        value = _ascend(self._gram, offsets, self._alpha, self._total)
        self.lower = max(self.lower, value)
        self.weights = np.zeros(len(self.weights))
        for plane, share in zip(self.planes, self._alpha, strict=True):
            if share > 0.0:
                plane.normal.add_to(self.weights, float(share))
        self._idle = np.where(self._alpha > 0.0, 0, self._idle + 1)
        kept = np.flatnonzero(self._idle < _IDLE_ROUNDS)
        if len(kept) < len(self.planes):
            self.planes = [self.planes[place] for place in kept]
            self._gram = np.ascontiguousarray(self._gram[np.ix_(kept, kept)])
            self._alpha, self._idle = self._alpha[kept], self._idle[kept]

    def resume(self, planes: list[Plane], best: Weights, upper: float, lower: float) -> None:
        """Take up what another run found for the same problem."""
        for plane in planes:
            self._append(plane)
        self.best, self.upper, self.lower = best.copy(), upper, lower
        self.solve()


@kernel
def _ascend(gram: Float64, offsets: Float64, alpha: Float64, total: float) -> float:
    """Maximise offsets · α - ½ α' gram α over α >= 0, Σ α <= total, in place from the given α; returns the value.

    Weight moves from the place of least gradient that has some to that of the highest; the rest of the
    total counts as one more place, of gradient 0 (sequential minimal optimisation).
    """
    count = len(offsets)
    # Written out, as products of matrices in a kernel are SciPy's.
    gradient = offsets.copy()
    for j in range(count):
        gradient -= alpha[j] * gram[j]
    scale = 1e-9 * (1.0 + np.abs(offsets).max())
    for _ in range(200 * (count + 10)):
        rest = total - alpha.sum()
        to, high = -1, 0.0
        source, low = -1, 0.0 if rest > 1e-15 * total else np.inf
        for j in range(count):
            if gradient[j] > high:
                to, high = j, gradient[j]
            if alpha[j] > 0.0 and gradient[j] < low:
                source, low = j, gradient[j]
        if high - low <= scale:
            break
        curvature = 0.0
        if to >= 0:
            curvature += gram[to, to]
        if source >= 0:
            curvature += gram[source, source]
        if to >= 0 and source >= 0:
            curvature -= 2 * gram[to, source]
        available = alpha[source] if source >= 0 else rest
        step = available
        if curvature > 1e-15:
            step = min(available, (high - low) / curvature)
        if source >= 0:
            alpha[source] = 0.0 if step == available else alpha[source] - step
            gradient += step * gram[source]
        if to >= 0:
            alpha[to] += step
            gradient -= step * gram[to]
    return float(0.5 * (alpha * (offsets + gradient)).sum())
