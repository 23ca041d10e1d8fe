"""The base distribution of Bayesian synchronous tree substitution grammars: what a rule looks like before data.

Yamangil & Shieber (2010), section 3.1. Given a pair of root labels, the two elementary trees are generated apart
from one another. Every node, the root too, is expanded, with probability β, by a production of a context-free
grammar, or else left at the frontier; then an alignment of the frontiers is drawn uniformly from all there are. A
deletion rule has a source tree only, all of whose frontier is linked to ε.

An alignment links frontier nodes one to one and leaves any of them, on either side, to ε (deleted or inserted): with m
and n nodes at the frontiers there are Σₖ C(m, k) C(n, k) k! of them. So the distribution sums to one over all pairs of
trees and alignments. Some of these derive nothing: those whose source is its root alone (1 - β of all), which consume
nothing, and those that insert. They are never used, which comes to the same as another concentration, says the paper.
A target that is its root alone is used: `(S NP[ε] (VP VBZ[ε] ADJP[ε] SBAR[1])) / S[1]` is one of the paper's rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb, factorial, log, log1p

from laconic.errors import LaconicError
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import Fragment
from laconic.grammar.rules import Rule
from laconic.grammar.word_pcfg import Production, WordPcfg


@dataclass(frozen=True, slots=True)
class BaseDistribution:
    """P₀(rule | root labels), with `expansion` as β."""

    grammar: WordPcfg
    expansion: float

    def __post_init__(self) -> None:
        if not 0 < self.expansion < 1:
            raise LaconicError(
                f"the probability of expanding a node lies between 0 and 1, not {self.expansion}"
            )

    def log_probability(self, rule: Rule | DeletionRule) -> float:
        """ln P₀(rule | its root labels)."""
        source = self.log_generated(rule.source)
        if isinstance(rule, DeletionRule):
            return source
        alignments = log_alignments(_frontier_size(rule.source), _frontier_size(rule.target))
        return source + self.log_generated(rule.target) - alignments

    def log_generated(self, fragment: Fragment) -> float:
        """ln p(elementary tree | label of its root), where the root may be all of it."""
        if fragment.word is None and not fragment.children:
            return log1p(-self.expansion)
        below = sum(self.log_generated(child) for child in fragment.children)
        return log(self.expansion) + self.grammar.log_probability(Production.of(fragment)) + below


@cache
def log_alignments(source: int, target: int) -> float:
    """The logarithm of the number of ways to link some of m nodes one to one with some of n.

    >>> round(log_alignments(2, 2), 3)  # ln 7: none linked, four ways to link one, two to link both
    1.946
    """
    linked = range(min(source, target) + 1)
    return log(sum(comb(source, k) * comb(target, k) * factorial(k) for k in linked))


def _frontier_size(fragment: Fragment) -> int:
    return sum(leaf.word is None for leaf in fragment.frontier())
