"""The one recurrence of all bottom-up queries and its mirror image top-down, in two semirings."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from laconic.forest.hypergraph import Floats, Hypergraph, Indices
from laconic.kernel import kernel


class Semiring(IntEnum):
    """What is added up over alternatives; along a derivation scores always add, zero is -inf and one is 0."""

    MAX = 0  # a ⊕ b = max(a, b): the best derivation
    LOG = 1  # a ⊕ b = log(exp(a) + exp(b)): all derivations


_MAX = int(Semiring.MAX)  # kernels compile constants, not members of an enumeration


def inside(forest: Hypergraph, semiring: Semiring) -> tuple[Floats, Floats]:
    """The total over the derivations below each node, and below each edge. O(size)."""
    return inside_kernel(semiring.value, forest.edge_starts, forest.tail_starts, forest.tails, forest.scores)


def outside(forest: Hypergraph, semiring: Semiring, node_totals: Floats) -> Floats:
    """The total, for each node, over what surrounds it in the derivations of the root. O(size · arity)."""
    return outside_kernel(
        semiring.value, forest.edge_starts, forest.tail_starts, forest.tails, forest.scores, node_totals
    )


@kernel
def total(semiring: int, values: Floats) -> float:
    """⊕ over an array; no value is the zero, -inf."""
    best = -np.inf
    for value in values:
        if value > best:
            best = value
    if semiring == _MAX or best == -np.inf:
        return best
    mass = 0.0
    for value in values:
        if value == best:
            mass += 1.0
        else:
            mass += np.exp(value - best)
    return best + float(np.log(mass))


@kernel
def plus(semiring: int, left: float, right: float) -> float:
    """`left` ⊕ `right`."""
    best, rest = max(left, right), min(left, right)
    if semiring == _MAX or rest == -np.inf:
        return best
    return best + float(np.log1p(np.exp(rest - best)))


@kernel
def inside_kernel(
    semiring: int, edge_starts: Indices, tail_starts: Indices, tails: Indices, scores: Floats
) -> tuple[Floats, Floats]:
    """β(v) = ⊕ over the edges e of v of w(e), with w(e) = score(e) + Σ over the tails t of e of β(t)."""
    node_totals = np.empty(len(edge_starts) - 1)
    edge_totals = np.empty(len(scores))
    for node in range(len(node_totals)):
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            weight = scores[edge]
            for i in range(tail_starts[edge], tail_starts[edge + 1]):
                weight += node_totals[tails[i]]
            edge_totals[edge] = weight
        node_totals[node] = total(semiring, edge_totals[edge_starts[node] : edge_starts[node + 1]])
    return node_totals, edge_totals


@kernel
def outside_kernel(
    semiring: int,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    scores: Floats,
    node_totals: Floats,
) -> Floats:
    """α(root) = 0; α(t) = ⊕ over the edges e with tail t of α(head(e)) + score(e) + Σ β(other tails of e)."""
    surroundings = np.full(len(node_totals), -np.inf)
    surroundings[-1] = 0.0
    for node in range(len(node_totals) - 1, -1, -1):
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            above = surroundings[node] + scores[edge]
            if above == -np.inf:
                continue
            for i in range(tail_starts[edge], tail_starts[edge + 1]):
                around = above
                for j in range(tail_starts[edge], tail_starts[edge + 1]):
                    if j != i:
                        around += node_totals[tails[j]]
                surroundings[tails[i]] = plus(semiring, surroundings[tails[i]], around)
    return surroundings
