"""Pure functions from trees to trees: without traces, function tags or dropped words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, compress

from laconic.errors import LaconicError
from laconic.trees.constituency import Tree

EMPTY_TAG = "-NONE-"
"""The part-of-speech tag of traces and other empty elements in the Penn Treebank."""

ROOT_LABELS = frozenset({"", "ROOT", "TOP", "S1"})
"""The labels under which treebanks and parsers put the outermost bracket."""


def restrict(tree: Tree, kept: Iterable[int]) -> Tree | None:
    """The tree of the words at the given indices: other words, and nodes left without words, are deleted.

    This is the source-side tree of a compression; None if nothing is kept.

    >>> tree = Tree.from_nested(("S", ("NP", ("DT", "The"), ("NN", "sun")), ("VP", ("VBZ", "shines"))))
    >>> restrict(tree, [2]).spans
    (('S', 0, 1), ('VP', 0, 1))
    """
    count = len(tree.words)
    stays = [False] * count
    for word in kept:
        if not 0 <= word < count:
            raise LaconicError(f"cannot keep word {word} of a tree of {count} words")
        stays[word] = True
    return _without(tree, stays)


def remove_empty(tree: Tree) -> Tree | None:
    """The tree without empty elements (`-NONE-`) and the phrases they leave empty; None if no word stays."""
    stays = [tag != EMPTY_TAG for tag in tree.tags]
    return tree if all(stays) else _without(tree, stays)


def _without(tree: Tree, stays: Sequence[bool]) -> Tree | None:
    # kept_before[i]: how many of the words 0, …, i - 1 stay, which is the new index of word i
    kept_before = list(accumulate(stays, initial=0))
    if not kept_before[-1]:
        return None
    starts = [kept_before[start] for start in tree.starts]
    ends = [kept_before[end] for end in tree.ends]
    nodes = [node for node, (start, end) in enumerate(zip(starts, ends, strict=True)) if start < end]
    renumbered = {node: place for place, node in enumerate(nodes)}
    return Tree(
        labels=tuple([tree.labels[node] for node in nodes]),
        parents=(-1, *[renumbered[tree.parents[node]] for node in nodes[1:]]),
        starts=tuple([starts[node] for node in nodes]),
        ends=tuple([ends[node] for node in nodes]),
        words=tuple(compress(tree.words, stays)),
    )


def bare_label(label: str) -> str:
    """The category of a label without function tags, indices and gaps.

    >>> [bare_label(label) for label in ("NP-SBJ-1", "S=2", "-LRB-", "PRP$", "-")]
    ['NP', 'S', '-LRB-', 'PRP$', '-']
    """
    if label[:1] in ("-", "="):  # tags such as -LRB-, -NONE- and the dash are whole
        return label
    return label.partition("-")[0].partition("=")[0]


def strip_functions(tree: Tree) -> Tree:
    """The tree with bare categories as labels: NP-SBJ-1 becomes NP."""
    return replace(tree, labels=tuple(bare_label(label) for label in tree.labels))


def with_root(tree: Tree, label: str = "ROOT") -> Tree:
    """The tree under a root of this label, which replaces an outermost bracket without category."""
    if tree.labels[0] in ROOT_LABELS | {label} and not tree.is_preterminal(0):
        return replace(tree, labels=(label, *tree.labels[1:]))
    return Tree(
        labels=(label, *tree.labels),
        parents=(-1, 0, *(parent + 1 for parent in tree.parents[1:])),
        starts=(0, *tree.starts),
        ends=(len(tree.words), *tree.ends),
        words=tree.words,
    )


def without_root(tree: Tree) -> Tree:
    """The tree below an outermost bracket without a category, unless that bracket holds several children."""
    while tree.labels[0] in ROOT_LABELS and len(tree.children(0)) == 1:
        tree = tree.subtree(1)
    return tree
