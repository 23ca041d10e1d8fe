"""Constituency trees as flat arrays: one entry a node, in preorder, spans half-open."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from laconic.errors import LaconicError

Span = tuple[str, int, int]
"""A labelled span (label, start, end): it covers the words start, …, end - 1."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A phrase-structure tree over `words`.

    Nodes are numbered in preorder, so node 0 is the root, a parent comes before its children and a
    subtree is a contiguous range. Node k has label `labels[k]`, parent `parents[k]` (-1 for the root)
    and covers `words[starts[k]:ends[k]]`. A node without children is a preterminal: its label is a
    part-of-speech tag and it covers exactly one word. Only the root's label may be empty, as in the
    unlabelled outer bracket of the Penn Treebank.

    >>> tree = Tree.from_nested(("S", ("NP", ("NNS", "Stocks")), ("VP", ("VBD", "fell"))))
    >>> tree.spans
    (('S', 0, 2), ('NP', 0, 1), ('VP', 1, 2))
    >>> tree.production(0)
    ('S', ('NP', 'VP'))
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        count = len(self.labels)
        if not count == len(self.parents) == len(self.starts) == len(self.ends):
            raise LaconicError(
                f"a tree needs as many labels ({count}) as parents ({len(self.parents)}), "
                f"starts ({len(self.starts)}) and ends ({len(self.ends)})"
            )
        if not count or not self.words:
            raise LaconicError("a tree has at least one node and one word")
        if "" in self.words:
            raise LaconicError(f"word {self.words.index('')} of the tree is empty")
        if self.labels == ("",):
            raise LaconicError("a tree of one preterminal needs its tag as label")
        if "" in self.labels[1:]:
            raise LaconicError(
                f"node {self.labels.index('', 1)} of the tree has no label; only the root may have none"
            )
        if (self.parents[0], self.starts[0], self.ends[0]) != (-1, 0, len(self.words)):
            raise LaconicError(
                f"node 0 must be the root (parent -1) and cover all {len(self.words)} words, not parent "
                f"{self.parents[0]} and words {self.starts[0]} to {self.ends[0]}"
            )
        _check_preorder(self)

    @classmethod
    def from_nested(cls, nested: Sequence[Any]) -> Tree:
        """The tree of nested (label, child, …) sequences, where a preterminal is (tag, word)."""
        labels: list[str] = []
        parents: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        words: list[str] = []
        pending: list[tuple[Any, int]] = [(nested, -1)]
        while pending:
            item, parent = pending.pop()
            if isinstance(item, int):  # the mark left below: all children of this node are built
                ends[item] = len(words)
                continue
            if isinstance(item, str) or len(item) < 2 or not isinstance(item[0], str):
                raise LaconicError(f"a nested tree is (label, child, …) or (tag, word), not {item!r:.80}")
            node = len(labels)
            labels.append(item[0])
            parents.append(parent)
            starts.append(len(words))
            ends.append(len(words) + 1)
            if len(item) == 2 and isinstance(item[1], str):
                words.append(item[1])
            else:
                pending.append((node, parent))
                pending.extend((child, node) for child in reversed(item[1:]))
        return cls(tuple(labels), tuple(parents), tuple(starts), tuple(ends), tuple(words))

    @classmethod
    def from_spans(cls, words: Sequence[str], tags: Sequence[str], spans: Sequence[Span]) -> Tree:
        """The tree of phrases given as spans in any order; among equal spans, the first is the outermost."""
        if len(words) != len(tags):
            raise LaconicError(f"{len(words)} words but {len(tags)} tags")
        for label, start, end in spans:
            if not 0 <= start < end <= len(words):
                raise LaconicError(f"span ({label}, {start}, {end}) is empty or outside {len(words)} words")
        ordered = sorted(spans, key=lambda span: (span[1], -span[2]))
        if len(words) > 1 and not (ordered and ordered[0][1:] == (0, len(words))):
            raise LaconicError(f"no span covers all {len(words)} words: add one for the root")
        labels: list[str] = []
        parents: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        open_nodes = [-1]
        upcoming = 0
        for position, tag in enumerate(tags):
            while upcoming < len(ordered) and ordered[upcoming][1] == position:
                label, start, end = ordered[upcoming]
                upcoming += 1
                above = open_nodes[-1]
                if above >= 0 and end > ends[above]:
                    raise LaconicError(
                        f"spans {(labels[above], starts[above], ends[above])} and {(label, start, end)} cross"
                    )
                open_nodes.append(len(labels))
                labels.append(label)
                parents.append(above)
                starts.append(start)
                ends.append(end)
            parents.append(open_nodes[-1])
            labels.append(tag)
            starts.append(position)
            ends.append(position + 1)
            while open_nodes[-1] >= 0 and ends[open_nodes[-1]] == position + 1:
                open_nodes.pop()
        return cls(tuple(labels), tuple(parents), tuple(starts), tuple(ends), tuple(words))

    def is_preterminal(self, node: int) -> bool:
        """Whether the node is a part-of-speech tag over one word."""
        following = node + 1
        return following == len(self.parents) or self.parents[following] != node

    def subtree_end(self, node: int) -> int:
        """The first node after the subtree of `node`, whose nodes are `range(node, subtree_end(node))`.

        Starts never fall in preorder, and what follows a subtree starts where it ends: O(log nodes).
        """
        return bisect_left(self.starts, self.ends[node], lo=node)

    def children(self, node: int) -> tuple[int, ...]:
        """The children of a node from left to right; none for a preterminal."""
        end = self.subtree_end(node)
        found = []
        child = node + 1
        while child < end:
            found.append(child)
            child = self.subtree_end(child)
        return tuple(found)

    def all_children(self) -> list[tuple[int, ...]]:
        """The children of every node."""
        found: list[list[int]] = [[] for _ in self.parents]
        for node in range(1, len(self.parents)):
            found[self.parents[node]].append(node)
        return [*map(tuple, found)]

    def production(self, node: int) -> tuple[str, tuple[str, ...]]:
        """The node's label and those of its children, or its word if it is a preterminal."""
        if self.is_preterminal(node):
            return self.labels[node], (self.words[self.starts[node]],)
        return self.labels[node], tuple(self.labels[child] for child in self.children(node))

    @property
    def preterminals(self) -> tuple[int, ...]:
        """The preterminal node of every word."""
        return tuple(node for node in range(len(self.labels)) if self.is_preterminal(node))

    @property
    def tags(self) -> tuple[str, ...]:
        """The part-of-speech tag of every word."""
        return tuple(self.labels[node] for node in self.preterminals)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The labelled spans of all phrases, that is of all nodes but the preterminals, in preorder."""
        nodes = zip(self.labels, self.starts, self.ends, strict=True)
        return tuple(span for node, span in enumerate(nodes) if not self.is_preterminal(node))

    @property
    def depth(self) -> int:
        """The number of nodes on the longest path from the root to a preterminal, both included."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(1 if parent < 0 else depths[parent] + 1)
        return max(depths)

    def subtree(self, node: int) -> Tree:
        """The tree below and including a node, over its own words."""
        end = self.subtree_end(node)
        first_word = self.starts[node]
        return Tree(
            labels=self.labels[node:end],
            parents=(-1, *(parent - node for parent in self.parents[node + 1 : end])),
            starts=tuple(start - first_word for start in self.starts[node:end]),
            ends=tuple(word_end - first_word for word_end in self.ends[node:end]),
            words=self.words[first_word : self.ends[node]],
        )


def _check_preorder(tree: Tree) -> None:
    """Raise an error that names the first node at which parents and spans stop describing a preorder walk.

    The walk keeps the open nodes on a stack: a node must hang from the innermost open node and start at
    the first word not yet covered, and a node without children must cover exactly one word.
    """
    parents, starts, ends = tree.parents, tree.starts, tree.ends
    count = len(parents)
    open_nodes: list[int] = []
    position = 0
    for node in range(count):
        above = open_nodes[-1] if open_nodes else -1
        if parents[node] != above or (node and above == -1):
            raise LaconicError(
                f"node {node} ({tree.labels[node]}) has parent {parents[node]}; in preorder, with these "
                f"spans, it must be {above if above >= 0 else 'absent: the root is complete'}"
            )
        if starts[node] != position or not position < ends[node] <= (ends[above] if above >= 0 else ends[0]):
            raise LaconicError(
                f"node {node} ({tree.labels[node]}) covers words {starts[node]} to {ends[node]}; it must "
                f"start at {position}, hold a word and stay within its parent"
            )
        open_nodes.append(node)
        if node + 1 == count or parents[node + 1] != node:
            if ends[node] != position + 1:
                raise LaconicError(
                    f"node {node} ({tree.labels[node]}) has no children, so it must cover one word, "
                    f"not {ends[node] - position}"
                )
            position += 1
            while open_nodes and ends[open_nodes[-1]] == position:
                open_nodes.pop()
    if open_nodes:
        raise LaconicError(
            f"node {open_nodes[-1]} ({tree.labels[open_nodes[-1]]}) has words that no preterminal covers"
        )
