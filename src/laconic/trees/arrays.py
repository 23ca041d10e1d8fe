"""Trees as flat integer arrays, for compiled kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Int32
from laconic.trees.constituency import Tree

Nodes = Int32


class TreeArrays(NamedTuple):
    """One int32 entry a node, in preorder; -1 where there is no such node."""

    parents: Nodes
    starts: Nodes
    ends: Nodes
    first_children: Nodes
    next_siblings: Nodes
    subtree_ends: Nodes


def tree_arrays(tree: Tree) -> TreeArrays:
    """The structure of a tree as arrays; labels and words are left to the caller's vocabularies."""
    parents = np.array(tree.parents, dtype=np.int32)
    starts = np.array(tree.starts, dtype=np.int32)
    ends = np.array(tree.ends, dtype=np.int32)
    count = len(parents)
    nodes = np.arange(count, dtype=np.int32)
    # What follows a subtree is the first node, behind its top, that starts where the subtree ends.
    subtree_ends = np.searchsorted(starts, ends, side="left").astype(np.int32)
    first_children = np.where(subtree_ends > nodes + 1, nodes + 1, -1).astype(np.int32)
    following = np.minimum(subtree_ends, count - 1)
    has_sibling = (subtree_ends < count) & (parents[following] == parents)
    next_siblings = np.where(has_sibling, subtree_ends, -1).astype(np.int32)
    return TreeArrays(parents, starts, ends, first_children, next_siblings, subtree_ends)
