"""From a state of the sampler to the rules of its derivations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from laconic.errors import LaconicError
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import EPSILON as DELETED
from laconic.grammar.fragments import fragment_of
from laconic.grammar.rule_table import AnyRule
from laconic.grammar.rules import Rule
from laconic.learn.gibbs.corpus import EPSILON, UNALIGNED, Nodes, SampledPairs
from laconic.trees.constituency import Tree


def derived_rules(pairs: SampledPairs, alignment: Nodes) -> Counter[AnyRule]:
    """The rules that derive all pairs, with the number of times that each is used."""
    if len(alignment) != pairs.source_starts[-1]:
        raise LaconicError(
            f"an alignment of {len(alignment)} source nodes is none of pairs with {pairs.source_starts[-1]}"
        )
    counts: Counter[AnyRule] = Counter()
    for number, (source, target, _) in enumerate(pairs.pairs):
        start, end = pairs.source_starts[number : number + 2]
        before = pairs.target_starts[number]
        partners = [j - before if j >= 0 else j for j in alignment[start:end].tolist()]
        counts.update(_rules(source, target, partners))
    return counts


def _rules(source: Tree, target: Tree, partners: Sequence[int]) -> Iterator[AnyRule]:
    for root, partner in enumerate(partners):
        if partner == UNALIGNED:
            continue
        source_links: dict[int, int] = {}
        target_links: dict[int, int] = {}
        for node in _frontier(source, root, partners):
            if partners[node] == EPSILON:
                source_links[node] = DELETED
            else:
                source_links[node] = target_links[partners[node]] = len(target_links) + 1
        tree = fragment_of(source, root, source_links)
        yield (
            DeletionRule(tree)
            if partner == EPSILON
            else Rule(tree, fragment_of(target, partner, target_links))
        )


def _frontier(source: Tree, root: int, partners: Sequence[int]) -> Iterator[int]:
    """The next aligned nodes below a root, from left to right."""
    waiting = list(reversed(source.children(root)))
    while waiting:
        node = waiting.pop()
        if partners[node] != UNALIGNED:
            yield node
        else:
            waiting.extend(reversed(source.children(node)))
