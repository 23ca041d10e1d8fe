"""Transduction by a probabilistic grammar in which what is deleted is derived too.

Nodes of the forest are pairs of a source node and what becomes of it: a category, a target node where the target is
given, or ε. A synchronous rule leads to the nodes of its variables and to those that it deletes; below the latter,
rules X/ε derive the subtree (Yamangil & Shieber 2010, sections 3 and 3.3). Every production that no rule of the grammar
copies or deletes alone gets such rules, as unseen ones, so that every tree has a derivation.

Rules that were never seen to delete one child and keep another may still have to: a budget asks for words that no
derivation has. So every phrase can also lose any of its children, but not all, at a price that is only paid where
nothing else will do; the children are then chosen one after the other. What is best without a budget stays best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph, slot
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.derivations import match_fragment
from laconic.grammar.fragments import Fragment
from laconic.grammar.rule_probabilities import RuleProbabilities, copying_rule, deleting_rule
from laconic.grammar.rule_table import AnyRule, Root, RuleTable
from laconic.grammar.rules import Rule
from laconic.grammar.word_pcfg import Production
from laconic.trees.constituency import Tree

FREE_CHOICE = -100.0
"""What is added to the score of a derivation wherever it chooses children freely."""

_CHOICE = -1


@dataclass(frozen=True, slots=True, eq=False)
class StochasticTransduction:
    """The forest of a tree's derivations; the origin of an edge is the number of its rule in `rules`.

    Edges that choose children freely have origins below 0: -1 at a child, ~(node + 1) at their phrase.
    """

    tree: Tree
    forest: Hypergraph
    rules: Mapping[int, AnyRule]

    def target(self, derivation: Derivation) -> Tree:
        """The target tree of a derivation."""

        def build(edge: int, below: tuple[tuple[Fragment, ...], ...]) -> tuple[Fragment, ...]:
            kept = tuple(fragment for part in below for fragment in part)
            origin = int(derivation.forest.origins[edge])
            if origin == _CHOICE:
                return kept
            if origin < _CHOICE:
                return (Fragment(self.tree.labels[~origin - 1], kept),)
            rule = self.rules[origin]
            if isinstance(rule, DeletionRule):
                return ()
            return (rule.target.substituted(dict(enumerate(kept, start=1))),)

        [found] = derivation.fold(build)
        return found.tree()


class StochasticTransducer:
    """Rules with log probabilities, ready to rewrite trees; each rule is a feature, by its place."""

    def __init__(
        self, rules: Sequence[AnyRule], log_probabilities: Sequence[float], log_unseen: Mapping[Root, float]
    ) -> None:
        self.rules = rules
        self._scores = tuple(log_probabilities)
        self._log_unseen = log_unseen
        self._by_top: Callable[[Production], Sequence[int]]
        if isinstance(rules, RuleTable):
            self._by_top = rules.by_top
        else:
            tops: dict[Production, list[int]] = {}
            for number, rule in enumerate(rules):
                tops.setdefault(Production.of(rule.source), []).append(number)
            self._by_top = lambda production: tops.get(production, ())

    @classmethod
    def of(cls, probabilities: RuleProbabilities) -> StochasticTransducer:
        """The transducer of a grammar."""
        return cls(probabilities.rules, probabilities.log_probabilities, probabilities.log_unseen)

    def transduction(self, tree: Tree, target_root: str | None = None) -> StochasticTransduction:
        """The forest of the derivations that rewrite the tree as one of this root category, by default its own."""
        used: dict[int, AnyRule] = {}
        added: dict[AnyRule, int] = {}
        builder = ForestBuilder(range(len(tree.words)))
        made: set[tuple[int, str | None]] = set()
        for node in reversed(range(len(tree.labels))):
            production = Production.at(tree, node)
            matching = {number: self.rules[number] for number in self._by_top(production)}
            for rule in (copying_rule(production), deleting_rule(production)):
                if rule not in matching.values():
                    matching[added.setdefault(rule, len(self.rules) + len(added))] = rule
            for number, rule in matching.items():
                cuts = match_fragment(rule.source, tree, node)
                if cuts is None:
                    continue
                labels = _target_labels(rule)
                tails = [(cut, labels[leaf.link]) for cut, leaf in _cut_leaves(rule, cuts)]
                if made.issuperset(tails):
                    head = (node, rule.root[1])
                    made.add(head)
                    emits = _emitted(rule, tree, cuts, len(tails))
                    used[number] = rule
                    is_known = number < len(self.rules)
                    score = self._scores[number] if is_known else self._log_unseen.get(rule.root, 0.0)
                    # A rule that the grammar lacks is no feature: its weight is not learnt.
                    features = {number: 1.0} if is_known else None
                    builder.edge(
                        builder.node(head),
                        [builder.node(tail) for tail in tails],
                        score=score,
                        features=features,
                        emits=emits,
                        origin=number,
                    )
            _choose_freely(builder, tree, node)
        root = (0, tree.labels[0] if target_root is None else target_root)
        if root not in made:
            raise LaconicError(f"no rule rewrites the root {tree.labels[0]!r} as {root[1]!r}")
        return StochasticTransduction(tree, builder.build(builder.node(root)), used)

    def derivations(self, source: Tree, target: Tree) -> Hypergraph:
        """The forest of the derivations of a pair of trees by the rules of the grammar alone."""
        builder = ForestBuilder(range(len(source.words)))
        by_label: dict[str, list[int]] = {}
        for node, label in enumerate(target.labels):
            by_label.setdefault(label, []).append(node)
        made: set[tuple[int, int | None]] = set()
        for node in reversed(range(len(source.labels))):
            for number in self._by_top(Production.at(source, node)):
                rule = self.rules[number]
                cuts = match_fragment(rule.source, source, node)
                if cuts is None:
                    continue
                for partner, targets in _partners(rule, target, by_label):
                    tails = [(cut, targets[leaf.link]) for cut, leaf in _cut_leaves(rule, cuts)]
                    if made.issuperset(tails):
                        made.add((node, partner))
                        builder.edge(
                            builder.node((node, partner)),
                            [builder.node(tail) for tail in tails],
                            score=self._scores[number],
                            features={number: 1.0},
                            emits=_emitted(rule, source, cuts, len(tails)),
                            origin=number,
                        )
        if (0, 0) not in made:
            raise LaconicError(
                f"the grammar has no derivation that rewrites {' '.join(source.words)[:60]!r} "
                f"as {' '.join(target.words)[:60]!r}"
            )
        return builder.build(builder.node((0, 0)))


def _choose_freely(builder: ForestBuilder, tree: Tree, node: int) -> None:
    """Edges by which a phrase keeps its label and any of its children: one after the other, at least one."""
    children = tree.children(node)
    if len(children) < 2:
        return

    def rest(place: int, *, some: bool) -> int:
        return builder.node((node, place, some))

    head, first = builder.node((node, tree.labels[node])), rest(0, some=False)
    builder.edge(head, [first], score=FREE_CHOICE, origin=~(node + 1))
    for place, child in enumerate(children):
        kept, dropped = builder.node((child, tree.labels[child])), builder.node((child, None))
        is_last = place == len(children) - 1
        for some in (False, True) if place else (False,):
            here = rest(place, some=some)
            builder.edge(here, [kept, *([] if is_last else [rest(place + 1, some=True)])], origin=_CHOICE)
            if some or not is_last:
                builder.edge(
                    here, [dropped, *([] if is_last else [rest(place + 1, some=some)])], origin=_CHOICE
                )


def _cut_leaves(rule: AnyRule, cuts: Sequence[int]) -> Iterator[tuple[int, Fragment]]:
    """The tree's nodes at the variables and deleted nodes of a rule that matches, with these."""
    for cut, leaf in zip(cuts, rule.source.frontier(), strict=True):
        if leaf.link is not None:
            yield cut, leaf


def _target_labels(rule: AnyRule) -> dict[int | None, str | None]:
    """What the links of a rule become: variables a category, deleted nodes nothing."""
    if isinstance(rule, DeletionRule):
        return {0: None}
    return {0: None, **{node.link: node.label for node in rule.target.variables}}


def _partners(
    rule: AnyRule, target: Tree, by_label: Mapping[str, Sequence[int]]
) -> Iterator[tuple[int | None, dict[int | None, int | None]]]:
    """The target nodes at which a rule's target side matches, and those that its links become."""
    if isinstance(rule, DeletionRule):
        yield None, {0: None}
        return
    for partner in by_label.get(rule.target.label, ()):
        places = match_fragment(rule.target, target, partner)
        if places is not None:
            leaves = zip(rule.target.frontier(), places, strict=True)
            yield partner, {0: None, **{leaf.link: place for leaf, place in leaves if leaf.link}}


def _emitted(rule: AnyRule, tree: Tree, cuts: Sequence[int], tails: int) -> list[int]:
    """The words that a rule copies and the slots of its tails; those of deleted nodes, which yield nothing, last."""
    leaves = list(zip(cuts, rule.source.frontier(), strict=True))
    links = [leaf.link for _, leaf in leaves if leaf.link is not None]
    template: list[int] = []
    if isinstance(rule, Rule):
        free = [(leaf.word, tree.starts[cut]) for cut, leaf in leaves if leaf.word is not None]
        for leaf in rule.target.frontier():
            if leaf.link:
                template.append(slot(links.index(leaf.link)))
                continue
            copied = next((item for item in free if item[0] == leaf.word), None)
            if copied is None:
                raise LaconicError(
                    f"{rule} writes {leaf.word!r}, which is not in its source: only copies are derived"
                )
            free.remove(copied)
            template.append(copied[1])
    return [*template, *(slot(place) for place in range(tails) if not links[place])]
