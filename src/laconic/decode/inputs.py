"""What callers hand in, checked in one place: scores, prices, costs, limits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.arrays import Float64, Int64
from laconic.decode.contract import Limit
from laconic.errors import LaconicError
from laconic.forest.shape import frozen


def check_bigrams(bigram: ArrayLike) -> Float64:
    """The bigram scores as an (n + 2, n + 2) array, n >= 1; raises an error that names the first fault."""
    scores = _array("bigram", bigram, 2)
    side = len(scores)
    if scores.shape != (side, side) or side < 3:
        raise LaconicError(
            f"bigram scores of {side - 2 if side > 2 else 'n'} words must be a square of words + 2, "
            f"for at least one word, not {scores.shape}"
        )
    _check_values("bigram", scores, _after(side))
    return scores


def check_arcs(arc: ArrayLike, words: int) -> Float64:
    """The arc scores [head, dependent] as an (n + 1, n + 1) array."""
    scores = _array("arc", arc, 2)
    _check_shape("arc", scores, (words + 1, words + 1))
    _check_values("arc", scores, _apart(words + 1))
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


def check_prices(prices: ArrayLike | None, words: int) -> Float64:
    """One price a word, possibly infinite; no prices are prices of 0."""
    if prices is None:
        return np.zeros(words)
    values = _array("price", prices, 1)
    if values.shape != (words,) or np.isnan(values).any():
        raise LaconicError(f"prices must be {words} numbers, one for each word, and none of them NaN")
    return values


def check_costs(costs: Sequence[int] | None, count: int, what: str = "word") -> Int64:
    """One cost for each word, or whatever is counted; None counts them."""
    if costs is None:
        return np.ones(count, np.int64)
    amounts = np.asarray(costs)
    if amounts.shape != (count,) or amounts.dtype.kind not in "iu" or (amounts < 0).any():
        raise LaconicError(f"costs must be {count} integers of at least 0, one for each {what}")
    return amounts.astype(np.int64)


def check_gaps(gaps: ArrayLike | None, words: int) -> Int64 | None:
    """The cost of the gap between each two neighbours as an (n + 2, n + 2) array, 0 where i >= j."""
    if gaps is None:
        return None
    side = words + 2
    amounts = np.asarray(gaps)
    if amounts.shape != (side, side) or amounts.dtype.kind not in "iu" or (np.triu(amounts, 1) < 0).any():
        raise LaconicError(f"gaps must be {side} by {side} integers of at least 0, over words, start and end")
    return np.triu(amounts, 1).astype(np.int64)


def check_limit(limit: Limit, *, counts_gaps: bool) -> None:
    """Raise an error unless 0 <= least <= most and only searches that count gaps are given some."""
    if not 0 <= limit.least <= limit.most:
        raise LaconicError(f"a limit needs 0 <= least <= most, not {limit.least} to {limit.most}")
    if limit.gaps is not None and not counts_gaps:
        raise LaconicError("this search does not count what stands between words: give a limit without gaps")


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


@lru_cache(maxsize=128)
def _after(side: int) -> NDArray[np.bool_]:
    """Which cells [i, j] have i < j."""
    return frozen(np.triu(np.ones((side, side), np.bool_), 1))


@lru_cache(maxsize=128)
def _apart(side: int) -> NDArray[np.bool_]:
    """Which cells [head, dependent] are arcs: from a position to another that is not the root."""
    used = ~np.eye(side, dtype=np.bool_)
    used[:, 0] = False
    return frozen(used)


def _check_values(name: str, scores: Float64, used: NDArray[np.bool_]) -> None:
    bad = ~(scores < np.inf) & used  # NaN compares false
    if bad.any():
        cell = tuple(int(index) for index in np.argwhere(bad)[0])
        raise LaconicError(
            f"{name} score {list(cell)} is {scores[cell]}: scores are finite, or -inf to forbid"
        )
