"""Small learning problems whose outputs are listed, so that decoding is sorting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laconic.learn.interface import Answer, FeatureVector, Weights


@dataclass(frozen=True)
class ListedExample:
    """An example with all its outputs; the first of them is true."""

    outputs: tuple[Answer, ...]

    @property
    def truth(self) -> FeatureVector:
        return self.outputs[0].features

    def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:
        def score(answer: Answer) -> float:
            return answer.features.dot(weights) + loss_scale * answer.loss

        # Of equal scores the last counts, so that knowing nothing is never right.
        return sorted(self.outputs, key=score)[::-1][:k]

    def mean_answer(self, weights: Weights, *, loss_scale: float = 0.0) -> Answer:
        scores = [each.features.dot(weights) + loss_scale * each.loss for each in self.outputs]
        total = float(np.logaddexp.reduce(scores))
        mean = FeatureVector.of([], [])
        for answer, score in zip(self.outputs, scores, strict=True):
            mean = mean.plus(answer.features, float(np.exp(score - total)))
        return Answer(mean, total - scores[0])


def separable_examples(seed: int, *, examples: int = 12, outputs: int = 5, size: int = 30):
    """Examples whose true output scores above all others, by a margin, under some hidden weights."""
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=size)
    found = []  # type: ignore[var-annotated]
    while len(found) < examples:
        vectors = [
            FeatureVector.of(generator.choice(size, 6, replace=False), generator.normal(size=6))
            for _ in range(outputs)
        ]
        vectors.sort(key=lambda vector: -vector.dot(hidden))
        if vectors[0].dot(hidden) > vectors[1].dot(hidden) + 0.5:
            losses = [0.0, *generator.uniform(0.5, 2.0, size=outputs - 1)]
            found.append(ListedExample(tuple(map(Answer, vectors, losses))))
    return found


def mistakes(examples: Sequence[ListedExample], weights: Weights) -> int:
    """How many examples have another output at the top than the true one."""
    return sum(example.answers(weights)[0] is not example.outputs[0] for example in examples)
