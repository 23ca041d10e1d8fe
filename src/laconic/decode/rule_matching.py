"""Which rules of a synchronous grammar match where in a tree: a trie over source fragments.

A source fragment is written as the choices that carve it out of a tree: in preorder, every node is either
expanded by its production or left as frontier. Fragments that begin alike share the beginning of their
path, so that one walk over the tree finds all rules that match at a node, whatever their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto
from functools import cached_property, lru_cache
from typing import NamedTuple

from laconic.forest.hypergraph import slot
from laconic.grammar.coverage import copy_rule, copy_word_rule, delete_rules
from laconic.grammar.fragments import EPSILON, Fragment
from laconic.grammar.grammar import Grammar
from laconic.grammar.rule_features import RuleType
from laconic.grammar.rules import Rule
from laconic.grammar.word_pcfg import Production
from laconic.trees.constituency import Tree

_FRONTIER = None


def productions_of(tree: Tree) -> list[Production]:
    """The productions at all nodes of a tree."""
    labels = tree.labels
    return [
        Production(
            label, tuple([labels[child] for child in children]), None if children else tree.words[start]
        )
        for label, children, start in zip(labels, tree.all_children(), tree.starts, strict=True)
    ]


class Coverage(Flag):
    """Which rules a matcher adds to those of the grammar, so that trees nobody has seen are covered too.

    COPY copies productions, DELETE drops children, at once with all below them.
    """

    NONE = 0
    COPY = auto()
    DELETE = auto()


class ReadyRule:
    """A rule as the search uses it, with what is worked out once.

    `tails` are the (place among the cuts, target category) of variables 1, 2, …; `deleted` are the places of nodes that
    are deleted; `emits` is the template of the target: a slot, the number of the source terminal that is copied, or a
    new word. `count` is how often the rule was extracted, `number` its place in the grammar, None for rules of
    coverage.
    """

    def __init__(self, rule: Rule, types: RuleType, count: int = 0, *, number: int | None = None) -> None:
        self.rule = rule
        self.types = types
        self.count = count
        self.number = number
        self.target = rule.target.label
        cuts = [leaf.link for leaf in rule.source.frontier() if leaf.link is not None]
        self.tails = tuple(
            (cuts.index(link), category) for link, (_, category) in enumerate(rule.variables, start=1)
        )
        self.deleted = tuple(place for place, link in enumerate(cuts) if link == EPSILON)

    @cached_property
    def emits(self) -> tuple[int | str, ...]:
        """Slots as negative numbers, copied source terminals as numbers, new words as text."""
        free = list(enumerate(self.rule.source.words))
        template: list[int | str] = []
        for leaf in self.rule.target.frontier():
            if leaf.link:
                template.append(slot(leaf.link - 1))
            if leaf.word is None:
                continue
            copied = next((item for item in free if item[1] == leaf.word), None)
            if copied is not None:
                free.remove(copied)
            template.append(leaf.word if copied is None else copied[0])
        return tuple(template)

    @cached_property
    def target_top(self) -> Production | None:
        """The production at the top of the target side; None if that is a variable alone, or nothing."""
        return next(productions_in(self.rule.target))

    @cached_property
    def target_places(self) -> tuple[int, ...]:
        """The places of variables 1, 2, … on the frontier of the target side."""
        links = [leaf.link for leaf in self.rule.target.frontier()]
        return tuple(links.index(number) for number in range(1, len(self.tails) + 1))


class Match(NamedTuple):
    """A rule that matches: the tree's nodes at its cuts, and those over its source terminals."""

    rule: ReadyRule
    cuts: tuple[int, ...]
    terminals: tuple[int, ...]


@dataclass(slots=True)
class _TrieNode:
    branches: dict[Production | None, _TrieNode]
    rules: list[ReadyRule]


class RuleMatcher:
    """The rules of a grammar and the rules of coverage that are chosen, ready to be matched.

    `rules` are those of the grammar, in its order.
    """

    def __init__(self, grammar: Grammar, coverage: Coverage = Coverage.COPY | Coverage.DELETE) -> None:
        self._root = _TrieNode({}, [])
        self._known = frozenset(grammar.rules)
        self._choice = coverage
        self.rules = tuple(
            ReadyRule(rule, RuleType.EXTRACTED | _coverage_types(rule), count, number=number)
            for number, (rule, count) in enumerate(zip(grammar.rules, grammar.counts, strict=True))
        )
        for ready in self.rules:
            node = self._root
            for choice in productions_in(ready.rule.source):
                node = node.branches.setdefault(choice, _TrieNode({}, []))
            node.rules.append(ready)
        self._coverage = lru_cache(maxsize=1 << 16)(self._new_coverage)

    def matches(self, tree: Tree) -> Iterator[tuple[int, list[Match]]]:
        """Every node, children before parents, with the rules that match there: extracted, then coverage."""
        productions, children = productions_of(tree), tree.all_children()
        for node in reversed(range(len(tree.labels))):
            found = self._extracted(node, productions, children)
            cuts = children[node]
            terminals = () if cuts else (node,)
            found.extend(Match(rule, cuts, terminals) for rule in self._coverage(productions[node]))
            yield node, found

    def _extracted(
        self, top: int, productions: list[Production], children: list[tuple[int, ...]]
    ) -> list[Match]:
        first = self._root.branches.get(productions[top])
        if first is None:
            return []
        found: list[Match] = []
        # (place in the trie, nodes to choose for, cuts, terminals); the nodes as a linked list, next first
        start = _linked(children[top], None)
        states: list[tuple[_TrieNode, _Nodes, tuple[int, ...], tuple[int, ...]]] = [
            (first, start, (), () if children[top] else (top,))
        ]
        while states:
            place, upcoming, cuts, terminals = states.pop()
            if upcoming is None:
                found.extend(Match(rule, cuts, terminals) for rule in place.rules)
                continue
            node, after = upcoming
            left = place.branches.get(_FRONTIER)
            if left is not None:
                states.append((left, after, (*cuts, node), terminals))
            expanded = place.branches.get(productions[node])
            if expanded is not None:
                if children[node]:
                    states.append((expanded, _linked(children[node], after), cuts, terminals))
                else:
                    states.append((expanded, after, cuts, (*terminals, node)))
        return found

    def _new_coverage(self, production: Production) -> tuple[ReadyRule, ...]:
        """The rules of coverage for a production that the grammar does not have already."""
        label, children, word = production
        copy = copy_rule(label, children) if word is None else copy_word_rule(label, word)
        rules = [copy] if Coverage.COPY in self._choice else []
        if Coverage.DELETE in self._choice and word is None:
            rules += delete_rules(label, children)
        return tuple(
            ReadyRule(rule, RuleType.COPY if rule == copy else RuleType.DELETE)
            for rule in dict.fromkeys(rules)
            if rule not in self._known
        )


_Nodes = tuple[int, "_Nodes"] | None


def _linked(nodes: tuple[int, ...], after: _Nodes) -> _Nodes:
    for node in reversed(nodes):
        after = (node, after)
    return after


def productions_in(fragment: Fragment) -> Iterator[Production | None]:
    """The productions at the nodes of a fragment, in preorder; None where it is left as frontier."""
    for node in fragment.nodes():
        yield _FRONTIER if node.word is None and not node.children else Production.of(node)


def _coverage_types(rule: Rule) -> RuleType:
    """Whether the rule is a copy or a deletion as coverage makes them."""
    source = rule.source
    if source.word is not None:
        return RuleType.COPY if rule.target == source else RuleType(0)
    if any(child.link is None for child in source.children):
        return RuleType(0)
    children = tuple(child.label for child in source.children)
    if rule == copy_rule(source.label, children):
        return RuleType.COPY
    return RuleType.DELETE if rule in delete_rules(source.label, children) else RuleType(0)
