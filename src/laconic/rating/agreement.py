"""How far raters agree: Krippendorff's α and Cohen's weighted κ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

Scores = Mapping[str, Mapping[str, int]]
"""What each rater gave each text."""


def krippendorff_alpha(scores: Scores) -> float | None:
    """α = 1 − observed / expected disagreement, of squared differences (Krippendorff 2004); None if nothing varies.

    Texts that one rater alone has seen do not count.

    >>> krippendorff_alpha({"a": {"1": 1, "2": 5}, "b": {"1": 1, "2": 5}})
    1.0
    """
    units = [values for values in _by_text(scores).values() if len(values) > 1]
    every = np.array([value for values in units for value in values], float)
    if len(every) < 2:
        return None
    expected = 2 * every.var(ddof=1)
    if expected == 0:
        return None
    # For m values of a unit, the sum of squared differences over its m (m − 1) ordered pairs, over m − 1.
    observed = sum(2 * len(values) * np.var(values, ddof=1) for values in units) / len(every)
    return float(1 - observed / expected)


def weighted_kappa(first: Mapping[str, int], second: Mapping[str, int]) -> float | None:
    """κ with quadratic weights of two raters, over the texts both have seen (Cohen 1968); None where nothing varies."""
    both = sorted(first.keys() & second.keys())
    one, two = (np.array([of[name] for name in both], float) for of in (first, second))
    if not both:
        return None
    expected = float(((one[:, None] - two[None, :]) ** 2).mean())
    return None if expected == 0 else float(1 - ((one - two) ** 2).mean() / expected)


def mean_kappa(scores: Scores) -> float | None:
    """The mean of κ over all pairs of raters who have texts in common."""
    found = [weighted_kappa(scores[one], scores[two]) for one, two in combinations(sorted(scores), 2)]
    defined = [kappa for kappa in found if kappa is not None]
    return sum(defined) / len(defined) if defined else None


def _by_text(scores: Scores) -> dict[str, Sequence[int]]:
    found: dict[str, list[int]] = {}
    for given in scores.values():
        for name, value in given.items():
            found.setdefault(name, []).append(value)
    return dict(found)
