"""Tree transduction as a forest: every derivation of a source tree by a synchronous grammar.

Nodes of the forest are pairs of a source node and the category it becomes; an edge is a rule that matches
there (Cohn & Lapata 2009, algorithm 4). All questions to forests can then be asked: the best derivation, with
or without a language model, the k best, within a budget, with words pinned. The same matches against a given
target tree make the forest of the derivations of a pair of trees (algorithm 5).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64, Int32
from laconic.decode.rule_matching import Coverage, Match, Production, ReadyRule, RuleMatcher, production_of
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.assembly import assemble
from laconic.forest.derivation import Derivation
from laconic.forest.edges import EdgeArrays, Pools
from laconic.forest.hypergraph import Hypergraph
from laconic.grammar.derivations import Application, match_fragment
from laconic.grammar.fragments import EMPTY, Fragment
from laconic.grammar.grammar import Grammar
from laconic.trees.constituency import Tree


class FeatureRow(NamedTuple):
    """Numbered features of a rule and their values."""

    indices: Int32
    values: Float64


_NOWHERE = -1  # the target node that a source node is aligned with if nothing is left of it
FeaturesOf = Callable[[ReadyRule, int], FeatureRow]
"""The features of a rule that consumes or deletes so many source words."""


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

    def weighted(self, weights: ArrayLike, coverage: ArrayLike = 0.0) -> Transduction:
        """The same with every edge scored by its rule: a weight for each of the grammar, one or more for coverage."""
        every = np.concatenate(
            (np.asarray(weights, np.float64), np.broadcast_to(coverage, len(self.coverage)))
        )
        if len(every) != len(self.rules) + len(self.coverage):
            raise LaconicError(
                f"{len(self.rules)} rules but {len(every) - len(self.coverage)} weights of rules"
            )
        return replace(self, forest=self.forest.rescored(every[self.forest.origins]))

    def deletions(self) -> Transduction:
        """The same without what writes a new word or changes the order: these edges score -inf."""
        forest, count = self.forest, len(self.tree.words)
        # Where each item of each edge's template comes from: its word, or the first word below its tail.
        lengths = np.diff(forest.item_starts)[forest.templates]
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

    def target(self, derivation: Derivation) -> Tree:
        """The target tree of a derivation."""

        def build(edge: int, below: tuple[Fragment, ...]) -> Fragment:
            fragment: Fragment = self.rule(int(derivation.forest.origins[edge])).rule.target
            return fragment.substituted(dict(enumerate(below, start=1)))

        return derivation.fold(build).tree()

    def application(self, derivation: Derivation) -> Application:
        """The derivation as rules applied to nodes of the source tree, but for what leaves nothing."""
        forest = derivation.forest

        def build(edge: int, below: tuple[Application, ...]) -> Application:
            node, _ = forest.keys[forest.heads[edge]]
            rule = self.rule(int(forest.origins[edge]))
            # What is below a node that leaves nothing is no variable of its rule.
            return Application(rule.rule, below[: rule.variables], node)

        return derivation.fold(build)


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
        categories: list[set[str]] = [set() for _ in tree.labels]
        for node, matches in self._matcher.matches(tree):
            for match in matches:
                rule = match.rule
                if all(category in categories[match.cuts[place]] for place, category in rule.tails):
                    tails = [(match.cuts[place], category) for place, category in rule.tails]
                    edges.add((node, rule.target), tails, match)
                    categories[node].add(rule.target)
        root = tree.labels[0] if target_root is None else target_root
        if root not in categories[0]:
            raise InfeasibleBudget(f"no rule rewrites the root {tree.labels[0]!r} as {root!r}")
        return edges.built((0, root))

    def alignment(self, source: Tree, target: Tree) -> Transduction:
        """The forest of the derivations of a pair of trees; it is an error if there is none."""
        edges = _Edges(source, self._matcher.rules, self._features_of)
        by_label: dict[str, list[int]] = {}
        by_production: dict[Production, list[int]] = {}
        for node, label in enumerate(target.labels):
            by_label.setdefault(label, []).append(node)
            by_production.setdefault(production_of(target, node), []).append(node)
        aligned: set[tuple[int, int]] = set()
        for node, matches in self._matcher.matches(source):
            for match in matches:
                top = match.rule.target_top
                if match.rule.rule.target == EMPTY:
                    partners: Sequence[int] = (_NOWHERE,)
                elif top is None:
                    partners = by_label.get(match.rule.target, ())
                else:
                    partners = by_production.get(top, ())
                for partner in partners:
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
    erased = match.rule.variables
    nowhere = [(match.cuts[cut], _NOWHERE) for cut, _ in match.rule.tails[erased:]]
    if partner == _NOWHERE:
        return nowhere
    places = match_fragment(match.rule.rule.target, target, partner)
    if places is None:
        return None
    aligned = zip(match.rule.tails[:erased], match.rule.target_places, strict=True)
    return [*((match.cuts[cut], places[place]) for (cut, _), place in aligned), *nowhere]


def _no_features(rule: ReadyRule, consumed: int) -> FeatureRow:  # noqa: ARG001  (a FeaturesOf)
    return FeatureRow(np.zeros(0, dtype=np.int32), np.zeros(0))


class _Edges:
    """The edges of a forest under construction."""

    def __init__(self, tree: Tree, rules: tuple[ReadyRule, ...], features_of: FeaturesOf) -> None:
        self._tree = tree
        self._rules = rules
        self._features_of = features_of
        self._nodes: dict[Hashable, int] = {}
        self._coverage: dict[ReadyRule, int] = {}
        self._rows: dict[tuple[int, int], int] = {}
        self._row_features: list[FeatureRow] = []
        self._templates: dict[tuple[int, ...], int] = {}
        self._new_words: dict[str, int] = {}
        self._heads: list[int] = []
        self._tail_starts = [0]
        self._tails: list[int] = []
        self._edge_templates: list[int] = []
        self._edge_rows: list[int] = []
        self._origins: list[int] = []

    def add(self, head: Hashable, tails: Sequence[Hashable], match: Match) -> None:
        """Add the edge of a rule that matches."""
        tree, rule = self._tree, match.rule
        number = rule.number
        if number is None:
            number = len(self._rules) + self._coverage.setdefault(rule, len(self._coverage))
        consumed = len(match.terminals)
        for place in rule.deleted:
            consumed += tree.ends[match.cuts[place]] - tree.starts[match.cuts[place]]
        row = self._rows.get((number, consumed))
        if row is None:
            row = self._rows[number, consumed] = len(self._row_features)
            self._row_features.append(self._features_of(rule, consumed))
        template = tuple(self._items(match))
        self._heads.append(self._node(head))
        self._tails.extend(map(self._node, tails))
        self._tail_starts.append(len(self._tails))
        self._edge_templates.append(self._templates.setdefault(template, len(self._templates)))
        self._edge_rows.append(row)
        self._origins.append(number)

    def built(self, root: Hashable) -> Transduction:
        """The forest below a root."""
        count = len(self._tree.words)
        pools = Pools(
            item_starts=np.cumsum([0, *map(len, self._templates)], dtype=np.int32),
            items=np.array([item for template in self._templates for item in template], dtype=np.int32),
            feature_starts=np.cumsum([0, *(len(row.indices) for row in self._row_features)], dtype=np.int32),
            feature_indices=np.concatenate([row.indices for row in self._row_features]).astype(np.int32),
            feature_values=np.concatenate([row.values for row in self._row_features]),
            symbol_words=np.array([*range(count), *[-1] * len(self._new_words)], dtype=np.int32),
        )
        forest = assemble(
            self._nodes[root],
            node_count=len(self._nodes),
            edges=EdgeArrays(
                heads=np.array(self._heads, dtype=np.int32),
                tail_starts=np.array(self._tail_starts, dtype=np.int32),
                tails=np.array(self._tails, dtype=np.int32),
                scores=np.zeros(len(self._heads)),
                templates=np.array(self._edge_templates, dtype=np.int32),
                feature_rows=np.array(self._edge_rows, dtype=np.int32),
                origins=np.array(self._origins, dtype=np.int32),
            ),
            pools=pools,
            keys=tuple(self._nodes),
        )
        symbols = (*self._tree.words, *self._new_words)
        return Transduction(self._tree, forest, self._rules, tuple(self._coverage), symbols)

    def _node(self, key: Hashable) -> int:
        return self._nodes.setdefault(key, len(self._nodes))

    def _items(self, match: Match) -> Iterator[int]:
        for item in match.rule.emits:
            if isinstance(item, str):
                yield len(self._tree.words) + self._new_words.setdefault(item, len(self._new_words))
            else:
                yield item if item < 0 else self._tree.starts[match.terminals[item]]
