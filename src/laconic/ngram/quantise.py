"""Rounding many values to 256: one byte each and a codebook."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def quantise(values: NDArray[np.floating[Any]]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Codes and a codebook of 256 values so that `codebook[codes]` is near `values`.

    0 and minus infinity, which mean "no weight" and "impossible", are kept exactly, and so is everything
    if there are at most 256 different values. Otherwise the codebook's values lie at equal distances, so
    no value moves by more than half of one. (Quantiles, or centres of least squares, have a smaller mean
    error but spend their codes where n-grams are many and rare; the few frequent ones then cost perplexity.)

    >>> codes, codebook = quantise(np.array([0.0, -np.inf, -1.5, -1.5]))
    >>> codebook[codes].tolist()
    [0.0, -inf, -1.5, -1.5]
    """
    levels = np.unique(values)
    if len(levels) > 256:
        exact = levels[np.isinf(levels) | (levels == 0)]
        inexact = levels[np.isfinite(levels) & (levels != 0)]
        edges = np.linspace(inexact[0], inexact[-1], 257 - len(exact))
        levels = np.union1d(exact, (edges[1:] + edges[:-1]) / 2)
    levels = levels.astype(np.float32)
    codebook = np.zeros(256, dtype=np.float32)
    codebook[: len(levels)] = levels
    above = np.searchsorted(levels, values).clip(max=len(levels) - 1)
    below = (above - 1).clip(min=0)
    with np.errstate(invalid="ignore"):  # -inf is its own code: nothing is nearer to it than itself
        nearer_below = np.abs(values - levels[below]) < np.abs(levels[above] - values)
    return np.where(nearer_below, below, above).astype(np.uint8), codebook
