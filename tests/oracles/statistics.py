"""How large a forest is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from laconic.forest.hypergraph import Hypergraph


@dataclass(frozen=True, slots=True)
class Statistics:
    """The size of a forest; `derivations` counts those that score above -inf, exactly."""

    nodes: int
    edges: int
    tails: int
    derivations: int
    greatest_arity: int

    @property
    def density(self) -> float:
        """Edges for each node: 1 if nothing is packed."""
        return self.edges / self.nodes


def statistics(forest: Hypergraph) -> Statistics:
    """Count nodes, edges, tails and derivations: D(v) = Σ over the edges e of v of Π D(tails). O(size)."""
    below = [0] * forest.node_count
    for edge, (head, score) in enumerate(zip(forest.heads.tolist(), forest.scores.tolist(), strict=True)):
        if score > -np.inf:
            ways = 1
            for tail in forest.tails_of(edge):
                ways *= below[tail]
            below[head] += ways
    return Statistics(
        nodes=forest.node_count,
        edges=forest.edge_count,
        tails=len(forest.tails),
        derivations=below[forest.root],
        greatest_arity=int(np.diff(forest.tail_starts).max()),
    )
