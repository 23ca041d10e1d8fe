"""All derivations by a probabilistic grammar that derives what it deletes, by trying every rule at every node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product

from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.derivations import match_fragment
from laconic.grammar.fragments import EPSILON, Fragment
from laconic.grammar.rule_probabilities import copying_rule, deleting_rule
from laconic.grammar.rule_table import AnyRule
from laconic.grammar.word_pcfg import Production
from laconic.trees.constituency import Tree

Derived = tuple[Counter[AnyRule], Fragment | None]
"""The rules of a derivation and its target tree, None where all is deleted."""


def with_coverage(known: Mapping[AnyRule, float], unseen: Mapping, tree: Tree) -> dict[AnyRule, float]:  # type: ignore[type-arg]
    """The rules with those that copy and delete every production of a tree."""
    rules = dict(known)
    for node in range(len(tree.labels)):
        for make in (copying_rule, deleting_rule):
            rule = make(Production.at(tree, node))
            rules.setdefault(rule, unseen.get(rule.root, 0.0))
    return rules


def all_derivations(
    tree: Tree, rules: Mapping[AnyRule, float], node: int, becomes: str | None
) -> Iterator[Derived]:
    """Every derivation that rewrites the subtree of a node as this category, or deletes it."""
    for rule in rules:
        places = match_fragment(rule.source, tree, node)
        if places is None or rule.root[1] != becomes:
            continue
        labels = (
            {}
            if isinstance(rule, DeletionRule)
            else {leaf.link: leaf.label for leaf in rule.target.variables}
        )
        cuts = [
            (place, leaf.link)
            for place, leaf in zip(places, rule.source.frontier(), strict=True)
            if leaf.link is not None
        ]
        parts = [list(all_derivations(tree, rules, place, labels.get(link))) for place, link in cuts]
        for below in product(*parts):
            used = sum((counts for counts, _ in below), Counter({rule: 1}))
            variables = {
                link: part for (_, link), (_, part) in zip(cuts, below, strict=True) if link != EPSILON
            }
            yield used, None if isinstance(rule, DeletionRule) else rule.target.substituted(variables)  # type: ignore[arg-type]
