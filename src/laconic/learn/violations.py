"""All answers that were found wrong in training, and the cutting plane of the worst of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.kernel import kernel
from laconic.learn.cutting_plane import Plane
from laconic.learn.interface import FeatureVector, Weights


class Violations:
    """Violations offset - normal · w of examples, as rows of a sparse matrix.

    Of each example at most the worst counts, and none if that is not above 0: their mean is a plane below the
    risk, which touches it where the worst violations of all examples are known.
    """

    def __init__(self, examples: int) -> None:
        self._examples = examples
        self._owners: Int64 = np.zeros(0, dtype=np.int64)
        self._offsets: Float64 = np.zeros(0)
        self._starts: Int64 = np.zeros(1, dtype=np.int64)
        self._features: Int64 = np.zeros(0, dtype=np.int64)
        self._values: Float64 = np.zeros(0)

    def add(self, found: Iterable[tuple[FeatureVector, float] | None]) -> None:
        """Take up the normal and the offset of a violation, or none, of each example in turn."""
        rows = [(owner, *violation) for owner, violation in enumerate(found) if violation is not None]
        ends = self._starts[-1] + np.cumsum([len(normal.features) for _, normal, _ in rows], dtype=np.int64)
        self._owners = np.append(self._owners, np.array([owner for owner, _, _ in rows], dtype=np.int64))
        self._offsets = np.append(self._offsets, [offset for _, _, offset in rows])
        self._starts = np.append(self._starts, ends)
        self._features = np.concatenate([self._features, *(normal.features for _, normal, _ in rows)])
        self._values = np.concatenate([self._values, *(normal.values for _, normal, _ in rows)])

    def plane(self, weights: Weights) -> Plane:
        """The mean over the examples of their worst violations at these weights."""
        worst = _worst(
            self._owners, self._offsets, self._starts, self._features, self._values, weights, self._examples
        )
        chosen = worst[worst >= 0]
        normal = np.zeros(len(weights))
        _add_rows(chosen, self._starts, self._features, self._values, normal)
        places = np.flatnonzero(normal)
        mean = FeatureVector(places, normal[places] / self._examples)
        return Plane(mean, float(self._offsets[chosen].sum()) / self._examples)


@kernel
def _worst(
    owners: Int64,
    offsets: Float64,
    starts: Int64,
    features: Int64,
    values: Float64,
    weights: Float64,
    examples: int,
) -> Int64:
    """For each example the row of the greatest violation above 0, or -1."""
    rows = np.full(examples, -1)
    greatest = np.zeros(examples)
    for row in range(len(owners)):
        violation = offsets[row]
        for i in range(starts[row], starts[row + 1]):
            violation -= values[i] * weights[features[i]]
        if violation > greatest[owners[row]]:
            greatest[owners[row]], rows[owners[row]] = violation, row
    return rows


@kernel
def _add_rows(rows: Int64, starts: Int64, features: Int64, values: Float64, sums: Float64) -> None:
    """Add the chosen rows to dense sums."""
    for row in rows:
        for i in range(starts[row], starts[row + 1]):
            sums[features[i]] += values[i]
