"""Bootstrap tests drawn sentence by sentence."""

from __future__ import annotations

import random
from collections.abc import Sequence


def bootstrap_means(values: Sequence[float], *, seed: int, samples: int) -> list[float]:
    """The means of corpora drawn with replacement."""
    chance = random.Random(seed)
    return [sum(chance.choices(values, k=len(values))) / len(values) for _ in range(samples)]


def paired_p(first: Sequence[float], second: Sequence[float], *, seed: int, samples: int) -> float:
    """The share of resamples at least as far from the observed difference as that is from zero."""
    differences = [a - b for a, b in zip(first, second, strict=True)]
    observed = sum(differences) / len(differences)
    means = bootstrap_means(differences, seed=seed, samples=samples)
    return (1 + sum(abs(mean - observed) >= abs(observed) for mean in means)) / (1 + samples)
