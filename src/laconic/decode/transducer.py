"""Tree transduction as a forest: every derivation of a source tree by a synchronous grammar.

Nodes of the forest are pairs of a source node and the category it becomes; an edge is a rule that matches
there (Cohn & Lapata 2009, algorithm 4). All questions to forests can then be asked: the best derivation, with
or without a language model, the k best, within a budget, with words pinned. The same matches against a given
target tree make the forest of the derivations of a pair of trees (algorithm 5).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from laconic.decode.rule_matching import Coverage, Match, ReadyRule, RuleMatcher, productions_of
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.derivation import Derivation, folded
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.shape import row_lengths
from laconic.grammar.derivations import Application, match_fragment
from laconic.grammar.fragments import Fragment
from laconic.grammar.grammar import Grammar
from laconic.grammar.word_pcfg import Production
from laconic.trees.constituency import Tree

FeaturesOf = Callable[[ReadyRule, int], Mapping[int, float]]
"""The numbered features of a rule that consumes or deletes so many source words."""


@dataclass(frozen=True, slots=True, eq=False)
class Transduction:
    """The forest of a tree's derivations, and what its numbers mean.

    Symbols below the number of source words copy those; `symbols` spells all of them. The origin of an edge is the
    number of its rule: that of the grammar, whose rules are `rules`; rules of coverage, `coverage`, follow.
    """

    tree: Tree
    forest: Hypergraph
    rules: tuple[ReadyRule, ...]
    coverage: tuple[ReadyRule, ...]
    symbols: tuple[str, ...]

    def rule(self, number: int) -> ReadyRule:
        """The rule of this number."""
        return self.rules[number] if number < len(self.rules) else self.coverage[number - len(self.rules)]

    def deletions(self) -> Transduction:
        """The same without what writes a new word or changes the order: these edges score -inf."""
        forest, count = self.forest, len(self.tree.words)
        # Where each item of each edge's template comes from: its word, or the first word below its tail.
        lengths = row_lengths(forest.item_starts)[forest.templates]
        edges = np.repeat(np.arange(forest.edge_count), lengths)
        within = np.arange(len(edges)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        items = forest.items[forest.item_starts[forest.templates][edges] + within]
        starts = np.array([self.tree.starts[cast(tuple[int, str], key)[0]] for key in forest.keys])
        tails = np.append(forest.tails, 0)[forest.tail_starts[edges] + np.maximum(~items, 0)]
        places = np.where(items >= 0, items, starts[tails])
        wrong = items >= count
        wrong[1:] |= (edges[1:] == edges[:-1]) & (places[1:] <= places[:-1])
        scores = forest.scores.copy()
        scores[edges[wrong]] = -np.inf
        return replace(self, forest=forest.rescored(scores))

    def words(self, derivation: Derivation) -> tuple[str, ...]:
        """The target sentence of a derivation."""
        return tuple(self.symbols[symbol] for symbol in derivation.symbols())

    def rewriting(self, derivation: Derivation) -> Rewriting:
        """The rules of a derivation, and where they apply."""
        forest, edges = derivation.forest, list(derivation.edges)
        heads = forest.heads[edges].tolist()
        return Rewriting(
            tuple(map(self.rule, forest.origins[edges].tolist())),
            tuple(cast(tuple[int, Hashable], forest.keys[head])[0] for head in heads),
        )

    def target(self, derivation: Derivation) -> Tree:
        """The target tree of a derivation."""
        return self.rewriting(derivation).target()


class Rewriting(NamedTuple):
    """A derivation without its forest: its rules in preorder, and the source nodes that they rewrite."""

    rules: tuple[ReadyRule, ...]
    nodes: tuple[int, ...]

    def target(self) -> Tree:
        """The target tree."""

        def build(rule: ReadyRule, below: tuple[Fragment, ...]) -> Fragment:
            return rule.rule.target.substituted(dict(enumerate(below, start=1)))

        return folded(self.rules, self._arities, build).tree()

    def application(self) -> Application:
        """Every rule applied to its node of the source tree."""

        def build(step: tuple[ReadyRule, int], below: tuple[Application, ...]) -> Application:
            rule, node = step
            return Application(rule.rule, below, node)

        return folded([*zip(self.rules, self.nodes, strict=True)], self._arities, build)

    @property
    def _arities(self) -> list[int]:
        return [len(rule.tails) for rule in self.rules]


class Transducer:
    """A synchronous grammar with the rules of coverage that are chosen, ready to transduce trees."""

    def __init__(
        self,
        grammar: Grammar,
        features_of: FeaturesOf | None = None,
        *,
        coverage: Coverage = Coverage.COPY | Coverage.DELETE,
    ) -> None:
        self._matcher = RuleMatcher(grammar, coverage)
        self._features_of = features_of or _no_features

    def transduction(self, tree: Tree, target_root: str | None = None) -> Transduction:
        """The forest of all derivations that rewrite the tree as one of this root category, by default its own.

        With the coverage of copies every tree can be copied, so that with its own root there is a derivation.
        """
        edges = _Edges(tree, self._matcher.rules, self._features_of)
        rewritten: set[tuple[int, str]] = set()
        for node, matches in self._matcher.matches(tree):
            for match in matches:
                rule, cuts = match.rule, match.cuts
                tails = [(cuts[place], category) for place, category in rule.tails]
                if rewritten.issuperset(tails):
                    head = node, rule.target
                    edges.add(head, tails, match)
                    rewritten.add(head)
        root = tree.labels[0] if target_root is None else target_root
        if (0, root) not in rewritten:
            raise InfeasibleBudget(f"no rule rewrites the root {tree.labels[0]!r} as {root!r}")
        return edges.built((0, root))

    def alignment(self, source: Tree, target: Tree) -> Transduction:
        """The forest of the derivations of a pair of trees; it is an error if there is none."""
        edges = _Edges(source, self._matcher.rules, self._features_of)
        by_label: dict[str, list[int]] = {}
        by_production: dict[Production, list[int]] = {}
        for node, production in enumerate(productions_of(target)):
            by_label.setdefault(target.labels[node], []).append(node)
            by_production.setdefault(production, []).append(node)
        aligned: set[tuple[int, int]] = set()
        for node, matches in self._matcher.matches(source):
            for match in matches:
                top = match.rule.target_top
                partners = by_label.get(match.rule.target) if top is None else by_production.get(top)
                for partner in partners or ():
                    tails = _aligned_tails(match, target, partner)
                    if tails is not None and aligned.issuperset(tails):
                        edges.add((node, partner), tails, match)
                        aligned.add((node, partner))
        if (0, 0) not in aligned:
            raise LaconicError(
                f"the grammar has no derivation that rewrites {' '.join(source.words)[:60]!r} "
                f"as {' '.join(target.words)[:60]!r}"
            )
        return edges.built((0, 0))


def _aligned_tails(match: Match, target: Tree, partner: int) -> list[tuple[int, int]] | None:
    """The pairs of nodes at a rule's variables when its target side matches at a target node, else None."""
    places = match_fragment(match.rule.rule.target, target, partner)
    if places is None:
        return None
    aligned = zip(match.rule.tails, match.rule.target_places, strict=True)
    return [(match.cuts[cut], places[place]) for (cut, _), place in aligned]


def _no_features(rule: ReadyRule, consumed: int) -> Mapping[int, float]:  # noqa: ARG001  (a FeaturesOf)
    return {}


class _Edges:
    """The edges of a forest under construction."""

    def __init__(self, tree: Tree, rules: tuple[ReadyRule, ...], features_of: FeaturesOf) -> None:
        self._tree = tree
        self._rules = rules
        self._features_of = features_of
        self._builder = ForestBuilder(range(len(tree.words)))
        self._coverage: dict[ReadyRule, int] = {}
        self._rows: dict[tuple[int, int], int] = {}
        self._new_words: dict[str, int] = {}

    def add(self, head: Hashable, tails: Sequence[Hashable], match: Match) -> None:
        """Add the edge of a rule that matches."""
        tree, rule, builder = self._tree, match.rule, self._builder
        number = rule.number
        if number is None:
            number = len(self._rules) + self._coverage.setdefault(rule, len(self._coverage))
        consumed = len(match.terminals)
        for place in rule.deleted:
            consumed += tree.ends[match.cuts[place]] - tree.starts[match.cuts[place]]
        row = self._rows.get((number, consumed))
        if row is None:
            row = self._rows[number, consumed] = builder.feature_row(self._features_of(rule, consumed))
        builder.edge(
            builder.node(head),
            [*map(builder.node, tails)],
            features=row,
            emits=self._template(match),
            origin=number,
        )

    def built(self, root: Hashable) -> Transduction:
        """The forest below a root."""
        forest = self._builder.build(self._builder.node(root))
        symbols = (*self._tree.words, *self._new_words)
        return Transduction(self._tree, forest, self._rules, tuple(self._coverage), symbols)

    def _template(self, match: Match) -> list[int]:
        starts, terminals = self._tree.starts, match.terminals
        return [
            self._new_word(item) if isinstance(item, str) else item if item < 0 else starts[terminals[item]]
            for item in match.rule.emits
        ]

    def _new_word(self, word: str) -> int:
        symbol = self._new_words.get(word)
        if symbol is None:
            symbol = self._new_words[word] = self._builder.new_symbol()
        return symbol
