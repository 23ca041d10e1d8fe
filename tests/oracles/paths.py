"""The bounds of paths by enumeration: the twin of `laconic.decode.path_bounds`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class PathBounds:
    """The best of all paths within a limit."""

    best: float
    steps: NDArray[np.int64]
    _through: NDArray[np.float64]

    def through(self) -> NDArray[np.float64]:
        """The best score of the paths through each bigram."""
        return self._through


def path_bounds(bigrams: NDArray[np.float64], costs: NDArray[np.int64], least: int, most: int) -> PathBounds:
    """The bounds of all paths over at least one word that cost from least to most, one path after the other."""
    side = len(bigrams)
    best, best_steps = -np.inf, []
    through = np.full(bigrams.shape, -np.inf)
    for size in range(1, side - 1):
        for words in combinations(range(1, side - 1), size):
            steps = list(pairwise((0, *words, side - 1)))
            score = sum(bigrams[step] for step in steps)
            if not least <= sum(costs[step] for step in steps) <= most:
                continue
            for step in steps:
                through[step] = max(through[step], score)
            if score > best:
                best, best_steps = score, steps
    return PathBounds(float(best), np.array([i * side + j for i, j in best_steps], np.int64), through)
