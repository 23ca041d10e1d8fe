"""Alignment of the constituents of two trees, from the alignment of their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from laconic.errors import LaconicError
from laconic.trees.constituency import Tree

Link = tuple[int, int]
"""A (source position, target position) pair of aligned words."""


def align_constituents(source: Tree, target: Tree, links: Iterable[Link]) -> tuple[tuple[int, int], ...]:
    """The (source node, target node) pairs whose words are aligned to one another and to nothing else.

    C = {(v, w) : some (s, t) in A has both s in Y(v) and t in Y(w), and none has exactly one of the two},
    where Y is the span of a node and A the word alignment (Cohn & Lapata 2009, equation 2). Pairs are sorted.

    The words that a source node is linked to must lie in the target node, and conversely. The target nodes
    that hold them are the ancestors of the lowest one; walking up from it, the source words that a target
    node is linked to only grow in number, so the walk stops at the first node linked outside the source
    node. Time: source nodes times the depth of the target tree.
    """
    source_links: list[list[int]] = [[] for _ in source.words]
    target_links: list[list[int]] = [[] for _ in target.words]
    for s, t in links:
        if not (0 <= s < len(source.words) and 0 <= t < len(target.words)):
            raise LaconicError(
                f"link ({s}, {t}) lies outside a source of {len(source.words)} words "
                f"and a target of {len(target.words)}"
            )
        source_links[s].append(t)
        target_links[t].append(s)
    least_target, most_target = _linked_range(source, source_links)
    least_source, most_source = _linked_range(target, target_links)
    target_leaves = target.preterminals
    pairs = []
    for v, (least, most) in enumerate(zip(least_target, most_target, strict=True)):
        if least > most:
            continue
        w = target_leaves[least]
        while target.ends[w] <= most:
            w = target.parents[w]
        while w >= 0 and source.starts[v] <= least_source[w] and most_source[w] < source.ends[v]:
            pairs.append((v, w))
            w = target.parents[w]
    return tuple(sorted(pairs))


def unlinked_nodes(tree: Tree, positions: Iterable[int]) -> tuple[int, ...]:
    """The nodes, in preorder, that hold none of the words at `positions`: what deletion removed whole."""
    linked_before = [0] * (len(tree.words) + 1)
    linked = set(positions)
    for position in range(len(tree.words)):
        linked_before[position + 1] = linked_before[position] + (position in linked)
    spans = enumerate(zip(tree.starts, tree.ends, strict=True))
    return tuple(node for node, (start, end) in spans if linked_before[start] == linked_before[end])


def _linked_range(tree: Tree, links: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """For each node, the least and the most position its words are linked to; least > most if none."""
    nowhere = 1 + max((position for positions in links for position in positions), default=0)
    least = [nowhere] * len(tree.labels)
    most = [-1] * len(tree.labels)
    for leaf, positions in zip(tree.preterminals, links, strict=True):
        least[leaf] = min(positions, default=nowhere)
        most[leaf] = max(positions, default=-1)
    # In preorder a parent comes before its children, so the reverse order completes children first.
    for node in range(len(tree.labels) - 1, 0, -1):
        parent = tree.parents[node]
        least[parent] = min(least[parent], least[node])
        most[parent] = max(most[parent], most[node])
    return least, most
