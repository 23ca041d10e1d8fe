"""Relative frequencies with room for what was never seen (Witten and Bell 1991), for counts in mappings.

`learn.witten_bell` estimates whole trees of contexts by the same interpolation, over arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import exp, log
from typing import TypeVar

from laconic.arrays import Float64

T = TypeVar("T", bound=Hashable)
V = TypeVar("V", float, Float64)


def log_escape(counts: Mapping[T, int]) -> float:
    """ln T / (N + T): what N observations of T kinds leave to a wider distribution; all, if there are none."""
    return log(len(counts) / (sum(counts.values()) + len(counts))) if counts else 0.0


def log_interpolated(counts: Mapping[T, int], outcome: T, log_wider: float) -> float:
    """ln (count + T · p₀) / (N + T), where ln p₀ is what a wider distribution gives to the outcome.

    >>> round(exp(log_interpolated({"a": 3, "b": 1}, "a", log(0.5))), 3)  # (3 + 2 · 0.5) / (4 + 2)
    0.667
    """
    count = counts.get(outcome, 0)
    if not count:
        # The wider probability may underflow: it counts by its logarithm.
        return log_escape(counts) + log_wider
    kinds = len(counts)
    return log(interpolated(count, sum(counts.values()), kinds, exp(log_wider)))


def interpolated(own: V, total: V, weight: V, wider: V) -> V:
    """(own + weight · wider) / (total + weight): the own share, with room for the wider probability."""
    return (own + weight * wider) / (total + weight)
