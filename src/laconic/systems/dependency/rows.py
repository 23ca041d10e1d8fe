"""The features of everything that is scored in a sentence, as sparse rows; scoring is one product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laconic.arrays import Float32, Float64, Int32, Int64
from laconic.kernel import kernel
from laconic.learn.interface import FeatureVector, Weights
from laconic.systems.dependency.evidence import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What decoders take: positions are 0 for the start and the root, 1 … n for the words, n + 1 for the end.

    `words` (n + 1) is the worth of keeping each word, `arcs` (n + 1, n + 1), `bigrams` (n + 2, n + 2) and
    `siblings` (n + 1, n + 1, n + 1) are as `CompressiveParser` wants them, without the worth of words.
    """

    words: Float64
    arcs: Float64
    bigrams: Float64
    siblings: Float64 | None


@dataclass(frozen=True, slots=True, eq=False)
class FeatureRows:
    """A sparse matrix: row r has the features `features[starts[r]:starts[r + 1]]` with their `values`.

    The rows are those of the words (position m), then of the arcs [h, m], then of the bigrams [i, j], then of
    those siblings (h, previous, m) that have features, in the order of `siblings`, which holds their cells
    in a cube of n + 1, ascending. `evidence` holds more features of the bigrams, where it was asked for.
    """

    words: int
    starts: Int32
    features: Int32
    values: Float32
    siblings: Int64
    evidence: Evidence | None = None

    def score(self, weights: Weights, *, siblings: bool = True) -> Scores:
        """The scores of all rows under the weights; the cube of siblings is left out where it is not wanted."""
        product = _product(self.starts, self.features, self.values, weights)
        side = self.words + 1
        words, arcs, bigrams, second_order = np.split(
            product, np.cumsum([side, side * side, (side + 1) * (side + 1)])
        )
        bigrams = bigrams.reshape(side + 1, side + 1)
        if self.evidence is not None:
            bigrams = bigrams + self.evidence.score(weights)
        cube = None
        if siblings:
            cube = np.zeros((side, side, side))
            cube.reshape(-1)[self.siblings] = second_order
        return Scores(words, arcs.reshape(side, side), bigrams, cube)

    def word_rows(self, kept: Sequence[int]) -> Int64:
        """The rows of the kept words."""
        return np.array(kept, np.int64) + 1

    def bigram_rows(self, kept: Sequence[int]) -> Int64:
        """The rows of the bigrams along the kept words, from the start to the end."""
        side = self.words + 2
        path = np.array([0, *(word + 1 for word in kept), side - 1])
        rows: Int64 = self._first_bigram + path[:-1] * side + path[1:]
        return rows

    def arc_rows(self, kept: Sequence[int], heads: Sequence[int]) -> Int64:
        """The rows of the arcs of a tree over the kept words, whose heads are indices into `kept` or -1."""
        side = self.words + 1
        positions = np.array([*kept, -1], np.int64) + 1  # -1 stands for the root, position 0
        return side + positions[np.array(heads, np.int64)] * side + positions[:-1]

    def sibling_rows(self, kept: Sequence[int], heads: Sequence[int]) -> Int64:
        """The rows of the siblings of a tree, of those that have one."""
        side = self.words + 1
        cells = np.array(sibling_cells(kept, heads, side), np.int64)
        places = np.searchsorted(self.siblings, cells)
        found = places < len(self.siblings)
        found[found] = self.siblings[places[found]] == cells[found]
        return side + side**2 + (side + 1) ** 2 + places[found]

    def vector(self, rows: Int64) -> FeatureVector:
        """The sum of rows, with the evidence of the bigrams among them."""
        return self.weighted(rows, np.ones(len(rows)))

    def weighted(self, rows: Int64, often: Float64) -> FeatureVector:
        """The sum of rows, each times a number."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        entries = np.repeat(self.starts[rows], lengths) + within
        values = self.values[entries] * np.repeat(often, lengths)
        found = FeatureVector.of(self.features[entries], values)
        if self.evidence is None:
            return found
        side = self.words + 2
        cells = rows - self._first_bigram
        bigrams = (cells >= 0) & (cells < side * side)
        pairs = np.zeros(side * side)
        np.add.at(pairs, cells[bigrams], often[bigrams])
        return found.plus(self.evidence.total(pairs.reshape(side, side)), 1.0)

    @property
    def _first_bigram(self) -> int:
        return (self.words + 1) + (self.words + 1) ** 2


def sibling_cells(kept: Sequence[int], heads: Sequence[int], side: int) -> list[int]:
    """The cells (h, previous, m) of a tree over the kept words in a cube of `side`, in the order of the words.

    `previous` is the dependent of h before m, counted from the head outwards, or h itself.
    """
    count = len(kept)
    cells = [0] * count
    for rightward, outwards in ((True, range(count)), (False, range(count)[::-1])):
        last: dict[int, int] = {}  # the position of the last dependent of a head so far
        for dependent in outwards:
            head = heads[dependent]
            if (head < dependent) == rightward:
                place, position = kept[head] + 1 if head >= 0 else 0, kept[dependent] + 1
                cells[dependent] = (place * side + last.get(head, place)) * side + position
                last[head] = position
    return cells


@kernel
def _product(starts: Int32, features: Int32, values: Float32, weights: Float64) -> Float64:
    # score[r] = Σ values[e] · weights[features[e]] over the entries e of row r
    scores = np.zeros(len(starts) - 1)
    for row in range(len(starts) - 1):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            total += values[entry] * weights[features[entry]]
        scores[row] = total
    return scores
