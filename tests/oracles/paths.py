"""Paths and their bounds by enumeration: the twin of `laconic.decode.counted_paths`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class CountedPaths:
    """All paths within a limit that are not forbidden, by their positions, with their scores."""

    scores: dict[tuple[int, ...], float]
    side: int

    def through(self) -> NDArray[np.float64]:
        """The best score of the paths through each bigram."""
        found = np.full((self.side, self.side), -np.inf)
        for path, score in self.scores.items():
            for step in pairwise(path):
                found[step] = max(found[step], score)
        return found


def counted_paths(
    bigrams: NDArray[np.float64], costs: NDArray[np.int64], least: int, most: int
) -> CountedPaths:
    """The paths over at least one word that cost from least to most, one after the other."""
    side = len(bigrams)
    found = {}
    for size in range(1, side - 1):
        for words in combinations(range(1, side - 1), size):
            steps = list(pairwise((0, *words, side - 1)))
            score = float(sum(bigrams[step] for step in steps))
            if least <= sum(costs[step] for step in steps) <= most and score > -np.inf:
                found[0, *words, side - 1] = score
    return CountedPaths(found, side)
