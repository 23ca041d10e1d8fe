"""The one recurrence of all bottom-up queries, in two semirings, and its mirror images top-down."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from laconic.forest.hypergraph import Floats, Hypergraph, Indices
from laconic.kernel import kernel


class Semiring(IntEnum):
    """How scores combine: along a derivation (times) and over alternatives (plus).

    Elements are pairs of a float and an exponent. In MAX the float is the score itself and the exponent
    0. In SUM the pair (m, x) is the number m · 2**(512 x), which stands for sums of exp(score): such
    pairs neither overflow nor underflow, and need no logarithm for each addition.
    """

    MAX = 0  # a ⊕ b = max(a, b), a ⊗ b = a + b, zero -inf, one 0: the best derivation
    SUM = 1  # a ⊕ b = a + b, a ⊗ b = a · b, zero 0, one 1: all derivations


_MAX = int(Semiring.MAX)  # kernels compile constants, not members of an enumeration
_STEP = 2.0**512
_HIGH, _LOW = 2.0**256, 2.0**-256  # floats of normalised pairs lie between, so that products of two are safe
_LOG_STEP = 512 * math.log(2)
# The same in two parts: multiples of the first are exact, so that large scores lose no precision.
_LOG_STEP_HIGH = 354.875
_LOG_STEP_LOW = 0.016356446691998422


class Totals(NamedTuple):
    """The elements of a semiring that belong to nodes and edges, floats and exponents apart."""

    nodes: Floats
    node_exponents: Indices
    edges: Floats
    edge_exponents: Indices

    def log_partition(self) -> float:
        """In SUM, log Z: the logarithm of the root's total; -inf if no derivation is possible."""
        root = float(self.nodes[-1])
        return -math.inf if root == 0 else math.log(root) + _LOG_STEP * int(self.node_exponents[-1])


def inside(forest: Hypergraph, semiring: Semiring) -> Totals:
    """The total over the derivations below each node, and below each edge. O(size)."""
    return inside_kernel(
        semiring.value,
        forest.edge_starts,
        forest.tail_starts,
        forest.tails,
        forest.scores,
        _lifted(forest.scores, semiring),
    )


def posteriors(forest: Hypergraph, totals: Totals) -> Floats:
    """From the inside of SUM: the expected number of uses of each edge under exp(score)/Z. O(size)."""
    return posterior_kernel(forest.edge_starts, forest.tail_starts, forest.tails, totals)


def best_through(forest: Hypergraph, totals: Totals) -> Floats:
    """From the inside of MAX: the score of the best derivation that uses each edge. O(size · arity)."""
    return through_kernel(forest.edge_starts, forest.tail_starts, forest.tails, forest.scores, totals)


def _lifted(scores: Floats, semiring: Semiring) -> Floats:
    """Scores as floats of the semiring; kernels find out those that do not fit, and use `lift`."""
    if semiring is Semiring.MAX:
        return scores
    with np.errstate(over="ignore", under="ignore"):
        lifted: Floats = np.exp(scores)
    lifted.setflags(write=False)  # of one type with the scores, so that one compilation serves both
    return lifted


@kernel
def lift(semiring: int, score: float) -> tuple[float, int]:
    """The element that stands for a score."""
    if semiring == _MAX:
        return score, 0
    if score == -np.inf:
        return 0.0, 0
    exponent = round(score / _LOG_STEP)
    return math.exp(score - exponent * _LOG_STEP_HIGH - exponent * _LOG_STEP_LOW), exponent


@kernel
def normalised(value: float, exponent: int) -> tuple[float, int]:
    """The same element of SUM with its float between the bounds, unless it is the zero."""
    if value >= _HIGH:
        return value / _STEP, exponent + 1
    if 0.0 < value < _LOW:
        return value * _STEP, exponent - 1
    return value, exponent


@kernel
def times(
    semiring: int, left: float, left_exponent: int, right: float, right_exponent: int
) -> tuple[float, int]:
    """⊗, of normalised elements."""
    if semiring == _MAX:
        return left + right, 0
    return normalised(left * right, left_exponent + right_exponent)


@kernel
def plus(
    semiring: int, left: float, left_exponent: int, right: float, right_exponent: int
) -> tuple[float, int]:
    """⊕; the sum is normalised only by the caller, after the last."""
    if semiring == _MAX:
        return max(left, right), 0
    if left_exponent == right_exponent or right == 0.0:
        return left + right, left_exponent
    if left == 0.0 or left_exponent < right_exponent - 1:
        return right, right_exponent
    if right_exponent < left_exponent - 1:
        return left, left_exponent
    if left_exponent < right_exponent:
        return left / _STEP + right, right_exponent
    return left + right / _STEP, left_exponent


@kernel
def ratio(value: float, exponent: int, whole: float, whole_exponent: int) -> float:
    """In SUM, what part of a whole (not the zero) an element is."""
    quotient, gap = value / whole, exponent - whole_exponent
    if gap == 0:
        return quotient
    if gap == 1:
        return quotient * _STEP
    if gap == -1:
        return quotient / _STEP
    return quotient / _STEP / _STEP if gap == -2 else 0.0


@kernel
def inside_kernel(
    semiring: int, edge_starts: Indices, tail_starts: Indices, tails: Indices, scores: Floats, lifted: Floats
) -> Totals:
    """β(v) = ⊕ over the edges e of v of w(e), where w(e) = score(e) ⊗ β(t₁) ⊗ … ⊗ β(tₖ) for its tails tᵢ.

    Indices are cast to unsigned integers to save the test for negative ones. Products of SUM are first
    taken plainly: if they end up between the bounds and have no more than four factors, nothing was lost
    on the way. Both save half of the time.
    """
    nodes = np.empty(len(edge_starts) - 1)
    node_exponents = np.zeros(len(nodes), dtype=np.int32)
    edges = np.empty(len(scores))
    edge_exponents = np.zeros(len(scores), dtype=np.int32)
    for node in range(len(nodes)):
        total, total_exponent = -np.inf if semiring == _MAX else 0.0, 0
        for edge in range(np.uint32(edge_starts[node]), np.uint32(edge_starts[node + 1])):
            first, stop = np.uint32(tail_starts[edge]), np.uint32(tail_starts[edge + 1])
            value, exponent = lifted[edge], 0
            if semiring == _MAX:
                for i in range(first, stop):
                    value += nodes[np.uint32(tails[i])]
            else:
                for i in range(first, stop):
                    value *= nodes[np.uint32(tails[i])]
                    exponent += node_exponents[np.uint32(tails[i])]
                if stop - first > 3 or not _LOW <= value < _HIGH:
                    value, exponent = lift(semiring, scores[edge])
                    for i in range(first, stop):
                        value, exponent = times(
                            semiring, value, exponent, nodes[tails[i]], node_exponents[tails[i]]
                        )
            edges[edge], edge_exponents[edge] = value, exponent
            total, total_exponent = plus(semiring, total, total_exponent, value, exponent)
        if semiring != _MAX:
            total, total_exponent = normalised(total, total_exponent)
        nodes[node], node_exponents[node] = total, total_exponent
    return Totals(nodes, node_exponents, edges, edge_exponents)


@kernel
def posterior_kernel(edge_starts: Indices, tail_starts: Indices, tails: Indices, totals: Totals) -> Floats:
    """μ(root) = 1; μ(e) = μ(head(e)) · w(e) / β(head(e)); μ(t) = Σ over the edges e with tail t of μ(e).

    The outside algorithm, as what flows down: α(v) = μ(v) · β(root) / β(v).
    """
    node_flow = np.zeros(len(edge_starts) - 1)
    edge_flow = np.zeros(len(totals.edges))
    node_flow[-1] = 1.0
    for node in range(len(node_flow) - 1, -1, -1):
        if node_flow[node] == 0.0:
            continue
        whole, whole_exponent = totals.nodes[node], totals.node_exponents[node]
        for edge in range(np.uint32(edge_starts[node]), np.uint32(edge_starts[node + 1])):
            share = ratio(totals.edges[edge], totals.edge_exponents[edge], whole, whole_exponent)
            edge_flow[edge] = node_flow[node] * share
            for i in range(np.uint32(tail_starts[edge]), np.uint32(tail_starts[edge + 1])):
                node_flow[np.uint32(tails[i])] += edge_flow[edge]
    return edge_flow


@kernel
def through_kernel(
    edge_starts: Indices, tail_starts: Indices, tails: Indices, scores: Floats, totals: Totals
) -> Floats:
    """α(root) = 0; α(t) = max over the edges e with tail t of α(head(e)) + score(e) + Σ β(other tails of e).

    Returns α(head(e)) + w(e) for each edge e.
    """
    around = np.full(len(edge_starts) - 1, -np.inf)
    through = np.empty(len(scores))
    around[-1] = 0.0
    for node in range(len(around) - 1, -1, -1):
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            through[edge] = around[node] + totals.edges[edge]
            for i in range(tail_starts[edge], tail_starts[edge + 1]):
                above = around[node] + scores[edge]
                for j in range(tail_starts[edge], tail_starts[edge + 1]):
                    if j != i:
                        above += totals.nodes[tails[j]]
                around[tails[i]] = max(around[tails[i]], above)
    return through
