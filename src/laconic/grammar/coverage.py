"""Rules that cover trees nobody has seen: copies of productions, and deletions that keep the heads.

Cohn & Lapata (2009), section 3.2. With the copies every tree can be rewritten as itself; with the deletions
every phrase can lose some of its children, the least important first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from laconic.grammar.fragments import EPSILON, Fragment
from laconic.grammar.rules import Rule
from laconic.trees.heads import HeadRules


def copy_rule(label: str, children: Sequence[str]) -> Rule:
    """The rule that copies a phrase and leaves its children to other rules.

    >>> print(copy_rule("NP", ("DT", "NN")))
    <NP,NP> -> <[NP DT_1 NN_2], [NP DT_1 NN_2]>
    """
    return _keeping(label, children, range(len(children)))


def copy_word_rule(tag: str, word: str) -> Rule:
    """The rule that copies a word with its part of speech."""
    leaf = Fragment(tag, word=word)
    return Rule(leaf, leaf)


def delete_rules(label: str, children: Sequence[str]) -> tuple[Rule, ...]:
    """The rules that keep the most important child, the two most important ones, and so on up to all.

    Where only one child is kept, a second rule leaves out the phrase itself.

    >>> for rule in delete_rules("NP", ("DT", "JJ", "NN")): print(rule)
    <NP,NP> -> <[NP DT_ε JJ_ε NN_1], [NP NN_1]>
    <NP,NN> -> <[NP DT_ε JJ_ε NN_1], NN_1>
    <NP,NP> -> <[NP DT_1 JJ_ε NN_2], [NP DT_1 NN_2]>
    <NP,NP> -> <[NP DT_1 JJ_2 NN_3], [NP DT_1 JJ_2 NN_3]>
    """
    ranked = HeadRules.load().ranked(label, children)
    first = _keeping(label, children, ranked[:1])
    alone = Rule(first.source, first.target.children[0])
    return (first, alone, *(_keeping(label, children, ranked[:count]) for count in range(2, len(ranked) + 1)))


def _keeping(label: str, children: Sequence[str], kept: Collection[int]) -> Rule:
    numbers = {child: number for number, child in enumerate(sorted(kept), start=1)}
    source = tuple(Fragment(child, link=numbers.get(place, EPSILON)) for place, child in enumerate(children))
    return Rule(Fragment(label, source), Fragment(label, tuple(node for node in source if node.link)))
