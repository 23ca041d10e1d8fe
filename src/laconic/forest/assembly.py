"""From loose edges in any order to a forest: checked, bottom-up, without what no derivation uses."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float64, Int32, Int64
from laconic.errors import LaconicError
from laconic.forest.cutting import cut
from laconic.forest.hypergraph import Hypergraph, check_scores, node_name, slot
from laconic.forest.lazy import Emissions
from laconic.forest.shape import frozen
from laconic.kernel import kernel


class Pools(NamedTuple):
    """What edges share: templates (CSR), feature rows (CSR) and the source word of each symbol."""

    item_starts: Int32
    items: Int32
    feature_starts: Int32
    feature_indices: Int32
    feature_values: Float64
    symbol_words: Int32

    def owned(self) -> Pools:
        """The same arrays, copied where somebody could change them: all of one type for the kernels."""
        arrays: Iterable[Any] = (array.copy() if array.flags.writeable else array for array in self)
        return Pools(*map(frozen, arrays))

    def with_join(self) -> tuple[Pools, int, int]:
        """The same with one more template, slot 0 alone, and one more row of no features; and their numbers."""
        joined = Pools(
            item_starts=np.append(self.item_starts, np.int32(len(self.items) + 1)),
            items=np.append(self.items, np.int32(slot(0))),
            feature_starts=np.append(self.feature_starts, self.feature_starts[-1]),
            feature_indices=self.feature_indices,
            feature_values=self.feature_values,
            symbol_words=self.symbol_words,
        )
        return joined.owned(), len(self.item_starts) - 1, len(self.feature_starts) - 1


def assemble(
    root: int,
    *,
    node_count: int,
    heads: Int32,
    tail_starts: Int32,
    tails: Int32,
    scores: Float64,
    templates: Int32,
    feature_rows: Int32,
    origins: Int32,
    pools: Pools,
    keys: tuple[Hashable, ...] = (),
) -> Hypergraph:
    """The forest of the derivations of `root`, from edges given in any order.

    Nodes are renumbered in depth-first postorder, edges by head in the given order; nodes and edges
    that take part in no derivation of the root are left out. Raises an error that names the place if
    the arrays are inconsistent, if a node can contain itself, or if the root has no derivation. O(size).
    """
    pools = pools.owned()
    _check_edges(node_count, heads, tail_starts, tails, templates, feature_rows, pools, keys)
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
        heads=new_heads[kept],
        node_count=len(order),
        tail_starts=kept_starts,
        tails=new_number[kept_tails],
        scores=scores[kept],
        templates=templates[kept],
        feature_rows=feature_rows[kept],
        origins=origins[kept],
        pools=pools,
    )


def ordered_forest(
    *,
    node_count: int,
    heads: Int32,
    tail_starts: Int32,
    tails: Int32,
    scores: Float64,
    templates: Int32,
    feature_rows: Int32,
    origins: Int32,
    pools: Pools,
    keys: tuple[Hashable, ...] = (),
) -> Hypergraph:
    """The forest of arrays that are known to be right: nodes bottom-up, the last the root, edges sorted by head.

    The arrays belong to the forest from now on. O(size).
    """
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


def _check_edges(
    node_count: int,
    heads: Int32,
    tail_starts: Int32,
    tails: Int32,
    templates: Int32,
    feature_rows: Int32,
    pools: Pools,
    keys: tuple[Hashable, ...],
) -> None:
    def edge_text(edge: int) -> str:
        head = int(heads[edge])
        return f"edge {edge} of node {node_name(head, keys) if 0 <= head < node_count else head}"

    fault, place = _first_fault(node_count, heads, tail_starts, tails, templates, feature_rows, pools)
    if fault == _HEAD:
        raise LaconicError(f"{edge_text(place)}: outside a forest of {node_count} nodes")
    if fault == _TAIL:
        edge = int(np.searchsorted(tail_starts, place, side="right")) - 1
        raise LaconicError(
            f"{edge_text(edge)} has tail {tails[place]}: no such node in a forest of {node_count} nodes"
        )
    if fault == _TEMPLATE:
        raise LaconicError(f"{edge_text(place)} has template {templates[place]}, which does not exist")
    if fault == _ROW:
        raise LaconicError(f"{edge_text(place)} has feature row {feature_rows[place]}, which does not exist")
    if fault == _ITEM:
        raise LaconicError(
            f"symbol {pools.items[place]} is emitted, but only {len(pools.symbol_words)} symbols are declared"
        )
    if fault == _COPY:
        raise LaconicError(
            f"symbol {place} copies word {pools.symbol_words[place]}; words count from 0, -1 is none"
        )
    if fault == _FEATURE:
        index, value = pools.feature_indices[place], pools.feature_values[place]
        raise LaconicError(f"feature {index} has value {value}; features count from 0 and have finite values")
    if fault == _SLOTS:
        raise LaconicError(
            f"{edge_text(place)} has {tail_starts[place + 1] - tail_starts[place]} tails; "
            "its template must hold each slot once"
        )


_NO_FAULT, _HEAD, _TAIL, _TEMPLATE, _ROW, _ITEM, _COPY, _FEATURE, _SLOTS = range(9)


@kernel
def _first_fault(
    node_count: int,
    heads: Int32,
    tail_starts: Int32,
    tails: Int32,
    templates: Int32,
    feature_rows: Int32,
    pools: Pools,
) -> tuple[int, int]:
    """The first kind of fault that there is, and its first place."""
    head, tail = _outside(heads, node_count), _outside(tails, node_count)
    template = _outside(templates, len(pools.item_starts) - 1)
    row = _outside(feature_rows, len(pools.feature_starts) - 1)
    if head >= 0:
        return _HEAD, head
    if tail >= 0:
        return _TAIL, tail
    if template >= 0:
        return _TEMPLATE, template
    if row >= 0:
        return _ROW, row
    for place in range(len(pools.items)):
        if pools.items[place] >= len(pools.symbol_words):
            return _ITEM, place
    for symbol in range(len(pools.symbol_words)):
        if pools.symbol_words[symbol] < -1:
            return _COPY, symbol
    for place in range(len(pools.feature_indices)):
        if pools.feature_indices[place] < 0 or not np.isfinite(pools.feature_values[place]):
            return _FEATURE, place
    slots = _slot_counts(pools.item_starts, pools.items)
    for edge in range(len(heads)):
        if slots[templates[edge]] != tail_starts[edge + 1] - tail_starts[edge]:
            return _SLOTS, edge
    return _NO_FAULT, 0


@kernel
def _outside(numbers: Int32, count: int) -> int:
    """The first place of a number that is not below the count; -1 if there is none."""
    for place in range(len(numbers)):
        if not 0 <= numbers[place] < count:
            return place
    return -1


@kernel
def _slot_counts(item_starts: Int32, items: Int32) -> Int64:
    """For each template, how many slots it holds; -1 unless they are 0, 1, … each exactly once."""
    counts = np.zeros(len(item_starts) - 1, np.int64)
    holders = np.full(len(items), -1)  # the last template that held each slot
    for template in range(len(counts)):
        different, highest = 0, -1
        for place in range(item_starts[template], item_starts[template + 1]):
            tail = ~items[place]
            if tail >= 0:
                counts[template] += 1
                highest = max(highest, tail)
                if tail < len(items) and holders[tail] != template:
                    holders[tail] = template
                    different += 1
        if different != counts[template] or highest >= different:
            counts[template] = -1
    return counts


def _starts(counts: NDArray[np.integer]) -> Int32:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def _gather_rows(starts: Int32, values: Int32, rows: NDArray[np.integer]) -> tuple[Int32, Int32]:
    new_starts = _starts(np.diff(starts)[rows])
    shift = np.repeat(starts[rows] - new_starts[:-1], np.diff(new_starts))
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
    state = np.zeros(count, np.int64)
    next_edge = starts[:-1].copy()
    next_tail = np.zeros(count, np.int32)  # position among the tails of the node's current edge
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
