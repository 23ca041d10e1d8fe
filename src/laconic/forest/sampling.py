"""Exact samples of derivations."""

from __future__ import annotations

import numpy as np

from laconic.forest.derivation import Derivation
from laconic.forest.growth import grown
from laconic.forest.hypergraph import Hypergraph, Indices
from laconic.forest.inference import require_derivation
from laconic.forest.semiring import Semiring, Totals, inside, ratio
from laconic.kernel import kernel


def sample(forest: Hypergraph, generator: np.random.Generator, *, count: int = 1) -> tuple[Derivation, ...]:
    """Independent derivations drawn from exp(score)/Z. O(size) once, then O(edges met) for each."""
    totals = inside(forest, Semiring.SUM)
    require_derivation(totals.log_partition())
    draws = (
        _draw(generator, forest.edge_starts, forest.tail_starts, forest.tails, totals) for _ in range(count)
    )
    return tuple(
        Derivation(forest, float(forest.scores[edges].sum()), tuple(edges.tolist())) for edges in draws
    )


@kernel
def _draw(
    generator: np.random.Generator,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    totals: Totals,
) -> Indices:
    """From the root down, an edge e of node v with probability w(e) / β(v)."""
    edges = np.empty(64, dtype=np.int32)
    stack = np.empty(64, dtype=np.int32)
    stack[0] = len(edge_starts) - 2
    depth, size = 1, 0
    while depth:
        depth -= 1
        node = stack[depth]
        remaining = generator.random()
        chosen = -1
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            if totals.edges[edge] > 0:
                # Rounding may leave a little probability after the last edge that has any: it takes it.
                chosen = edge
                remaining -= ratio(
                    totals.edges[edge],
                    totals.edge_exponents[edge],
                    totals.nodes[node],
                    totals.node_exponents[node],
                )
                if remaining < 0:
                    break
        edges = grown(edges, size)
        edges[size] = chosen
        size += 1
        for i in range(tail_starts[chosen + 1] - 1, tail_starts[chosen] - 1, -1):
            stack = grown(stack, depth)
            stack[depth] = tails[i]
            depth += 1
    return edges[:size].copy()
