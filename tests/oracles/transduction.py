"""All derivations of a tree by a synchronous grammar, found by trying every rule at every node."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from laconic.grammar.coverage import copy_rule, copy_word_rule, delete_rules
from laconic.grammar.derivations import Application, match_fragment
from laconic.grammar.rules import Rule
from laconic.trees.constituency import Tree


def coverage_rules(tree: Tree) -> set[Rule]:
    """The copies and deletions of all productions of a tree."""
    rules: set[Rule] = set()
    for node in range(len(tree.labels)):
        label, children = tree.production(node)
        if tree.is_preterminal(node):
            rules.add(copy_word_rule(label, children[0]))
        else:
            rules |= {copy_rule(label, children), *delete_rules(label, children)}
    return rules


def all_derivations(tree: Tree, rules: set[Rule], root: str) -> Iterator[Application]:
    """Every derivation that rewrites the tree as one of this root category."""

    def derive(node: int, category: str) -> Iterator[Application]:
        for rule in rules:
            places = match_fragment(rule.source, tree, node)
            if places is None or rule.target.label != category:
                continue
            variables = [
                place for place, leaf in zip(places, rule.source.frontier(), strict=True) if leaf.link
            ]
            parts = [
                list(derive(place, target))
                for place, (_, target) in zip(variables, rule.variables, strict=True)
            ]
            yield from (Application(rule, below, node) for below in product(*parts))

    yield from derive(0, root)
