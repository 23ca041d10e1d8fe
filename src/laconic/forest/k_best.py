"""The k best derivations, found lazily: algorithm 3 of Huang and Chiang (2005), "Better k-best parsing"."""

from __future__ import annotations

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
    of `best`. Nodes are asked only for what is needed: O(size + k · derivation size · log k) in practice.
    """
    if k < 1:
        raise LaconicError(f"k must be at least 1, not {k}")
    totals = inside(forest, Semiring.MAX)
    require_derivation(float(totals.nodes[-1]))
    found, scores, edges, parts = _find(
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
    return tuple(
        Derivation(
            forest, float(scores[item]), tuple(_trace(item, edges, parts, forest.tail_starts).tolist())
        )
        for item in found
    )


@kernel
def _find(
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
) -> tuple[Indices, Floats, Indices, Indices]:
    """Find the k best of the root, and of the nodes below as many as that takes.

    Partial derivations are items, numbered as they are made: item d applies edge `edges[d]` to the items
    `parts[d]` of its tails. Every node has a heap of candidates, at first each of its edges with the
    best of each tail, and a list of the items found, best first. The successors of an item that is found
    become candidates when the next is asked for: the same with one part replaced by the next in its
    list. To make no item twice, parts are replaced only at or after the last place where that was done
    before; the item before a replacement never scores less, since rounded addition is monotone.

    Returns the items of the root and, for all items, scores, edges and parts.
    """
    node_count = len(edge_starts) - 1
    widest = np.diff(edge_starts).max()
    arity = max(1, np.diff(tail_starts).max())
    room = 256 + widest
    scores, edges = np.empty(room), np.empty(room, dtype=np.int32)
    parts = np.empty((room, arity), dtype=np.int32)
    next_found, child, sibling = _nothing(room), _nothing(room), _nothing(room)
    made = 0
    # With `distinct`: the yield of each item found is yields[yield_starts[d]:yield_stops[d]].
    yield_starts, yield_stops = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    hashes = np.zeros(room, dtype=np.int64)
    yields, yields_used = np.empty(1024, dtype=np.int32), 0

    heaps, first_found, last_found = _nothing(node_count), _nothing(node_count), _nothing(node_count)
    found_counts = np.zeros(node_count, dtype=np.int64)
    opened, exhausted = np.zeros(node_count, dtype=np.bool_), np.zeros(node_count, dtype=np.bool_)
    expanding = _nothing(node_count)  # the item whose successors are due
    next_place = np.zeros(node_count, dtype=np.int32)  # where it makes the next

    # Requests for so many items of a node; each waits for those above it, which ask lower nodes.
    asked, wanted = np.empty(node_count, dtype=np.int32), np.empty(node_count, dtype=np.int64)
    asked[0], wanted[0] = node_count - 1, k
    depth = 1
    while depth:
        node = asked[depth - 1]
        if found_counts[node] >= wanted[depth - 1] or exhausted[node]:
            depth -= 1
            continue
        last = made + widest  # no round makes more items
        if last >= len(scores):
            scores, edges, parts = grown(scores, last), grown(edges, last), grown(parts, last)
            next_found, child, sibling = grown(next_found, last), grown(child, last), grown(sibling, last)
            yield_starts, yield_stops = grown(yield_starts, last), grown(yield_stops, last)
            hashes = grown(hashes, last)

        if not opened[node]:
            opened[node] = True
            for edge in range(edge_starts[node], edge_starts[node + 1]):
                if edge_totals[edge] > -np.inf:
                    edges[made], scores[made] = edge, edge_totals[edge]
                    next_found[made], child[made], sibling[made] = -1, -1, -1
                    heaps[node] = _meld(heaps[node], made, scores, child, sibling)
                    parts[made] = -1  # the best of each tail, which may not be found yet
                    made += 1

        elif expanding[node] >= 0:
            item, place = expanding[node], next_place[node]
            edge = edges[item]
            first = tail_starts[edge]
            if first + place == tail_starts[edge + 1]:
                expanding[node] = -1
                continue
            tail = tails[first + place]
            successor = next_found[parts[item, place]]
            if successor < 0 and not exhausted[tail]:
                asked[depth], wanted[depth] = tail, found_counts[tail] + 1
                depth += 1
                continue
            next_place[node] += 1
            if successor >= 0:
                edges[made], parts[made] = edge, parts[item]
                parts[made, place] = successor
                next_found[made], child[made], sibling[made] = -1, -1, -1
                scores[made] = edge_scores[edge]
                for i in range(tail_starts[edge + 1] - first):
                    scores[made] += scores[parts[made, i]]
                heaps[node] = _meld(heaps[node], made, scores, child, sibling)
                made += 1

        elif heaps[node] < 0:
            exhausted[node] = True

        else:
            item = heaps[node]
            edge = edges[item]
            first = tail_starts[edge]
            unknown = -1
            for i in range(tail_starts[edge + 1] - first):
                tail = tails[first + i]
                if parts[item, i] < 0:
                    parts[item, i] = first_found[tail]
                if parts[item, i] < 0:
                    unknown = tail
            if unknown >= 0:
                asked[depth], wanted[depth] = unknown, 1
                depth += 1
                continue
            heaps[node] = _without_first(item, scores, child, sibling)
            expanding[node], next_place[node] = item, 0
            for i in range(tail_starts[edge + 1] - first):
                if parts[item, i] != first_found[tails[first + i]]:
                    next_place[node] = i
            if distinct:
                yield_starts[item] = yields_used
                for i in range(item_starts[templates[edge]], item_starts[templates[edge] + 1]):
                    if items[i] >= 0:
                        yields = grown(yields, yields_used)
                        yields[yields_used] = items[i]
                        yields_used += 1
                    else:
                        part = parts[item, ~items[i]]
                        length = yield_stops[part] - yield_starts[part]
                        yields = grown(yields, yields_used + length)
                        yields[yields_used : yields_used + length] = yields[
                            yield_starts[part] : yield_stops[part]
                        ]
                        yields_used += length
                yield_stops[item] = yields_used
                hashes[item] = _hash(yields[yield_starts[item] : yields_used])
                if _has_yield(first_found[node], item, next_found, hashes, yields, yield_starts, yield_stops):
                    yields_used = yield_starts[item]
                    continue
            if last_found[node] < 0:
                first_found[node] = item
            else:
                next_found[last_found[node]] = item
            last_found[node] = item
            found_counts[node] += 1

    found = np.empty(found_counts[-1], dtype=np.int32)
    item = first_found[-1]
    for rank in range(len(found)):
        found[rank] = item
        item = next_found[item]
    return found, scores, edges, parts


@kernel
def _trace(item: int, edges: Indices, parts: Indices, tail_starts: Indices) -> Indices:
    """The edges of an item, in preorder."""
    preorder = np.empty(64, dtype=np.int32)
    stack = np.empty(64, dtype=np.int32)
    stack[0] = item
    depth, size = 1, 0
    while depth:
        depth -= 1
        item = stack[depth]
        edge = edges[item]
        preorder = grown(preorder, size)
        preorder[size] = edge
        size += 1
        for i in range(tail_starts[edge + 1] - tail_starts[edge] - 1, -1, -1):
            stack = grown(stack, depth)
            stack[depth] = parts[item, i]
            depth += 1
    return preorder[:size].copy()


@kernel
def _nothing(count: int) -> Indices:
    return np.full(count, np.int32(-1))


@kernel
def _meld(heap: int, other: int, scores: Floats, child: Indices, sibling: Indices) -> int:
    """Join two pairing heaps; the best item is the root, among equals the one made first; -1 is empty."""
    if heap < 0:
        return other
    if scores[other] > scores[heap] or (scores[other] == scores[heap] and other < heap):
        heap, other = other, heap
    sibling[other] = child[heap]
    child[heap] = other
    return heap


@kernel
def _without_first(heap: int, scores: Floats, child: Indices, sibling: Indices) -> int:
    """The pairing heap without its root: its children are joined in pairs, then the pairs, last first."""
    pairs = -1
    following = child[heap]
    while following >= 0:
        left, right = following, sibling[following]
        following = sibling[right] if right >= 0 else -1
        if right >= 0:
            left = _meld(left, right, scores, child, sibling)
        sibling[left] = pairs
        pairs = left
    joined = -1
    while pairs >= 0:
        pair, pairs = pairs, sibling[pairs]
        joined = _meld(joined, pair, scores, child, sibling)
    return joined


@kernel
def _hash(symbols: Indices) -> int:
    code = len(symbols)
    for symbol in symbols:
        code = (code ^ symbol) * 1099511628211
    return code


@kernel
def _has_yield(
    found: int,
    item: int,
    next_found: Indices,
    hashes: Integers,
    yields: Indices,
    yield_starts: Integers,
    yield_stops: Integers,
) -> bool:
    """Whether one of the items found has the yield of `item`."""
    while found >= 0:
        if hashes[found] == hashes[item] and np.array_equal(
            yields[yield_starts[found] : yield_stops[found]], yields[yield_starts[item] : yield_stops[item]]
        ):
            return True
        found = next_found[found]
    return False
