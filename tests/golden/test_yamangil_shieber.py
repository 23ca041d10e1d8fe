"""The running example and the rules of Yamangil & Shieber (2010), as far as the text gives them.

The figures are lost; the trees here are those in which the two rules of section 3 derive the beginning of the example,
`Like FaceLift, much of ATM's screen performance depends on the underlying application`.
"""

import numpy as np
import pytest

from laconic.grammar.base_distribution import BaseDistribution
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import parse_fragment
from laconic.grammar.rule_probabilities import (
    RuleProbabilities,
    compression_table,
    copying_rule,
    deleting_rule,
)
from laconic.grammar.rules import Rule, parse_rule
from laconic.grammar.word_pcfg import Production
from laconic.learn.gibbs.chain import Chain, GibbsOptions
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.derivations import derived_rules
from laconic.trees.alignment.deletion import align_deletion
from laconic.trees.constituency import Tree

NP = ("NP", ("NP", ("NNP", "ATM"), ("POS", "'s")), ("NN", "screen"), ("NN", "performance"))
VP = (
    "VP",
    ("VBZ", "depends"),
    ("PP", ("IN", "on"), ("NP", ("DT", "the"), ("VBG", "underlying"), ("NN", "application"))),
)
SOURCE = Tree.from_nested(("S", ("PP", ("IN", "Like"), ("NP", ("NN", "FaceLift"))), NP, VP))
TARGET = Tree.from_nested(("S", NP, VP))

# S / S → (S (PP (IN Like) NP[ε]) NP[1] VP[2]) / (S NP[1] VP[2])    and    NP / ε → (NP (NN FaceLift)) / ε
SYNCHRONOUS = parse_rule("<S,S> -> <[S [PP [IN Like] NP_ε] NP_1 VP_2], [S NP_1 VP_2]>")
DELETION = DeletionRule(parse_fragment("[NP [NN FaceLift]]"))

# Table 3, the first and the last of its rules, and Table 4, the eighth; then others of either.
PRINTED = """
(ROOT (S CC[ε] NP[1] VP[2] .[3])) / (ROOT (S NP[1] VP[2] .[3]))
(ROOT (S (NP (NP NNP[ε] (POS 's)) NNP[1] NNP[2]) (VP (VBZ reports)) .[3])) / (ROOT (S (NP NNP[1] NNP[2]) (VP (VBZ reports)) .[3]))
(S NP[ε] (VP VBZ[ε] ADJP[ε] SBAR[1])) / S[1]
(S (INTJ (UH Well)) ,[ε] NP[1] VP[2] .[3]) / (S NP[1] VP[2] .[3])
(S ADVP[ε] (, ,) S[1] (, ,) (CC but) S[2] .[3]) / (S S[1] (, ,) (CC but) S[2] .[3])
"""  # noqa: E501


def links() -> tuple[tuple[int, int], ...]:
    return tuple((s, t) for t, s in enumerate(align_deletion(SOURCE.words, TARGET.words)))


def example() -> tuple[SampledPairs, np.ndarray]:
    """The state whose derivation begins with the two rules and goes on with one for each phrase."""
    alignment = np.full(len(SOURCE.labels), -2, np.int32)
    nodes = {label: node for node, label in reversed(list(enumerate(SOURCE.labels)))}
    subject = SOURCE.children(0)[1]
    targets = TARGET.children(0)
    alignment[0] = 0
    alignment[nodes["NP"]] = -1  # FaceLift comes first
    alignment[subject], alignment[SOURCE.children(0)[2]] = targets
    return SampledPairs.of([(SOURCE, TARGET, links())]), alignment


def test_the_example_is_derived_by_the_rules_of_the_text() -> None:
    pairs, alignment = example()
    rules = derived_rules(pairs, alignment)
    assert {SYNCHRONOUS, DELETION} < set(rules)
    assert rules.total() == 4
    whole = [rule for rule in rules if isinstance(rule, Rule) and rule != SYNCHRONOUS]
    assert all(rule.source == rule.target and not rule.variables for rule in whole)


def test_the_example_has_the_probability_of_its_rules() -> None:
    pairs, alignment = example()
    chain = Chain(pairs, GibbsOptions(), np.random.default_rng(0), alignment)
    base = BaseDistribution(pairs.grammar, 0.1)
    # Four rules of four different roots, each seen for the first time: α P₀ / α.
    expected = sum(base.log_probability(rule) for rule in derived_rules(pairs, alignment))
    assert chain.log_posterior == pytest.approx(expected, abs=1e-7)


def test_the_copy_rules_of_section_3_3() -> None:
    production = Production("NP", ("NP", "PP"))
    assert str(copying_rule(production)) == "<NP,NP> -> <[NP NP_1 PP_2], [NP NP_1 PP_2]>"
    assert str(deleting_rule(production)) == "<NP,ε> -> <[NP NP_ε PP_ε], ε>"


@pytest.mark.parametrize("line", PRINTED.strip().splitlines())
def test_rules_are_printed_as_in_the_tables(line: str) -> None:
    source, target = line.split(" / ")
    rule = Rule(bracketed(source), bracketed(target))
    printed = compression_table(RuleProbabilities.of({rule: 1}), rule.root)
    assert printed.split("  ", 1)[1] == f"{source}  / {target}"


def bracketed(text: str):
    """The paper's notation in ours."""
    written = text.replace("(", "[").replace(")", "]")
    for link in ("ε", "1", "2", "3", "4"):
        written = written.replace(f"[{link}]", f"_{link}")
    return parse_fragment(written)
