"""Probabilistic context-free grammars by counting productions, with room for those never seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

from laconic.errors import LaconicError
from laconic.grammar.witten_bell import log_interpolated
from laconic.trees.constituency import Tree
from laconic.trees.transform import bare_label

Children = tuple[str, ...]


@dataclass(frozen=True)
class Pcfg:
    """p(children | label), by relative frequency interpolated with a distribution over all sequences of labels.

    With N productions of T kinds seen for a label (Witten and Bell 1991) and L labels in all, the unknown one
    included,

        p(children | label) = (count + T · p₀(children)) / (N + T),    p₀(n children) = (1 / 2L)ⁿ,

    so that every production has a probability and those of a label sum to one. Words are not generated: tags
    are the leaves.
    """

    counts: Mapping[str, Mapping[Children, int]]
    label_count: int

    @classmethod
    def from_counts(cls, counts: Mapping[str, Mapping[Children, int]]) -> Pcfg:
        """The grammar of counted productions."""
        if not counts:
            raise LaconicError("there is no production to make a grammar of")
        labels = {*counts, *(child for rules in counts.values() for rule in rules for child in rule)}
        return cls(counts, len(labels) + 1)

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> Pcfg:
        """The grammar of the productions of trees, by bare categories.

        >>> tree = Tree.from_nested(("S", ("NP", ("NN", "Rain")), ("VP", ("VBD", "fell"))))
        >>> round(Pcfg.from_trees([tree]).log_probability("S", ("NP", "VP")), 3)  # ln (1 + 12⁻²) / 2
        -0.686
        """
        counts: dict[str, Counter[Children]] = {}
        for tree in trees:
            for label, children in productions(tree):
                counts.setdefault(label, Counter())[children] += 1
        return cls.from_counts(counts)

    def log_probability(self, label: str, children: Children) -> float:
        """ln p(children | label)."""
        return log_interpolated(
            self.counts.get(label, {}), children, -len(children) * log(2 * self.label_count)
        )


def productions(tree: Tree) -> Iterable[tuple[str, Children]]:
    """The (category, categories of the children) of every phrase, from the top down."""
    labels = [bare_label(label) for label in tree.labels]
    for node, label in enumerate(labels):
        children = tree.children(node)
        if children:
            yield label, tuple(labels[child] for child in children)
