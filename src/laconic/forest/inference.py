"""Questions to a forest whose scores are fixed: the best derivation, the partition function, marginals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.derivation import Derivation
from laconic.forest.growth import grown
from laconic.forest.hypergraph import Floats, Hypergraph, Indices
from laconic.forest.semiring import Semiring, Totals, best_through, inside, posteriors
from laconic.kernel import kernel


def best(forest: Hypergraph) -> Derivation:
    """The derivation of highest score (Viterbi); among equals, the one whose edges come first. O(size)."""
    totals = inside(forest, Semiring.MAX)
    score = require_derivation(float(totals.nodes[-1]))
    edges = _first_best(forest.edge_starts, forest.tail_starts, forest.tails, totals)
    return Derivation(forest, score, tuple(edges.tolist()))


def log_partition(forest: Hypergraph) -> float:
    """log Z, the logarithm of the sum of exp(score) over all derivations. O(size)."""
    return require_derivation(inside(forest, Semiring.SUM).log_partition())


def marginals(forest: Hypergraph) -> Marginals:
    """The distribution exp(score)/Z over derivations, by its edge marginals (inside-outside). O(size)."""
    totals = inside(forest, Semiring.SUM)
    log_total = require_derivation(totals.log_partition())
    edges = posteriors(forest, totals)
    # Not a dot product: libraries for those start threads, which takes longer than the sum.
    expected_score = np.sum(edges * np.where(edges > 0, forest.scores, 0.0))
    return Marginals(forest, log_total, edges, log_total - float(expected_score))


def max_marginals(forest: Hypergraph) -> Floats:
    """For each edge, the score of the best derivation that uses it. O(size)."""
    totals = inside(forest, Semiring.MAX)
    require_derivation(float(totals.nodes[-1]))
    return best_through(forest, totals)


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """Expectations under a distribution over derivations.

    `edges[e]` is the expected number of times edge e is used: its probability, if no derivation uses it
    twice, and the derivative of log Z by its score. `entropy` is that of the distribution over
    derivations, in nats.
    """

    forest: Hypergraph
    log_partition: float
    edges: Floats
    entropy: float

    def expected(self, edge_values: ArrayLike) -> float:
        """The expectation of the sum, over a derivation's edges, of a value for each edge."""
        values = np.asarray(edge_values, dtype=np.float64)
        if values.shape != self.edges.shape:
            raise LaconicError(f"{len(self.edges)} edges but values of shape {values.shape}")
        return float(np.sum(self.edges * values))

    def symbols(self) -> Floats:
        """The expected number of times each symbol is emitted."""
        forest = self.forest
        templates = weighted_counts(forest.templates, self.edges, len(forest.item_starts) - 1)
        emissions = np.repeat(templates, np.diff(forest.item_starts))
        emits = forest.items >= 0
        return weighted_counts(forest.items[emits], emissions[emits], forest.symbol_count)

    def words(self, count: int) -> Floats:
        """The expected number of times each of `count` source words is copied: its probability to be kept."""
        _check_count("words", count, self.forest.symbol_words)
        copies = self.forest.symbol_words >= 0
        return weighted_counts(self.forest.symbol_words[copies], self.symbols()[copies], count)

    def features(self, count: int) -> Floats:
        """The expected feature vector, of length `count`: the gradient of log Z by the weights."""
        _check_count("features", count, self.forest.feature_indices)
        forest = self.forest
        rows = weighted_counts(forest.feature_rows, self.edges, len(forest.feature_starts) - 1)
        values = np.repeat(rows, np.diff(forest.feature_starts)) * forest.feature_values
        return weighted_counts(forest.feature_indices, values, count)


def weighted_counts(indices: Indices, weights: Floats, count: int) -> Floats:
    """For each index below `count`, the sum of the weights that go with it."""
    sums: Floats = np.bincount(indices, weights=weights, minlength=count).astype(np.float64)
    return sums


def require_derivation(root_total: float) -> float:
    """The root's total as a score, or an error if it is -inf."""
    if root_total == -np.inf:
        raise InfeasibleBudget("no derivation of the forest scores above -inf")
    return root_total


def _check_count(what: str, count: int, indices: Indices) -> None:
    needed = int(indices.max(initial=-1)) + 1
    if count < needed:
        raise LaconicError(f"the forest has {needed} {what}, not {count}")


@kernel
def _first_best(edge_starts: Indices, tail_starts: Indices, tails: Indices, totals: Totals) -> Indices:
    """From the root down, the first edge that attains the maximum of its node."""
    edges = np.empty(64, dtype=np.int32)
    stack = np.empty(64, dtype=np.int32)
    stack[0] = len(edge_starts) - 2
    depth, size = 1, 0
    while depth:
        depth -= 1
        node = stack[depth]
        edge = edge_starts[node]
        while totals.edges[edge] != totals.nodes[node]:
            edge += 1
        edges = grown(edges, size)
        edges[size] = edge
        size += 1
        for i in range(tail_starts[edge + 1] - 1, tail_starts[edge] - 1, -1):
            stack = grown(stack, depth)
            stack[depth] = tails[i]
            depth += 1
    return edges[:size].copy()
