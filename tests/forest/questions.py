"""What tests ask of a forest: the k best of its derivations, samples of them, the features of its edges."""

from __future__ import annotations

import numpy as np

from laconic.forest.best import drawn_derivation, inside_best
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.lazy import k_best_parts
from laconic.forest.shape import free_cells, free_costs, free_table
from laconic.forest.sums import Sums, sums


def k_best(forest: Hypergraph, k: int, *, distinct: bool = False) -> tuple[Derivation, ...]:
    """The k derivations of highest score, best first; with `distinct`, only the best of each yield."""
    table = free_table(inside_best(forest.shape, forest.part_scores))
    costs = free_costs(len(forest.part_scores))
    emissions = forest.emissions if distinct else None
    found = k_best_parts(forest.shape, forest.part_scores, costs, table, k, emissions)
    return tuple(Derivation(forest, score, forest.edges_in(parts)) for score, parts in found)


def sample(forest: Hypergraph, generator: np.random.Generator, *, count: int = 1) -> tuple[Derivation, ...]:
    """Independent derivations drawn from exp(score)/Z."""
    totals = free_sums(forest)
    seeds = generator.integers(1 << 62, size=count).tolist()
    logs = totals.logs()
    draws = (
        forest.edges_in(drawn_derivation(forest.shape, forest.part_scores, totals.costs, logs, 0, seed))
        for seed in seeds
    )
    return tuple(Derivation(forest, float(forest.scores[list(edges)].sum()), edges) for edges in draws)


def features_of(forest: Hypergraph, edge: int) -> dict[int, float]:
    """The features of an edge."""
    row = forest.feature_rows[edge]
    span = slice(forest.feature_starts[row], forest.feature_starts[row + 1])
    return dict(zip(forest.feature_indices[span].tolist(), forest.feature_values[span].tolist(), strict=True))


def free_sums(forest: Hypergraph) -> Sums:
    """The sums over the derivations of every item, regardless of cost."""
    cells = free_cells(len(forest.shape.first) - 1)
    return sums(forest.shape, forest.part_scores, free_costs(len(forest.part_scores)), cells)
