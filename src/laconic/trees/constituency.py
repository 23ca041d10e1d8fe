"""Constituency trees as flat arrays: one entry a node, in preorder, spans half-open."""

from __future__ import annotations

from dataclasses import dataclass

from laconic.errors import LaconicError


@dataclass(frozen=True, slots=True)
class Tree:
    """A phrase-structure tree over `words`.

    Nodes are numbered in preorder, so node 0 is the root, a parent comes before its children and a
    subtree is a contiguous range. Node k has label `labels[k]`, parent `parents[k]` (-1 for the root)
    and covers `words[starts[k]:ends[k]]`. A node without children is a preterminal: its label is a
    part-of-speech tag and it covers exactly one word.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    words: tuple[str, ...]
