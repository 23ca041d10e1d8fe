"""Probabilities of counted rules, those of deleted material among them, and tables of the most probable ones.

Yamangil & Shieber (2010), section 3.3: counts are normalised for each pair of root labels. So that trees nobody has
seen can be derived, every production also has a rule that copies it and one that deletes it, though they were counted
nowhere, and all counts are raised by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from laconic.errors import LaconicError
from laconic.grammar.coverage import copy_rule, copy_word_rule
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import EPSILON, Fragment
from laconic.grammar.rule_table import AnyRule, Root, RuleTable
from laconic.grammar.rules import Rule
from laconic.grammar.word_pcfg import Production


def copying_rule(production: Production) -> Rule:
    """The rule that copies a production and leaves its children to other rules."""
    if production.word is not None:
        return copy_word_rule(production.label, production.word)
    return copy_rule(production.label, production.children)


def deleting_rule(production: Production) -> DeletionRule:
    """The rule that deletes a production and leaves its children to other such rules.

    >>> print(deleting_rule(Production("NP", ("NP", "PP"))))
    <NP,ε> -> <[NP NP_ε PP_ε], ε>
    """
    if production.word is not None:
        return DeletionRule(Fragment(production.label, word=production.word))
    children = tuple(Fragment(child, link=EPSILON) for child in production.children)
    return DeletionRule(Fragment(production.label, children))


@dataclass(frozen=True, slots=True, eq=False)
class RuleProbabilities:
    """Rules in a fixed order with their counts and ln p(rule | root labels).

    `log_unseen` is, for every pair of root labels, the logarithm of what one more rule would have.
    """

    rules: Sequence[AnyRule]
    counts: tuple[float, ...]
    log_probabilities: tuple[float, ...]
    log_unseen: Mapping[Root, float]

    @classmethod
    def of(
        cls, counts: Mapping[AnyRule, float], *, productions: Iterable[Production] = (), added: float = 1.0
    ) -> RuleProbabilities:
        """p(rule | root) = (count + added) / (count of the root + added · number of its rules).

        Every one of the productions has a rule that copies and one that deletes it. The most frequent rules come
        first, equally frequent ones in alphabetical order.
        """
        if added < 0:
            raise LaconicError(f"counts are raised by 0 or more, not by {added}")
        known: dict[AnyRule, float] = {rule: count for rule, count in counts.items() if count + added > 0}
        for production in productions if added else ():
            known.setdefault(copying_rule(production), 0)
            known.setdefault(deleting_rule(production), 0)
        rules = sorted(known, key=lambda rule: (-known[rule], str(rule)))
        totals: dict[Root, float] = defaultdict(float)
        for rule in rules:  # in this order, so that the sums are the same to the last bit
            totals[rule.root] += known[rule] + added
        logs = (log((known[rule] + added) / totals[rule.root]) for rule in rules)
        unseen = {root: log(added / (total + added)) for root, total in totals.items() if added}
        return cls(tuple(rules), tuple(known[rule] for rule in rules), tuple(logs), unseen)

    @classmethod
    def of_table(cls, rules: RuleTable, counts: Sequence[float], *, added: float) -> RuleProbabilities:
        """The same of rules that are in their order already."""
        roots, numbers = rules.roots
        raised = np.asarray(counts, np.float64) + added
        totals = np.bincount(numbers, raised, len(roots)).tolist()
        logs = (
            log(count / totals[number])
            for count, number in zip(raised.tolist(), numbers.tolist(), strict=True)
        )
        unseen = {root: log(added / (total + added)) for root, total in zip(roots, totals, strict=True)}
        return cls(rules, tuple(counts), tuple(logs), unseen)

    def compressions(self, root: tuple[str, str], count: int) -> list[tuple[Rule, float]]:
        """The most probable rules of a pair of labels that delete something, with their log probabilities."""
        found = [
            (rule, value)
            for rule, value in zip(self.rules, self.log_probabilities, strict=True)
            if isinstance(rule, Rule) and rule.root == root and deletes(rule)
        ]
        return sorted(found, key=lambda item: -item[1])[:count]


def deletes(rule: Rule) -> bool:
    """Whether a rule leaves out a word of its source or a node linked to ε."""
    linked_to_nothing = any(leaf.link == EPSILON for leaf in rule.source.frontier())
    return linked_to_nothing or len(rule.source.words) > len(rule.target.words)


def compression_table(probabilities: RuleProbabilities, root: tuple[str, str], count: int = 14) -> str:
    """The most probable compression rules of a pair of labels, as in the paper's Tables 3 and 4.

    A line holds the probability, the source and the target; the targets stand below one another.
    """
    found = probabilities.compressions(root, count)
    sources = [notation(rule.source) for rule, _ in found]
    width = max(map(len, sources), default=0)
    lines = (
        f"{exp(value):8.6f}  {source:<{width}}  / {notation(rule.target)}"
        for source, (rule, value) in zip(sources, found, strict=True)
    )
    return "\n".join(lines)


def notation(fragment: Fragment) -> str:
    """An elementary tree as the paper prints it.

    >>> notation(Fragment("S", (Fragment("CC", link=EPSILON), Fragment("NP", link=1), Fragment(".", word="."))))
    '(S CC[ε] NP[1] (. .))'
    """
    if fragment.children:
        return f"({fragment.label} {' '.join(map(notation, fragment.children))})"
    if fragment.word is not None:
        return f"({fragment.label} {fragment.word})"
    return fragment.label if fragment.link is None else f"{fragment.label}[{fragment.link or 'ε'}]"
