"""The least edits between two trees, and a mapping of their nodes (Zhang and Shasha 1989)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Int32
from laconic.kernel import kernel
from laconic.trees.constituency import Tree

_WORD, _TAG, _PHRASE = range(3)
# A word is never relabelled as a category or the reverse: to delete one and insert the other costs less.
_UNLIKE = 3


@dataclass(frozen=True, slots=True)
class TreeMapping:
    """A mapping of least cost from a source tree to a target tree; it keeps ancestors and the order of words.

    `nodes` holds (source node, target node) and `words` (source word, target word), both ascending. What
    is not mapped is deleted from the source or inserted in the target, and what is mapped under another
    label or word is substituted: `distance` is the number of all these.
    """

    distance: int
    nodes: tuple[tuple[int, int], ...]
    words: tuple[tuple[int, int], ...]


class _Postorder(NamedTuple):
    """A tree whose nodes and words are numbered in postorder, as the recurrence needs it."""

    symbols: Int32  # the label or the word as a number
    kinds: Int32  # _WORD, _TAG or _PHRASE
    origins: Int32  # the word, or the node in preorder, that it stands for
    leftmost: Int32  # the leftmost word below, itself if it is one


def tree_edit_distance(source: Tree, target: Tree) -> int:
    """The least number of deletions, insertions and substitutions of nodes and words between two trees.

    Time is at most the product of both sizes and of both numbers of leaves, and usually far less.

    >>> short = Tree.from_nested(("S", ("NP", ("NN", "Rain")), ("VP", ("VBD", "fell"))))
    >>> long = Tree.from_nested(("S", ("NP", ("JJ", "Hard"), ("NN", "rain")), ("VP", ("VBD", "fell"))))
    >>> tree_edit_distance(long, short)
    3
    """
    left, right = _postorders(source, target)
    return int(_distances(left, right)[-1, -1])


def align_trees(source: Tree, target: Tree) -> TreeMapping:
    """A mapping of least cost between two trees.

    Among mappings of equal cost, one that aligns words to later appearances and phrases to the lower of
    nested ones, so that in (VP (VP …) CC (VP …)) what is left of a coordination is a conjunct.
    """
    left, right = _postorders(source, target)
    distances = _distances(left, right)
    pairs = _mapping(left, right, distances)
    is_word = left.kinds[pairs[:, 0]] == _WORD
    originals = np.stack((left.origins[pairs[:, 0]], right.origins[pairs[:, 1]]), axis=1)

    def ascending(chosen: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
        return tuple(sorted((a, b) for a, b in originals[chosen].tolist()))

    return TreeMapping(int(distances[-1, -1]), ascending(~is_word), ascending(is_word))


def _postorders(source: Tree, target: Tree) -> tuple[_Postorder, _Postorder]:
    numbers: dict[tuple[bool, str], int] = {}

    def numbered(tree: Tree) -> _Postorder:
        labels = [numbers.setdefault((False, label), len(numbers)) for label in tree.labels]
        words = [numbers.setdefault((True, word), len(numbers)) for word in tree.words]
        return _postorder(
            np.array(tree.parents, dtype=np.int32),
            np.array(tree.starts, dtype=np.int32),
            np.array(labels, dtype=np.int32),
            np.array(words, dtype=np.int32),
        )

    return numbered(source), numbered(target)


@kernel
def _postorder(parents: Int32, starts: Int32, labels: Int32, words: Int32) -> _Postorder:
    size = len(parents) + len(words)
    symbols, kinds = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    origins, leftmost = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    leaves = np.empty(len(words), dtype=np.int32)
    stack = np.empty(len(parents), dtype=np.int32)
    depth, position = 0, 0
    for node in range(len(parents) + 1):
        # What is open and not above this node is complete.
        while depth and (node == len(parents) or stack[depth - 1] != parents[node]):
            depth -= 1
            done = stack[depth]
            symbols[position], origins[position] = labels[done], done
            leftmost[position] = leaves[starts[done]]
            kinds[position] = _TAG if _is_tag(parents, done) else _PHRASE
            position += 1
        if node == len(parents):
            break
        stack[depth] = node
        depth += 1
        if _is_tag(parents, node):
            word = starts[node]
            symbols[position], kinds[position], origins[position] = words[word], _WORD, word
            leftmost[position] = leaves[word] = position
            position += 1
    return _Postorder(symbols, kinds, origins, leftmost)


@kernel
def _is_tag(parents: Int32, node: int) -> bool:
    return node + 1 == len(parents) or parents[node + 1] != node


@kernel
def _relabelling(left: _Postorder, right: _Postorder, i: int, j: int) -> int:
    if (left.kinds[i] == _WORD) != (right.kinds[j] == _WORD):
        return _UNLIKE
    return 0 if left.symbols[i] == right.symbols[j] else 1


@kernel
def _key_roots(leftmost: Int32) -> Int32:
    """The nodes that have a left sibling, and the root: the last of all nodes with the same leftmost leaf."""
    last = np.full(len(leftmost), -1, dtype=np.int32)
    for node in range(len(leftmost)):
        last[leftmost[node]] = node
    return np.sort(last[last >= 0])


@kernel
def _forest_distances(
    left: _Postorder, right: _Postorder, i: int, j: int, trees: Int32, forests: Int32
) -> None:
    """Fill `forests` for the subtrees of i and j; row and column 0 are the empty forest.

    With l(x) the leftmost leaf below x, F(a, b) the distance of the forests l(i)…a and l(j)…b, and D that
    of two trees:
        F(a, b) = min { F(a-1, b) + 1,  F(a, b-1) + 1,
                        F(a-1, b-1) + γ(a, b)             if both forests are trees, which gives D(a, b),
                        F(l(a)-1, l(b)-1) + D(a, b)       if not }
    """
    first_i, first_j = left.leftmost[i], right.leftmost[j]
    forests[0, 0] = 0
    for a in range(first_i, i + 1):
        forests[a - first_i + 1, 0] = a - first_i + 1
    for b in range(first_j, j + 1):
        forests[0, b - first_j + 1] = b - first_j + 1
    for a in range(first_i, i + 1):
        row = a - first_i + 1
        for b in range(first_j, j + 1):
            column = b - first_j + 1
            best = min(forests[row - 1, column], forests[row, column - 1]) + 1
            if left.leftmost[a] == first_i and right.leftmost[b] == first_j:
                best = min(best, forests[row - 1, column - 1] + _relabelling(left, right, a, b))
                trees[a, b] = best
            else:
                above = forests[left.leftmost[a] - first_i, right.leftmost[b] - first_j]
                best = min(best, above + trees[a, b])
            forests[row, column] = best


@kernel
def _distances(left: _Postorder, right: _Postorder) -> Int32:
    """D(i, j) for all pairs of subtrees."""
    trees = np.empty((len(left.symbols), len(right.symbols)), dtype=np.int32)
    forests = np.empty((len(left.symbols) + 1, len(right.symbols) + 1), dtype=np.int32)
    for i in _key_roots(left.leftmost):
        for j in _key_roots(right.leftmost):
            _forest_distances(left, right, i, j, trees, forests)
    return trees


@kernel
def _mapping(left: _Postorder, right: _Postorder, trees: Int32) -> Int32:
    """The pairs of a mapping of cost D(root, root), by tracing the recurrence back from both roots."""
    pairs = np.empty((min(trees.shape), 2), dtype=np.int32)
    pending = np.empty((min(trees.shape), 2), dtype=np.int32)
    forests = np.empty((trees.shape[0] + 1, trees.shape[1] + 1), dtype=np.int32)
    pending[0, 0], pending[0, 1] = trees.shape[0] - 1, trees.shape[1] - 1
    waiting, size = 1, 0
    while waiting:
        waiting -= 1
        i, j = pending[waiting, 0], pending[waiting, 1]
        _forest_distances(left, right, i, j, trees, forests)
        first_i, first_j = left.leftmost[i], right.leftmost[j]
        a, b = i, j
        while a >= first_i and b >= first_j:
            row, column = a - first_i + 1, b - first_j + 1
            here = forests[row, column]
            whole = left.leftmost[a] == first_i and right.leftmost[b] == first_j
            if whole:
                mapped = forests[row - 1, column - 1] + _relabelling(left, right, a, b) == here
            else:
                above = forests[left.leftmost[a] - first_i, right.leftmost[b] - first_j]
                mapped = above + trees[a, b] == here
            deleted = forests[row - 1, column] + 1 == here
            if deleted and (left.kinds[a] == _PHRASE or not mapped):
                a -= 1
            elif mapped and whole:
                pairs[size, 0], pairs[size, 1] = a, b
                size += 1
                a, b = a - 1, b - 1
            elif mapped:
                pending[waiting, 0], pending[waiting, 1] = a, b
                waiting += 1
                a, b = left.leftmost[a] - 1, right.leftmost[b] - 1
            else:
                b -= 1
    return pairs[:size]
