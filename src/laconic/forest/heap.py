"""Pairing heaps of numbered things, whose keys and links lie in arrays; -1 is the empty heap."""

from __future__ import annotations

from laconic.arrays import Float64, Int64
from laconic.forest.shape import as_int64
from laconic.kernel import inner_kernel

CHILD, SIBLING = 0, 1  # the columns of links


@inner_kernel
def joined(heap: int, other: int, keys: Float64, links: Int64) -> int:
    """The heap of both; the thing of greatest key comes first, among equals that of the lower number."""
    if heap < 0:
        return other
    if other < 0:
        return heap
    if keys[other] > keys[heap] or (keys[other] == keys[heap] and other < heap):
        heap, other = other, heap
    links[other, SIBLING] = links[heap, CHILD]
    links[heap, CHILD] = other
    return heap


@inner_kernel
def without_first(heap: int, keys: Float64, links: Int64) -> int:
    """The heap without its first: its children are joined in pairs, then the pairs, last first."""
    pairs, following = as_int64(-1), int(links[heap, CHILD])
    while following >= 0:
        left, right = following, int(links[following, SIBLING])
        following = right
        if right >= 0:
            following = int(links[right, SIBLING])
            left = joined(left, right, keys, links)
        links[left, SIBLING] = pairs
        pairs = left
    rest = following
    while pairs >= 0:
        pair = pairs
        pairs = int(links[pair, SIBLING])
        rest = joined(rest, pair, keys, links)
    return rest
