"""Probabilistic context-free grammars that generate words too, by relative frequency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from laconic.errors import LaconicError
from laconic.grammar.fragments import Fragment
from laconic.trees.constituency import Tree


class Production(NamedTuple):
    """How a node is rewritten: by the labels of its children, or, if it is a preterminal, by its word."""

    label: str
    children: tuple[str, ...]
    word: str | None = None

    @classmethod
    def at(cls, tree: Tree, node: int) -> Production:
        """The production of a tree's node."""
        label, below = tree.production(node)
        return cls(label, (), below[0]) if tree.is_preterminal(node) else cls(label, below)

    @classmethod
    def of(cls, fragment: Fragment) -> Production:
        """The production of an elementary tree's topmost node, which is no variable and not deleted."""
        if fragment.word is None and not fragment.children:
            raise LaconicError(f"{fragment} stands alone: nothing is produced there")
        return cls(fragment.label, tuple(child.label for child in fragment.children), fragment.word)


@dataclass(frozen=True, slots=True)
class WordPcfg:
    """p(production | label) = count of the production / count of the label.

    Every production of the trees it was estimated from has a probability, and those of a label sum to one;
    no other production has any.
    """

    log_probabilities: Mapping[Production, float]

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> WordPcfg:
        """The grammar of all productions of trees, down to the words.

        >>> tree = Tree.from_nested(("S", ("NP", ("NN", "rain")), ("NP", ("DT", "the"), ("NN", "rain"))))
        >>> round(WordPcfg.from_trees([tree]).log_probability(Production("NP", ("NN",))), 3)  # ln 1/2
        -0.693
        """
        counts = Counter(Production.at(tree, node) for tree in trees for node in range(len(tree.labels)))
        if not counts:
            raise LaconicError("there is no tree to make a grammar of")
        totals: Counter[str] = Counter()
        for production, count in counts.items():
            totals[production.label] += count
        return cls({found: log(count / totals[found.label]) for found, count in counts.items()})

    def log_probability(self, production: Production) -> float:
        """ln p(production | label); minus infinity for one that was never seen."""
        return self.log_probabilities.get(production, float("-inf"))
