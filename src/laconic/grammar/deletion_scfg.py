"""Deletion grammars: which children of a phrase a compression keeps, read off pairs of trees.

A deletion SCFG rewrites a category as two sequences of children, of which the second is a subsequence of
the first: S -> <NP ADVP VP, NP VP> drops the adverb. Three ways lead from a pair of trees to such rules:
the strict matching of Knight and Marcu (2000), the alignment of least tree edits of Galley and McKeown
(2007, section 4), and, for a sentence whose compression was never parsed, its own tree over the kept words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.trees.constituency import Tree
from laconic.trees.edit_distance import align_trees
from laconic.trees.transform import ROOT_LABELS


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """A category, its children, and the positions of the children that stay.

    >>> print(PhraseRule("S", ("NP", "ADVP", "VP"), (0, 2)))
    S -> <NP ADVP VP, NP VP>
    """

    label: str
    children: tuple[str, ...]
    kept: tuple[int, ...]

    def __post_init__(self) -> None:
        ascending = list(self.kept) == sorted(set(self.kept))
        if not self.kept or not ascending or not 0 <= self.kept[0] <= self.kept[-1] < len(self.children):
            raise LaconicError(
                f"a rule keeps at least one of its {len(self.children)} children, in order, not {self.kept}"
            )

    @property
    def target(self) -> tuple[str, ...]:
        """The children that stay."""
        return tuple(self.children[child] for child in self.kept)

    def __str__(self) -> str:
        return f"{self.label} -> <{' '.join(self.children)}, {' '.join(self.target)}>"


@dataclass(frozen=True, slots=True)
class DeletionDerivation:
    """What a pair of trees says about the phrases of the source.

    `derived[v]` tells whether the pair shows what becomes of the children of phrase v, and then `kept[c]`
    whether its child c stays; what is kept elsewhere means nothing. Phrases inside what was deleted, and
    those that the compression rewrote, are not derived.
    """

    tree: Tree
    derived: tuple[bool, ...]
    kept: tuple[bool, ...]

    def rules(self) -> tuple[PhraseRule, ...]:
        """The rules of the derived phrases, from the top down."""
        return tuple(self.rule(node) for node, derived in enumerate(self.derived) if derived)

    def rule(self, node: int) -> PhraseRule:
        """The rule of a derived phrase."""
        children = self.tree.children(node)
        kept = tuple(place for place, child in enumerate(children) if self.kept[child])
        return PhraseRule(self.tree.labels[node], tuple(self.tree.labels[c] for c in children), kept)


def derive_by_words(tree: Tree, kept: Iterable[int]) -> DeletionDerivation:
    """The derivation of the kept words by the source's own tree: a phrase stays if one of its words does.

    >>> tree = Tree.from_nested(("S", ("NP", ("NN", "Rain")), ("VP", ("RB", "often"), ("VBZ", "falls"))))
    >>> [str(rule) for rule in derive_by_words(tree, [0, 2]).rules()]
    ['S -> <NP VP, NP VP>', 'NP -> <NN, NN>', 'VP -> <RB VBZ, VBZ>']
    """
    before = _kept_before(tree, kept)
    holds = tuple(before[start] < before[end] for start, end in zip(tree.starts, tree.ends, strict=True))
    derived = tuple(stays and not tree.is_preterminal(node) for node, stays in enumerate(holds))
    return DeletionDerivation(tree, derived, holds)


def derive_strictly(source: Tree, target: Tree, kept: Sequence[int]) -> DeletionDerivation:
    """The rules of Knight and Marcu (2000): phrases that correspond, with children that correspond.

    `kept` are the source positions of the target's words. A source and a target phrase correspond if they
    have the same category and the words that are left of the one are those of the other. A rule is counted
    where every child of the target phrase corresponds to a child of the source phrase.
    """
    _check_root(source, target)
    if [source.words[word] for word in kept] != list(target.words):
        raise LaconicError(
            f"the target's words {' '.join(target.words)[:60]!r} are not those kept of "
            f"{' '.join(source.words)[:60]!r}: align the trees by edits instead"
        )
    before = _kept_before(source, kept)
    # By span, the phrases of both trees from the top down; chains of unaries correspond in this order.
    spans: dict[tuple[int, int], list[int]] = {}
    for node, (start, end) in enumerate(zip(target.starts, target.ends, strict=True)):
        spans.setdefault((start, end), []).append(node)
    partners: dict[int, int] = {}
    taken: dict[tuple[int, int], int] = {}
    for node, label in enumerate(source.labels):
        span = before[source.starts[node]], before[source.ends[node]]
        candidates = spans.get(span, [])
        for place in range(taken.get(span, 0), len(candidates)):
            if target.labels[candidates[place]] == label:
                partners[node] = candidates[place]
                taken[span] = place + 1
                break
    return _derivation(source, target, partners, auxiliaries=False)


def derive_by_edits(
    source: Tree, target: Tree, *, substitutions: int = 0, auxiliaries: bool = True
) -> DeletionDerivation | None:
    """The rules along the alignment of least edits between two trees (Galley and McKeown 2007, section 4).

    None if the compression inserts a word or substitutes more than `substitutions` words. A rule is read
    off where every child of a mapped target phrase is mapped to a child of the source phrase of the same
    category or, with `auxiliaries`, to a descendant below which nothing but auxiliary trees was adjoined:
    then S -> NP (VP VP CC VP) against S -> NP VP gives S -> <NP VP, NP VP> and VP -> <VP CC VP, VP>.
    """
    _check_root(source, target)
    mapping = align_trees(source, target)
    substituted = sum(source.words[s] != target.words[t] for s, t in mapping.words)
    if len(mapping.words) < len(target.words) or substituted > substitutions:
        return None
    partners = {s: t for s, t in mapping.nodes if source.labels[s] == target.labels[t]}
    return _derivation(source, target, partners, auxiliaries=auxiliaries)


def _derivation(
    source: Tree, target: Tree, partners: dict[int, int], *, auxiliaries: bool
) -> DeletionDerivation:
    derived = [False] * len(source.labels)
    kept = [False] * len(source.labels)
    origins = {t: s for s, t in partners.items()}
    for node, image in partners.items():
        if source.is_preterminal(node):
            continue
        paths = [_path(source, node, origins.get(child, -1)) for child in target.children(image)]
        if not paths or not all(paths):
            continue
        within = [path[0] for path in paths]
        if len(set(within)) < len(within) or any(len(path) > 1 and not auxiliaries for path in paths):
            continue  # two children within one: a deeper rule than a deletion SCFG has
        if any(not _is_auxiliary_chain(source, path) for path in paths):
            continue
        for path in paths:
            for above, below in zip((node, *path), path, strict=False):
                derived[above] = kept[below] = True
    return DeletionDerivation(source, tuple(derived), tuple(kept))


def _path(tree: Tree, top: int, node: int) -> tuple[int, ...]:
    """The nodes from below `top` down to `node`; none if it is not below."""
    path = []
    while node > top:
        path.append(node)
        node = tree.parents[node]
    return tuple(reversed(path)) if node == top else ()


def _is_auxiliary_chain(tree: Tree, path: Sequence[int]) -> bool:
    """Whether each one-level tree on the path is auxiliary: its foot, the next node, has its root's category.

    That all its other leaves were deleted (note 6 of the paper) holds already: a mapping keeps ancestors, so
    what is mapped below the source phrase lies below the partners of the target's children.
    """
    return all(tree.labels[node] == tree.labels[path[-1]] for node in path)


def _kept_before(tree: Tree, kept: Iterable[int]) -> list[int]:
    stays = [False] * len(tree.words)
    for word in kept:
        if not 0 <= word < len(stays):
            raise LaconicError(f"cannot keep word {word} of a tree of {len(stays)} words")
        stays[word] = True
    before = [0]
    for stay in stays:
        before.append(before[-1] + stay)
    return before


def _check_root(source: Tree, target: Tree) -> None:
    """Trees that only one of has an outer bracket without category would be compared level against level."""
    if (source.labels[0] in ROOT_LABELS) != (target.labels[0] in ROOT_LABELS):
        raise LaconicError(
            f"one tree has the root {source.labels[0]!r}, the other {target.labels[0]!r}: give both an outer "
            "bracket by `with_root`, or neither"
        )
