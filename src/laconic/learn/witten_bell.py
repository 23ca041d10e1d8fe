"""Smoothed conditional distributions: every context's own counts, interpolated with those of a wider context.

With contexts c ⊃ c' ⊃ … that lose one column after the other, n(c, k) the count of outcome k in context c,
n(c) their sum and T(c) the number of different outcomes seen in c,

    p(k | c) = (max(n(c, k) - d, 0) + w(c) · p(k | c')) / (n(c) - d · T(c) + w(c)),

down to the empty context, below which all outcomes are equally likely. Witten and Bell (1991) have d = 0 and
w = T(c); additive smoothing has d = 0 and w constant; absolute discounting (Ney et al. 1994) w = d · T(c).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.arrays import Float64
from laconic.errors import LaconicError
from laconic.grammar.context_tree import ContextTree
from laconic.grammar.witten_bell import interpolated


@dataclass(frozen=True, slots=True)
class WittenBell:
    """A wider context weighs as much as there are different outcomes in the narrower one."""

    def parts(self, counts: Float64) -> tuple[Float64, Float64]:
        """The discounted counts of outcomes, and the weight of the wider context, for each context."""
        return counts, _types(counts)


@dataclass(frozen=True, slots=True)
class Additive:
    """A wider context always weighs the same."""

    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.weight < np.inf:
            raise LaconicError(f"additive smoothing needs a positive weight, not {self.weight}")

    def parts(self, counts: Float64) -> tuple[Float64, Float64]:
        """The counts as they are, and the constant weight."""
        return counts, np.full(len(counts), self.weight)


@dataclass(frozen=True, slots=True)
class AbsoluteDiscounting:
    """Every outcome seen gives up the same part of its count to the wider context."""

    discount: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.discount <= 1:
            raise LaconicError(f"a discount lies above 0 and at most at 1, not at {self.discount}")

    def parts(self, counts: Float64) -> tuple[Float64, Float64]:
        """The discounted counts, and what was taken away."""
        return np.maximum(counts - self.discount, 0.0), self.discount * _types(counts)


Smoothing = WittenBell | Additive | AbsoluteDiscounting


def estimate(
    contexts: ArrayLike,
    outcomes: ArrayLike,
    *,
    outcome_count: int,
    removal: Sequence[int] | None = None,
    smoothing: Smoothing | None = None,
    least: int = 1,
) -> ContextTree:
    """The smoothed distributions of outcomes (0, 1, …) seen in contexts, rows of numbers of at least 0.

    `removal` names the columns to use in the order in which contexts lose them, by default from the last
    to the first. Contexts seen less than `least` times are not kept apart from the wider one. Without any
    observation, all outcomes are equally likely. O(columns · observations · log observations).

    >>> tree = estimate([[0], [0], [1]], [1, 1, 0], outcome_count=2)
    >>> np.exp(tree.log_distribution([0])).round(3).tolist()  # (0 + 1 · 0.4) / 3 and (2 + 1 · 0.6) / 3
    [0.133, 0.867]
    """
    rows, seen = np.asarray(contexts), np.asarray(outcomes, dtype=np.int64)
    if rows.ndim != 2 or seen.shape != (len(rows),):
        raise LaconicError(f"contexts of shape {rows.shape} do not go with outcomes of shape {seen.shape}")
    if outcome_count < 2 or np.any((seen < 0) | (seen >= outcome_count)):
        raise LaconicError(
            f"outcomes are numbers from 0 to {outcome_count - 1}, of which there are at least 2"
        )
    if least < 1:
        raise LaconicError(f"contexts are seen at least once, not {least} times")
    columns = tuple(range(rows.shape[1])) if removal is None else tuple(reversed(removal))
    if len(set(columns)) < len(columns) or not set(columns) <= set(range(rows.shape[1])):
        raise LaconicError(f"columns to remove are different ones of 0 to {rows.shape[1] - 1}, not {removal}")
    method = smoothing or WittenBell()
    uniform = np.full((1, outcome_count), 1 / outcome_count)
    probabilities = [_interpolate(method, _counts(seen * 0, seen, 1, outcome_count), uniform)]
    values, child_counts = [np.zeros(1, dtype=np.int32)], []
    places = np.zeros(len(rows), dtype=np.int64)  # the context of each observation, among those of its detail
    for column in columns:
        known = len(probabilities[-1])
        keys = places << 32 | rows[:, column]
        found, places = np.unique(keys, return_inverse=True)
        counts = _counts(places, seen, len(found), outcome_count)
        often = counts.sum(axis=1) >= least
        stays = often[places]
        places = (np.cumsum(often) - 1)[places[stays]]
        rows, seen, found = rows[stays], seen[stays], found[often]
        above = found >> 32
        child_counts.append(np.bincount(above, minlength=known))
        values.append((found & 0xFFFFFFFF).astype(np.int32))
        probabilities.append(_interpolate(method, counts[often], probabilities[-1][above]))
    child_counts.append(np.zeros(len(probabilities[-1]), dtype=np.int64))
    return ContextTree(
        columns,
        np.concatenate(([1], 1 + np.cumsum(np.concatenate(child_counts)))).astype(np.int32),
        np.concatenate(values),
        np.log(np.concatenate(probabilities)),
    )


def _interpolate(method: Smoothing, counts: Float64, wider: Float64) -> Float64:
    own, weight = method.parts(counts)
    # A context that was never seen (the empty one, without observations) is as the wider one.
    weight = np.where(counts.sum(axis=1) > 0, weight, 1.0)[:, None]
    return interpolated(own, own.sum(axis=1, keepdims=True), weight, wider)


def _counts(places: NDArray[np.int64], outcomes: NDArray[np.int64], contexts: int, kinds: int) -> Float64:
    flat: Float64 = np.bincount(places * kinds + outcomes, minlength=contexts * kinds).astype(np.float64)
    return flat.reshape(contexts, kinds)


def _types(counts: Float64) -> Float64:
    types: Float64 = np.count_nonzero(counts, axis=1).astype(np.float64)
    return types
