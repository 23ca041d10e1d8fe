"""What learners of linear models see: feature vectors and cost-augmented decoding, never the decoder itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.arrays import Float64
from laconic.storage import Content, Stored

Weights = Float64


@dataclass(frozen=True, slots=True, eq=False)
class FeatureVector:
    """A sparse vector: the features in ascending order, each once, and their values, none of them 0."""

    features: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, features: ArrayLike, values: ArrayLike) -> FeatureVector:
        """The vector of features in any order; the values of equal ones add up.

        >>> FeatureVector.of([3, 1, 3], [1.0, 2.0, 0.5]).values.tolist()
        [2.0, 1.5]
        """
        unique, places = np.unique(np.asarray(features, np.int64), return_inverse=True)
        sums = np.bincount(places, np.asarray(values, np.float64), len(unique))
        return cls(unique[sums != 0.0], sums[sums != 0.0])

    def __sub__(self, other: FeatureVector) -> FeatureVector:
        return self.plus(other, -1.0)

    def plus(self, other: FeatureVector, scale: float) -> FeatureVector:
        """The sum of this vector and `scale` times another."""
        features = np.concatenate([self.features, other.features])
        return FeatureVector.of(features, np.concatenate([self.values, scale * other.values]))

    def scaled(self, scale: float) -> FeatureVector:
        """The vector times a number other than 0."""
        return FeatureVector(self.features, scale * self.values)

    def dot(self, weights: Weights) -> float:
        """The score of the vector under dense weights."""
        return float(weights[self.features] @ self.values)

    def times(self, other: FeatureVector) -> float:
        """The inner product with another sparse vector."""
        _, here, there = np.intersect1d(
            self.features, other.features, assume_unique=True, return_indices=True
        )
        return float(self.values[here] @ other.values[there])

    @property
    def squared_norm(self) -> float:
        """The inner product of the vector with itself."""
        return float(self.values @ self.values)

    def add_to(self, weights: Weights, scale: float = 1.0) -> None:
        """Add `scale` times the vector to dense weights, in place."""
        weights[self.features] += scale * self.values


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """An output for an example: its features, and its loss, which is 0 for the true output alone."""

    features: FeatureVector
    loss: float


class Example(Protocol):
    """An input with its true output, behind which a decoder hides."""

    @property
    def truth(self) -> FeatureVector:
        """The features of the true output."""
        ...

    def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:
        """The k outputs of highest weights · features + loss_scale · loss, best first (fewer if fewer exist)."""
        ...


class Learner(Protocol):
    """The state of learning: how to change the weights after seeing what the decoder answers.

    `train` decodes a batch of examples with `weights`, asking for `k` answers under `loss_scale`, and
    hands them to `update`; `result` is the model learnt so far.
    """

    @property
    def k(self) -> int:
        """How many answers an update looks at."""
        ...

    @property
    def loss_scale(self) -> float:
        """How much of the loss is added to the score of an answer when decoding."""
        ...

    @property
    def weights(self) -> Weights:
        """The weights to decode with; changed in place by `update`."""
        ...

    def update(self, batch: Sequence[Observation]) -> None:
        """Learn from a batch."""
        ...

    def result(self) -> Weights:
        """A copy of the weights to keep, such as an average."""
        ...

    @property
    def options(self) -> Mapping[str, float]:
        """What it was made with; learning goes on only where this is the same."""
        ...

    def state(self) -> Content:
        """All that it has learnt."""
        ...

    def resume(self, stored: Stored) -> None:
        """Go on from a state."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """An example, by its number among the training examples, and what the decoder answered."""

    number: int
    example: Example
    answers: Sequence[Answer]
