"""Is a difference more than chance? Bootstrap intervals and paired tests over per-sentence values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from laconic.arrays import Float64
from laconic.errors import LaconicError

_DRAWS_AT_ONCE = 1_000_000
_MOST_EXACT = 50


def resampled_means(values: Sequence[float], *, generator: np.random.Generator, samples: int) -> Float64:
    """The means of `samples` corpora drawn from the values with replacement, each as large as the original.

    Draws are made in blocks, so that memory stays bounded.
    """
    numbers = np.asarray(values, dtype=np.float64)
    count = len(numbers)
    if not count or samples < 1:
        raise LaconicError(f"cannot resample {count} values {samples} times: give at least one of both")
    means = np.empty(samples)
    step = max(1, _DRAWS_AT_ONCE // count)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        means[start : start + size] = numbers[generator.integers(count, size=(size, count))].mean(axis=1)
    return means


def confidence_interval(
    values: Sequence[float | None],
    *,
    generator: np.random.Generator,
    samples: int = 10_000,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean of the defined values."""
    defined = [value for value in values if value is not None]
    return _percentiles(resampled_means(defined, generator=generator, samples=samples), confidence)


def paired_bootstrap(
    first: Sequence[float],
    second: Sequence[float],
    *,
    generator: np.random.Generator,
    samples: int = 10_000,
    confidence: float = 0.95,
) -> tuple[float, tuple[float, float]]:
    """The two-sided p-value, and the interval, of the mean difference of paired values.

    p = (1 + #{b : |D_b - D| >= |D|}) / (1 + samples), where D is the mean difference and D_b that of
    resampled pairs: less D, these follow the hypothesis of no difference (Riezler & Maxwell 2005).
    """
    differences = _differences(first, second)
    means = resampled_means(differences.tolist(), generator=generator, samples=samples)
    observed = differences.mean()
    extreme = int(np.count_nonzero(np.abs(means - observed) >= abs(observed)))
    return (1 + extreme) / (1 + samples), _percentiles(means, confidence)


def wilcoxon(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test on paired values; 1 if all pairs are equal.

    Pairs without a difference are left out, equal differences share their mean rank (Wilcoxon 1945). Up to 50
    differences the distribution of the positive ranks' sum W is exact, beyond it is normal:
    p = 2 min(P(W <= w), P(W >= w)).
    """
    differences = _differences(first, second)
    differences = differences[differences != 0]
    count = len(differences)
    if not count:
        return 1.0
    _, place, ties = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    # Twice the mean rank, a whole number: the k-th group's ranks run from its predecessors' total + 1 to its own.
    ranks = (2 * np.cumsum(ties) - ties + 1)[place]
    observed = int(ranks[differences > 0].sum())
    if count > _MOST_EXACT:
        # E[W] = n (n + 1) / 4, and Var[W] = (n (n + 1) (2n + 1) - Σ (t^3 - t) / 2) / 24 for groups of t ties
        mean = count * (count + 1) / 4
        variance = (count * (count + 1) * (2 * count + 1) - float((ties**3 - ties).sum()) / 2) / 24
        return math.erfc(abs(observed / 2 - mean) / math.sqrt(2 * variance))
    # ways[s]: how many of the 2^n choices of signs make the positive ranks' sum s
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    tail = min(ways[: observed + 1].sum(), ways[observed:].sum())
    return min(1.0, 2.0 * float(tail) / 2.0**count)


def _differences(first: Sequence[float], second: Sequence[float]) -> Float64:
    if len(first) != len(second):
        raise LaconicError(f"paired values come in pairs, not {len(first)} and {len(second)}")
    return np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)


def _percentiles(means: Float64, confidence: float) -> tuple[float, float]:
    if not 0 < confidence < 1:
        raise LaconicError(f"a confidence lies between 0 and 1, not {confidence}")
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
