"""The shapes of scores and what may stand in them, checked once for every decoder of paths and trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.decode.chart.rules import Float64
from laconic.errors import LaconicError


def check_bigrams(bigram: ArrayLike) -> Float64:
    """The bigram scores as an (n + 2, n + 2) array, n >= 1; raises an error that names the first fault."""
    scores = _array("bigram", bigram, 2)
    side = len(scores)
    if scores.shape != (side, side) or side < 3:
        raise LaconicError(
            f"bigram scores of {side - 2 if side > 2 else 'n'} words must be a square of words + 2, "
            f"for at least one word, not {scores.shape}"
        )
    _check_values("bigram", scores, np.triu(np.ones((side, side), bool), 1))
    return scores


def check_arcs(arc: ArrayLike, words: int) -> Float64:
    """The arc scores [head, dependent] as an (n + 1, n + 1) array."""
    scores = _array("arc", arc, 2)
    _check_shape("arc", scores, (words + 1, words + 1))
    used = ~np.eye(words + 1, dtype=bool)
    used[:, 0] = False
    _check_values("arc", scores, used)
    return scores


def check_siblings(sibling: ArrayLike, words: int) -> Float64:
    """The sibling scores [head, previous dependent or head, dependent] as an (n + 1, n + 1, n + 1) array."""
    scores = _array("sibling", sibling, 3)
    side = words + 1
    _check_shape("sibling", scores, (side, side, side))
    head, previous, dependent = np.ogrid[:side, :side, :side]
    # the previous dependent is the head itself or lies between the head and the dependent
    rightward = (head <= previous) & (previous < dependent)
    leftward = (head >= previous) & (previous > dependent) & (dependent > 0)
    _check_values("sibling", scores, rightward | leftward)
    return scores


def _array(name: str, values: ArrayLike, dimensions: int) -> Float64:
    try:
        scores = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise LaconicError(f"{name} scores must be an array of numbers") from None
    if scores.ndim != dimensions:
        raise LaconicError(f"{name} scores must have {dimensions} dimensions, not {scores.ndim}")
    return scores


def _check_shape(name: str, scores: Float64, expected: tuple[int, ...]) -> None:
    if scores.shape != expected:
        raise LaconicError(
            f"{name} scores of {expected[0] - 1} words must have shape {expected} (the root comes first), "
            f"not {scores.shape}"
        )


def _check_values(name: str, scores: Float64, used: NDArray[np.bool_]) -> None:
    bad = ~(scores < np.inf) & used  # NaN compares false
    if bad.any():
        cell = tuple(int(index) for index in np.argwhere(bad)[0])
        raise LaconicError(
            f"{name} score {list(cell)} is {scores[cell]}: scores are finite, or -inf to forbid"
        )
