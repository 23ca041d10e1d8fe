"""The kernels of the search by cost: for every node, the best score at every cost it can have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.forest.growth import grown
from laconic.forest.hypergraph import Floats, Indices, Integers
from laconic.kernel import kernel

UNLIMITED = np.iinfo(np.int64).max // 4  # more than any cost, and safe to add to one
_PAD = 3  # cells of -inf before and after each row, for `_merge`


class CostTables(NamedTuple):
    """For each node v and cost c, B(v, c): the score of the best derivation below v of exactly that cost.

    It is `scores[starts[v] + c - least[v]]` for c from `least[v]` to `most[v]`; -inf if there is none,
    and no cost at all if most < least.
    """

    least: Integers
    most: Integers
    starts: Integers
    scores: Floats


@kernel
def cost_tables(
    costs: Integers,
    floor: int,
    ceiling: int,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    edge_scores: Floats,
) -> CostTables:
    """B(v, c) = max over the edges e of v and c₁ + … + cₖ = c - cost(e) of score(e) + Σ B(tᵢ, cᵢ).

    Only for costs that derivations of the root can have below v if they cost `floor` to `ceiling`.
    """
    least, most = _bounds(costs, floor, ceiling, edge_starts, tail_starts, tails, edge_scores)
    starts = np.empty(len(least) + 1, dtype=np.int64)
    starts[0] = _PAD
    for node in range(len(least)):
        starts[node + 1] = starts[node] + max(0, most[node] - least[node] + 1) + _PAD
    scores = np.full(starts[-1], -np.inf)
    tables = CostTables(least, most, starts, scores)
    prefixes, sizes, stride = _room_for_prefixes(most, tail_starts)
    row = np.empty(stride)  # B(v, ·) from cost 0 on, while the edges of v are added
    for node in range(len(least)):
        if most[node] < least[node]:
            continue
        row[: most[node] + 1 + 2 * _PAD] = -np.inf
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            first, stop, score = tail_starts[edge], tail_starts[edge + 1], edge_scores[edge]
            bottom = _least_cost(costs[edge], first, stop, tails, least, most)
            room = most[node] - bottom + 1
            if room <= 0 or score == -np.inf:
                continue
            if first == stop:
                row[_PAD + bottom] = max(row[_PAD + bottom], score)
                continue
            last = tails[stop - 1]
            start, width = starts[last], most[last] - least[last] + 1
            if stop - first == 1:
                for i in range(min(width, room)):
                    row[_PAD + bottom + i] = max(row[_PAD + bottom + i], scores[start + i] + score)
            elif stop - first == 2:
                # `_merge` in line: most edges come here, and it costs a third of the time.
                left_start, left_width = starts[tails[first]], most[tails[first]] - least[tails[first]] + 1
                if left_width > width:
                    left_start, left_width, start, width = start, width, left_start, left_width
                _merge_longer(
                    scores, left_start, left_width, scores, start, width, score, row, _PAD + bottom, room
                )
            else:
                _join(first, stop - 1, room, tables, tails, prefixes, sizes)
                left_start, left_width = (stop - first - 2) * stride + _PAD, sizes[stop - first - 2]
                _merge(
                    prefixes, left_start, left_width, scores, start, width, score, row, _PAD + bottom, room
                )
        scores[starts[node] : starts[node] + most[node] - least[node] + 1] = row[
            _PAD + least[node] : _PAD + most[node] + 1
        ]
    return tables


@kernel
def trace_cost(
    cost: int,
    costs: Integers,
    tables: CostTables,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    edge_scores: Floats,
) -> Indices:
    """The edges, in preorder, of the derivation behind B(root, cost): first edges, cheapest last tails."""
    least, most, starts, scores = tables
    prefixes, sizes, stride = _room_for_prefixes(most, tail_starts)
    edges = np.empty(64, dtype=np.int32)
    stack = np.empty(64, dtype=np.int32)
    amounts = np.empty(64, dtype=np.int64)
    stack[0], amounts[0] = len(edge_starts) - 2, cost
    depth, size = 1, 0
    while depth:
        depth -= 1
        node, amount = stack[depth], amounts[depth]
        target = scores[starts[node] + amount - least[node]]
        edge = edge_starts[node] - 1
        first, arity, place = 0, 0, 0  # `place`: that of `amount` in the row of the joined tails
        found = False
        while not found:
            edge += 1
            first, arity = tail_starts[edge], tail_starts[edge + 1] - tail_starts[edge]
            place = amount - _least_cost(costs[edge], first, first + arity, tails, least, most)
            if place < 0 or edge_scores[edge] == -np.inf:
                continue
            if arity == 0:
                found = place == 0 and edge_scores[edge] == target
            else:
                _join(first, first + arity, place + 1, tables, tails, prefixes, sizes)
                joined = prefixes[(arity - 1) * stride + _PAD + place]
                found = place < sizes[arity - 1] and joined + edge_scores[edge] == target
        edges = grown(edges, size)
        edges[size] = edge
        size += 1
        for k in range(arity - 1, -1, -1):
            tail = tails[first + k]
            extra = place  # what the tail costs beyond its least
            if k > 0:
                before, whole = (k - 1) * stride + _PAD, prefixes[k * stride + _PAD + place]
                extra = max(0, place - sizes[k - 1] + 1)
                while prefixes[before + place - extra] + scores[starts[tail] + extra] != whole:
                    extra += 1
            stack, amounts = grown(stack, depth), grown(amounts, depth)
            stack[depth], amounts[depth] = tail, least[tail] + extra
            depth += 1
            place -= extra
    return edges[:size].copy()


@kernel
def _bounds(
    costs: Integers,
    floor: int,
    ceiling: int,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    scores: Floats,
) -> tuple[Integers, Integers]:
    """The least and the most that each node can cost within derivations of total cost `floor..ceiling`.

    First what is possible below each node, then what the least and the most around it leave of the limit.
    """
    node_count = len(edge_starts) - 1
    least = np.full(node_count, UNLIMITED)
    most = np.full(node_count, np.int64(-1))
    for node in range(node_count):
        for edge in range(np.uint32(edge_starts[node]), np.uint32(edge_starts[node + 1])):
            first, stop = tail_starts[edge], tail_starts[edge + 1]
            low = _least_cost(costs[edge], first, stop, tails, least, most)
            if low < UNLIMITED and scores[edge] > -np.inf:
                high = costs[edge]
                for i in range(np.uint32(first), np.uint32(stop)):
                    high += most[np.uint32(tails[i])]
                least[node] = min(least[node], low)
                most[node] = max(most[node], high)
    if floor <= least[-1] and most[-1] <= ceiling:
        return least, most

    least_around = np.full(node_count, UNLIMITED)
    most_around = np.full(node_count, np.int64(-1))
    least_around[-1], most_around[-1] = 0, 0
    for node in range(node_count - 1, -1, -1):
        if most_around[node] < 0:
            continue
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            first, stop = tail_starts[edge], tail_starts[edge + 1]
            low = _least_cost(least_around[node] + costs[edge], first, stop, tails, least, most)
            if low >= UNLIMITED or scores[edge] == -np.inf:
                continue
            high = most_around[node] + costs[edge]
            for i in range(first, stop):
                high += most[tails[i]]
            for i in range(first, stop):
                tail = tails[i]
                least_around[tail] = min(least_around[tail], low - least[tail])
                most_around[tail] = max(most_around[tail], high - most[tail])

    for node in range(node_count):
        if most_around[node] < 0:
            most[node] = -1
        least[node] = max(least[node], floor - most_around[node])
        most[node] = min(most[node], ceiling - least_around[node])
    return least, most


@kernel
def _room_for_prefixes(most: Integers, tail_starts: Indices) -> tuple[Floats, Integers, int]:
    """Rows for the prefixes of any edge, one after the other; their sizes; from one row to the next."""
    arity = 1
    for edge in range(len(tail_starts) - 1):
        arity = max(arity, tail_starts[edge + 1] - tail_starts[edge])
    stride = max(0, most.max() + 1) + 2 * _PAD
    return np.empty(arity * stride), np.empty(arity, dtype=np.int64), stride


@kernel
def _least_cost(own: int, first: int, stop: int, tails: Indices, least: Integers, most: Integers) -> int:
    """The least that an edge and its tails cost; more than any limit if a tail has no cost within it."""
    bottom = own
    for i in range(np.uint32(first), np.uint32(stop)):
        tail = np.uint32(tails[i])
        if most[tail] < least[tail]:
            return UNLIMITED
        bottom += least[tail]
    return bottom


@kernel
def _join(
    first: int, stop: int, room: int, tables: CostTables, tails: Indices, prefixes: Floats, sizes: Integers
) -> None:
    """P₁ = B(t₁, ·), Pₖ(c) = max over d of Pₖ₋₁(c - d) + B(tₖ, d), for the tails from `first` to `stop`.

    Costs count from the least possible and stop at `room`; Pₖ is row k - 1, of size `sizes[k - 1]`.
    """
    stride = len(prefixes) // len(sizes)
    for k in range(stop - first):
        tail = tails[first + k]
        start, width = tables.starts[tail], tables.most[tail] - tables.least[tail] + 1
        size = min(width if k == 0 else sizes[k - 1] + width - 1, room)
        row = k * stride + _PAD
        prefixes[row - _PAD : row + size + _PAD] = -np.inf
        if k == 0:
            prefixes[row : row + size] = tables.scores[start : start + size]
        else:
            _merge(
                prefixes, row - stride, sizes[k - 1], tables.scores, start, width, 0.0, prefixes, row, size
            )
        sizes[k] = size


@kernel
def _merge(
    left: Floats,
    left_start: int,
    left_size: int,
    right: Floats,
    right_start: int,
    right_size: int,
    score: float,
    out: Floats,
    out_start: int,
    out_size: int,
) -> None:
    """out(c) = max(out(c), max over i of left(i) + right(c - i) + score), for c below `out_size`."""
    if left_size <= right_size:
        _merge_longer(
            left, left_start, left_size, right, right_start, right_size, score, out, out_start, out_size
        )
    else:
        _merge_longer(
            right, right_start, right_size, left, left_start, left_size, score, out, out_start, out_size
        )


@kernel
def _merge_longer(
    left: Floats,
    left_start: int,
    left_size: int,
    right: Floats,
    right_start: int,
    right_size: int,
    score: float,
    out: Floats,
    out_start: int,
    out_size: int,
) -> None:
    """The same for a right row that is not shorter: the inner loop compiles to vector instructions.

    Four i at a time, to load and store `out` less often; the -inf around rows stands for what is
    outside them. Unsigned indices need no test for negative ones, which would keep the loop scalar.
    """
    for i in range(0, left_size, 4):
        left_0, left_1 = left[left_start + i], left[left_start + i + 1]
        left_2, left_3 = left[left_start + i + 2], left[left_start + i + 3]
        right_0, right_1 = np.uint64(right_start), np.uint64(right_start - 1)
        right_2, right_3 = np.uint64(right_start - 2), np.uint64(right_start - 3)
        to = np.uint64(out_start + i)
        for j in range(np.uint64(max(0, min(right_size + 3, out_size - i)))):
            even = max(left_0 + right[right_0 + j], left_2 + right[right_2 + j])
            odd = max(left_1 + right[right_1 + j], left_3 + right[right_3 + j])
            out[to + j] = max(out[to + j], max(even, odd) + score)
