"""Dependency trees as an array of heads: 0-based, -1 for the root."""

from __future__ import annotations

from collections.abc import Sequence

from laconic.errors import LaconicError


def check_heads(heads: Sequence[int]) -> None:
    """Raise an error that names the first fault unless `heads` is a tree with one root."""
    count = len(heads)
    roots = [word for word, head in enumerate(heads) if head == -1]
    if count and len(roots) != 1:
        raise LaconicError(f"a dependency tree has one root, not {len(roots)} (words {roots[:5]})")
    for word, head in enumerate(heads):
        if not -1 <= head < count:
            raise LaconicError(f"word {word} has head {head}, outside a sentence of {count} words")
    reaches_root = [head == -1 for head in heads]
    for word in range(count):
        path = []
        node = word
        while not reaches_root[node]:
            path.append(node)
            reaches_root[node] = True  # provisional: seeing the node again on this path means a cycle
            node = heads[node]
            if node in path:
                raise LaconicError(f"the heads of words {path[path.index(node):]} form a cycle")
