"""From loose edges in any order to a forest: checked, bottom-up, without what no derivation uses."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Int32
from laconic.errors import LaconicError
from laconic.forest.cutting import cut
from laconic.forest.edges import EdgeArrays, Pools, check_edges
from laconic.forest.hypergraph import Hypergraph, check_scores, node_name
from laconic.forest.lazy import Emissions
from laconic.forest.shape import frozen, row_lengths
from laconic.kernel import kernel


def assemble(
    root: int,
    *,
    node_count: int,
    edges: EdgeArrays,
    pools: Pools,
    keys: tuple[Hashable, ...] = (),
) -> Hypergraph:
    """The forest of the derivations of `root`, from edges given in any order.

    Nodes are renumbered in depth-first postorder, edges by head in the given order; nodes and edges
    that take part in no derivation of the root are left out. Raises an error that names the place if
    the arrays are inconsistent, if a node can contain itself, or if the root has no derivation. O(size).
    """
    pools = pools.owned()
    heads, tail_starts, tails, scores, templates, feature_rows, origins = edges
    check_edges(node_count, edges, pools, keys)
    check_scores(scores, heads, keys)
    if not 0 <= root < node_count:
        raise LaconicError(f"the root is node {root}, outside a forest of {node_count} nodes")

    by_head = np.argsort(heads, kind="stable").astype(np.int32)
    starts = _starts(np.bincount(heads, minlength=node_count))
    every_edge = np.ones(len(heads), np.bool_)
    order, cycle = _depth_first(root, starts, by_head, tail_starts, tails, every_edge)
    if len(cycle):
        names = " -> ".join(node_name(int(node), keys) for node in (*cycle, cycle[0]))
        raise LaconicError(f"a node of the forest contains itself: {names}")
    derivable = _derivable_edges(order, starts, by_head, tail_starts, tails)
    if not derivable.all():
        # The order must not depend on what is left out, so that assembling a forest again changes nothing.
        order, _ = _depth_first(root, starts, by_head, tail_starts, tails, derivable)
    new_number = np.full(node_count, -1, np.int32)
    new_number[order] = np.arange(len(order), dtype=np.int32)
    # A stable sort by new head keeps the given order among the edges of a node; what goes sorts to the front.
    new_heads = np.where(derivable, new_number[heads], -1)
    kept = np.argsort(new_heads, kind="stable")[np.count_nonzero(new_heads < 0) :]
    if not len(kept):
        name = node_name(root, keys)
        raise LaconicError(
            f"the root {name} has no derivation: each of its edges leads to a node without edges"
        )

    kept_starts, kept_tails = _gather_rows(tail_starts, tails, kept)
    return ordered_forest(
        keys=tuple(keys[node] for node in order) if keys else (),
        node_count=len(order),
        edges=EdgeArrays(
            heads=new_heads[kept],
            tail_starts=kept_starts,
            tails=new_number[kept_tails],
            scores=scores[kept],
            templates=templates[kept],
            feature_rows=feature_rows[kept],
            origins=origins[kept],
        ),
        pools=pools,
    )


def ordered_forest(
    *,
    node_count: int,
    edges: EdgeArrays,
    pools: Pools,
    keys: tuple[Hashable, ...] = (),
) -> Hypergraph:
    """The forest of arrays that are known to be right: nodes bottom-up, the last the root, edges sorted by head.

    The arrays belong to the forest from now on. O(size).
    """
    heads, tail_starts, tails, scores, templates, feature_rows, origins = edges
    edge_starts = _starts(np.bincount(heads, minlength=node_count))
    shape, part_templates, item_starts, items, reorders = cut(
        edge_starts, tail_starts, tails, templates, pools.item_starts, pools.items
    )
    forest = Hypergraph(
        keys=keys,
        edge_starts=frozen(edge_starts),
        heads=frozen(heads),
        tail_starts=frozen(tail_starts),
        tails=frozen(tails),
        templates=frozen(templates),
        item_starts=pools.item_starts,
        items=pools.items,
        feature_rows=frozen(feature_rows),
        feature_starts=pools.feature_starts,
        feature_indices=pools.feature_indices,
        feature_values=pools.feature_values,
        symbol_words=pools.symbol_words,
        origins=frozen(origins),
        shape=shape,
        emissions=Emissions(frozen(part_templates), frozen(item_starts), frozen(items), True),
        reorders=reorders,
        part_scores=np.zeros(len(part_templates)),
    )
    return forest.rescored(scores)


def _starts(counts: NDArray[np.integer]) -> Int32:
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, dtype=np.int32, out=starts[1:])
    return starts


def _gather_rows(starts: Int32, values: Int32, rows: NDArray[np.integer]) -> tuple[Int32, Int32]:
    lengths = row_lengths(starts)[rows]
    new_starts = _starts(lengths)
    shift = (starts[rows] - new_starts[:-1]).repeat(lengths)
    return new_starts, values[np.arange(len(shift)) + shift]


@kernel
def _depth_first(
    root: int,
    starts: Int32,
    by_head: Int32,
    tail_starts: Int32,
    tails: Int32,
    usable: NDArray[np.bool_],
) -> tuple[Int32, Int32]:
    """The nodes below `root` by usable edges in postorder, and a cycle of nodes (empty if there is none)."""
    unseen, open_, done = 0, 1, 2
    count = len(starts) - 1
    state = np.empty(count, np.int32)
    next_edge, next_tail = (
        np.empty(count, np.int32),
        np.empty(count, np.int32),
    )  # of each node, and of its edge
    for node in range(count):
        state[node], next_edge[node], next_tail[node] = unseen, starts[node], 0
    stack = np.empty(count, np.int32)
    order = np.empty(count, np.int32)
    depth, finished = 1, 0
    stack[0] = root
    state[root] = open_
    while depth:
        node = stack[depth - 1]
        if next_edge[node] == starts[node + 1]:
            state[node] = done
            order[finished] = node
            finished += 1
            depth -= 1
            continue
        edge = by_head[next_edge[node]]
        position = tail_starts[edge] + next_tail[node]
        if not usable[edge] or position == tail_starts[edge + 1]:
            next_edge[node] += 1
            next_tail[node] = 0
            continue
        next_tail[node] += 1
        tail = tails[position]
        if state[tail] == open_:
            first = depth - 1
            while stack[first] != tail:
                first -= 1
            return order[:0], stack[first:depth].copy()
        if state[tail] == unseen:
            state[tail] = open_
            stack[depth] = tail
            depth += 1
    return order[:finished].copy(), stack[:0]


@kernel
def _derivable_edges(
    order: Int32, starts: Int32, by_head: Int32, tail_starts: Int32, tails: Int32
) -> NDArray[np.bool_]:
    """Which edges have only derivable tails; a node is derivable if one of its edges is."""
    derivable_node = np.zeros(len(starts) - 1, np.bool_)
    derivable = np.zeros(len(by_head), np.bool_)
    for node in order:
        for place in range(starts[node], starts[node + 1]):
            edge = by_head[place]
            derivable[edge] = True
            for i in range(tail_starts[edge], tail_starts[edge + 1]):
                derivable[edge] &= derivable_node[tails[i]]
            derivable_node[node] |= derivable[edge]
    return derivable
