"""All derivations of tiny pairs of trees and their posterior, from the definitions alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import exp, lgamma

from laconic.grammar.base_distribution import BaseDistribution
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import EPSILON, fragment_of
from laconic.grammar.grammar import AlignedTrees
from laconic.grammar.rules import Rule

NOTHING, DELETED = -2, -1
Alignment = tuple[int, ...]
"""For each source node a target node, `DELETED` or `NOTHING`."""


def all_derivations(pair: AlignedTrees) -> Iterator[Alignment]:
    """Every alignment that is a derivation, by trying all."""
    source, target, _ = pair
    choices = range(NOTHING, len(target.labels))
    for rest in product(choices, repeat=len(source.labels) - 1):
        if rules_of(pair, (0, *rest)) is not None:
            yield (0, *rest)


def rules_of(pair: AlignedTrees, alignment: Sequence[int]) -> Counter[Rule | DeletionRule] | None:
    """The rules of a derivation; None if it is none.

    Rules are made from the root down. In a derivation the target nodes at the frontier of a rule stand apart from one
    another, each within the rule's own target tree; every target node is used by the one rule that reaches it; and
    linked words belong to the same rule.
    """
    source, target, links = pair
    rules: Counter[Rule | DeletionRule] = Counter()
    of_source: dict[int, int] = {}  # word -> the rule, by its source root
    of_target: dict[int, int] = {}
    waiting = [(0, alignment[0])]
    while waiting:
        root, partner = waiting.pop()
        frontier, words = cut(
            source, root, {v for v, a in enumerate(alignment) if a != NOTHING and v != root}
        )
        of_source.update(dict.fromkeys(words, root))
        linked = [v for v in frontier if alignment[v] != DELETED]
        source_links = dict.fromkeys(frontier, EPSILON)
        source_links.update({v: number for number, v in enumerate(linked, start=1)})
        waiting += [(v, alignment[v]) for v in frontier]
        if partner == DELETED:
            if linked:
                return None
            rules[DeletionRule(fragment_of(source, root, source_links))] += 1
            continue
        target_links = {alignment[v]: number for number, v in enumerate(linked, start=1)}
        if len(target_links) < len(linked):
            return None
        if target_links.keys() == {partner}:
            reached: list[int] = [partner]
        else:
            reached, words = cut(target, partner, target_links.keys() - {partner})
            of_target.update(dict.fromkeys(words, root))
        if sorted(reached) != sorted(target_links):
            return None
        rules[Rule(fragment_of(source, root, source_links), fragment_of(target, partner, target_links))] += 1
    if any(of_source[s] != of_target.get(t) for s, t in links):
        return None
    # Below ε nothing is linked.
    deleted = {root for root, partner in enumerate(alignment) if partner == DELETED}
    return None if any(of_source[s] in deleted for s, _ in links) else rules


def cut(tree, root: int, cuts) -> tuple[list[int], list[int]]:
    """The highest of the cuts below a root from left to right, and the words above all of them."""
    frontier, words = [], []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node in cuts and node != root:
            frontier.append(node)
        elif tree.is_preterminal(node):
            words.append(tree.starts[node])
        else:
            waiting.extend(reversed(tree.children(node)))
    return frontier, words


def log_posterior(rules: Counter[Rule | DeletionRule], base: BaseDistribution, concentration: float) -> float:
    """ln p(rules) of a Dirichlet process for each pair of roots, by Gamma functions."""
    total = 0.0
    roots: Counter[tuple[str, str | None]] = Counter()
    for rule, count in rules.items():
        weight = concentration * exp(base.log_probability(rule))
        total += lgamma(weight + count) - lgamma(weight)
        roots[rule.root] += count
    return total + sum(lgamma(concentration) - lgamma(concentration + count) for count in roots.values())
