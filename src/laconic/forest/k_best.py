"""The k best derivations, found lazily: algorithm 3 of Huang and Chiang (2005), "Better k-best parsing"."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.errors import LaconicError
from laconic.forest.derivation import Derivation
from laconic.forest.growth import grown
from laconic.forest.hypergraph import Floats, Hypergraph, Indices, Integers
from laconic.forest.inference import require_derivation
from laconic.forest.semiring import Semiring, inside
from laconic.kernel import kernel


def k_best(forest: Hypergraph, k: int, *, distinct: bool = False) -> tuple[Derivation, ...]:
    """The k derivations of highest score, best first, each once; fewer if the forest has fewer.

    With `distinct`, only the best derivation of each yield: every node then passes on the best
    derivation of each of its own yields, so that no time is lost on what differs only in derivation.
    Equal scores come in the order in which they are found, which is always the same; the first is that
    of `best`. Only what is asked for is computed: O(size + derivation size · k log k) in practice.
    """
    if k < 1:
        raise LaconicError(f"k must be at least 1, not {k}")
    totals = inside(forest, Semiring.MAX)
    require_derivation(float(totals.nodes[-1]))
    ranked = _rank(
        k,
        distinct,
        forest.edge_starts,
        forest.tail_starts,
        forest.tails,
        forest.scores,
        totals.edges,
        forest.templates,
        forest.item_starts,
        forest.items,
    )
    found = range(ranked.found_counts[-1])
    traces = (_trace(rank, ranked, forest.tail_starts, forest.tails) for rank in found)
    return tuple(Derivation(forest, float(score), tuple(edges.tolist())) for score, edges in traces)


class Ranked(NamedTuple):
    """The derivations found so far at every node.

    Those of node v are `found[found_starts[v]:][:found_counts[v]]`, best first. Derivation d applies
    edge `edges[d]` to the derivations of its tails that have rank `ranks[rank_starts[d]:]` there.
    """

    found: Indices
    found_starts: Integers
    found_counts: Integers
    edges: Indices
    scores: Floats
    rank_starts: Integers
    ranks: Indices


@kernel
def _rank(
    k: int,
    distinct: bool,
    edge_starts: Indices,
    tail_starts: Indices,
    tails: Indices,
    edge_scores: Floats,
    edge_totals: Floats,
    templates: Indices,
    item_starts: Indices,
    items: Indices,
) -> Ranked:
    """Find the k best of the root, and of the nodes below as many as that takes.

    Every node keeps a heap of candidates: at first each edge with the best of its tails. When a
    candidate is taken, its successors enter: the same edge with one tail's rank raised by one. Each
    vector of ranks is reached once only, because ranks are raised only at the last non-zero place or
    after it; its one predecessor never scores less, since rounded addition is monotone.
    """
    node_count = len(edge_starts) - 1

    # Derivations, candidates included, in the order in which they were made.
    edges = np.empty(256, dtype=np.int32)
    scores = np.empty(256)
    rank_starts = np.empty(256, dtype=np.int64)
    ranks = np.empty(512, dtype=np.int32)
    made, ranks_used = 0, 0
    # Of the distinct derivations found: where their yield lies, and its hash.
    yield_starts = np.empty(256, dtype=np.int64)
    yield_stops = np.empty(256, dtype=np.int64)
    hashes = np.empty(256, dtype=np.int64)
    yields = np.empty(512, dtype=np.int32)
    yields_used = 0

    heaps, heaps_used = np.empty(256, dtype=np.int32), 0
    heap_starts, heap_rooms, heap_counts = _no_lists(node_count)
    found, found_used = np.empty(256, dtype=np.int32), 0
    found_starts, found_rooms, found_counts = _no_lists(node_count)
    opened = np.zeros(node_count, dtype=np.bool_)
    exhausted = np.zeros(node_count, dtype=np.bool_)
    expanding = np.full(node_count, -1, dtype=np.int32)  # the derivation whose successors are due
    next_place = np.zeros(node_count, dtype=np.int32)  # the tail to raise for its next successor

    # Requests (node, rank) that wait for those above them on the stack.
    stack = np.empty(64, dtype=np.int32)
    wanted = np.empty(64, dtype=np.int32)
    depth = 1
    stack[0], wanted[0] = node_count - 1, k - 1
    while depth:
        node = stack[depth - 1]
        if found_counts[node] > wanted[depth - 1] or exhausted[node]:
            depth -= 1
            continue

        if not opened[node]:
            opened[node] = True
            for edge in range(edge_starts[node], edge_starts[node + 1]):
                if edge_totals[edge] > -np.inf:
                    edges, scores, rank_starts = (
                        grown(edges, made),
                        grown(scores, made),
                        grown(rank_starts, made),
                    )
                    edges[made], scores[made], rank_starts[made] = edge, edge_totals[edge], ranks_used
                    arity = tail_starts[edge + 1] - tail_starts[edge]
                    ranks = grown(ranks, ranks_used + arity)
                    ranks[ranks_used : ranks_used + arity] = 0
                    ranks_used += arity
                    heaps, heaps_used = _append(
                        heaps, heaps_used, heap_starts, heap_rooms, heap_counts, node, made
                    )
                    _rise(heaps, heap_starts[node], heap_counts[node], scores)
                    made += 1

        if expanding[node] >= 0:
            taken = expanding[node]
            edge = edges[taken]
            arity = tail_starts[edge + 1] - tail_starts[edge]
            place = next_place[node]
            if place == arity:
                expanding[node] = -1
                continue
            tail = tails[tail_starts[edge] + place]
            rank = ranks[rank_starts[taken] + place] + 1
            if found_counts[tail] <= rank and not exhausted[tail]:
                stack, wanted = grown(stack, depth), grown(wanted, depth)
                stack[depth], wanted[depth] = tail, rank
                depth += 1
                continue
            next_place[node] += 1
            if found_counts[tail] > rank:
                edges, scores, rank_starts = grown(edges, made), grown(scores, made), grown(rank_starts, made)
                ranks = grown(ranks, ranks_used + arity)
                edges[made], rank_starts[made] = edge, ranks_used
                score = edge_scores[edge]
                for i in range(arity):
                    ranks[ranks_used + i] = rank if i == place else ranks[rank_starts[taken] + i]
                    below = tails[tail_starts[edge] + i]
                    score += scores[found[found_starts[below] + ranks[ranks_used + i]]]
                scores[made] = score
                ranks_used += arity
                heaps, heaps_used = _append(
                    heaps, heaps_used, heap_starts, heap_rooms, heap_counts, node, made
                )
                _rise(heaps, heap_starts[node], heap_counts[node], scores)
                made += 1
            continue

        if heap_counts[node] == 0:
            exhausted[node] = True
            continue
        top = heaps[heap_starts[node]]
        edge = edges[top]
        missing = -1
        for i in range(tail_starts[edge], tail_starts[edge + 1]):
            # The candidates that a node starts with rest on bests that nobody may have asked for yet.
            if found_counts[tails[i]] == 0:
                missing = tails[i]
                break
        if missing >= 0:
            stack, wanted = grown(stack, depth), grown(wanted, depth)
            stack[depth], wanted[depth] = missing, 0
            depth += 1
            continue
        _sink(heaps, heap_starts[node], heap_counts[node], scores)
        heap_counts[node] -= 1
        expanding[node] = top
        next_place[node] = 0
        for i in range(tail_starts[edge + 1] - tail_starts[edge]):
            if ranks[rank_starts[top] + i]:
                next_place[node] = i

        if distinct:
            start = yields_used
            for i in range(item_starts[templates[edge]], item_starts[templates[edge] + 1]):
                item = items[i]
                if item >= 0:
                    yields = grown(yields, yields_used)
                    yields[yields_used] = item
                    yields_used += 1
                else:
                    below = tails[tail_starts[edge] + ~item]
                    part = found[found_starts[below] + ranks[rank_starts[top] + ~item]]
                    length = yield_stops[part] - yield_starts[part]
                    yields = grown(yields, yields_used + length)
                    yields[yields_used : yields_used + length] = yields[
                        yield_starts[part] : yield_stops[part]
                    ]
                    yields_used += length
            yield_starts, yield_stops = grown(yield_starts, top), grown(yield_stops, top)
            hashes = grown(hashes, top)
            yield_starts[top], yield_stops[top] = start, yields_used
            hashes[top] = _hash(yields[start:yields_used])
            repeated = False
            for i in range(found_starts[node], found_starts[node] + found_counts[node]):
                other = found[i]
                if hashes[other] == hashes[top] and np.array_equal(
                    yields[yield_starts[other] : yield_stops[other]], yields[start:yields_used]
                ):
                    repeated = True
                    break
            if repeated:
                yields_used = start
                continue
        found, found_used = _append(found, found_used, found_starts, found_rooms, found_counts, node, top)
    return Ranked(found, found_starts, found_counts, edges, scores, rank_starts, ranks)


@kernel
def _trace(rank: int, ranked: Ranked, tail_starts: Indices, tails: Indices) -> tuple[float, Indices]:
    """The score and the edges, in preorder, of the root's derivation of this rank."""
    root = len(ranked.found_counts) - 1
    edges = np.empty(64, dtype=np.int32)
    stack = np.empty(64, dtype=np.int32)
    stack[0] = ranked.found[ranked.found_starts[root] + rank]
    score = ranked.scores[stack[0]]
    depth, size = 1, 0
    while depth:
        depth -= 1
        derivation = stack[depth]
        edge = ranked.edges[derivation]
        edges = grown(edges, size)
        edges[size] = edge
        size += 1
        for i in range(tail_starts[edge + 1] - tail_starts[edge] - 1, -1, -1):
            tail = tails[tail_starts[edge] + i]
            stack = grown(stack, depth)
            stack[depth] = ranked.found[
                ranked.found_starts[tail] + ranked.ranks[ranked.rank_starts[derivation] + i]
            ]
            depth += 1
    return score, edges[:size].copy()


@kernel
def _no_lists(count: int) -> tuple[Integers, Integers, Integers]:
    """Where the lists of `count` owners start in their pool, how much room each has, how much it holds."""
    return np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)


@kernel
def _append(
    pool: Indices, used: int, starts: Integers, rooms: Integers, counts: Integers, owner: int, value: int
) -> tuple[Indices, int]:
    """Append to the owner's list; a full list moves to the end of the pool, where it has twice the room."""
    if counts[owner] == rooms[owner]:
        room = max(4, 2 * rooms[owner])
        pool = grown(pool, used + room)
        pool[used : used + counts[owner]] = pool[starts[owner] : starts[owner] + counts[owner]]
        starts[owner], rooms[owner] = used, room
        used += room
    pool[starts[owner] + counts[owner]] = value
    counts[owner] += 1
    return pool, used


@kernel
def _before(left: int, right: int, scores: Floats) -> bool:
    return scores[left] > scores[right] or (scores[left] == scores[right] and left < right)


@kernel
def _rise(pool: Indices, start: int, count: int, scores: Floats) -> None:
    """Restore the heap after its last entry was added."""
    place = count - 1
    while place and _before(pool[start + place], pool[start + (place - 1) // 2], scores):
        parent = (place - 1) // 2
        pool[start + place], pool[start + parent] = pool[start + parent], pool[start + place]
        place = parent


@kernel
def _sink(pool: Indices, start: int, count: int, scores: Floats) -> None:
    """Take the first entry off the heap: the last one takes its place and sinks."""
    pool[start] = pool[start + count - 1]
    place = 0
    while True:
        first = place
        for child in range(2 * place + 1, min(2 * place + 3, count - 1)):
            if _before(pool[start + child], pool[start + first], scores):
                first = child
        if first == place:
            return
        pool[start + place], pool[start + first] = pool[start + first], pool[start + place]
        place = first


@kernel
def _hash(symbols: Indices) -> int:
    code = len(symbols)
    for symbol in symbols:
        code = (code ^ symbol) * 1099511628211
    return code
