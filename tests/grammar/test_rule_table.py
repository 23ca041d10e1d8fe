"""Rules come out of flat arrays as they went in, are found by their top, and damaged arrays are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import EMPTY, EPSILON, Fragment, parse_fragment
from laconic.grammar.rule_probabilities import RuleProbabilities
from laconic.grammar.rule_table import AnyRule, FlatRules, RuleTable
from laconic.grammar.rules import Rule, parse_rule
from laconic.grammar.word_pcfg import Production

RULES: tuple[AnyRule, ...] = (
    parse_rule("<S,S> -> <[S NP_1 VP_2], [S NP_1 VP_2]>"),
    parse_rule("<S,S> -> <[S [ADVP [RB now]] [NP DT_1 [NN rain]] VP_2], [S [NP DT_1 [NN rain]] VP_2]>"),
    parse_rule("<S,VP> -> <[S NP_ε VP_1], VP_1>"),
    parse_rule("<NN,NN> -> <[NN rain], [NN rain]>"),
    Rule(parse_fragment("[NN rain]"), EMPTY),
    DeletionRule(parse_fragment("[NP DT_ε [NN rain]]")),
    DeletionRule(parse_fragment("[NN rain]")),
)
labels = st.sampled_from(["S", "NP", "VP", "rain"])  # a label may be a word, too
leaves = st.builds(lambda label: Fragment(label, link=EPSILON), labels) | st.builds(
    lambda label, word: Fragment(label, word=word), labels, labels
)
fragments = st.recursive(
    leaves,
    lambda below: st.builds(
        lambda label, children: Fragment(label, tuple(children)),
        labels,
        st.lists(below, min_size=1, max_size=3),
    ),
    max_leaves=8,
).filter(lambda fragment: fragment.link is None)


def tabled(*rules: AnyRule) -> RuleTable:
    return RuleTable(FlatRules.of(rules))


def test_rules_of_every_kind_come_back() -> None:
    table = tabled(*RULES)
    assert tuple(table) == RULES and table == RULES and table[2:4] == RULES[2:4] and table[-1] == RULES[-1]
    assert table != RULES[1:]
    with pytest.raises(IndexError):
        table[len(RULES)]


@given(sources=st.lists(fragments, max_size=5))
def test_any_tree_comes_back_and_is_found_by_its_top(sources: list[Fragment]) -> None:
    rules = tuple(map(DeletionRule, sources))
    table = tabled(*rules)
    assert tuple(table) == rules
    for production in map(Production.of, sources):
        wanted = [place for place, each in enumerate(sources) if Production.of(each) == production]
        assert table.by_top(production) == wanted
    assert table.by_top(Production("S", ("unheard",))) == []


@given(counts=st.lists(st.integers(0, 9), min_size=len(RULES), max_size=len(RULES)), added=st.floats(0.01, 2))
def test_probabilities_are_those_of_the_rules_themselves(counts: list[int], added: float) -> None:
    found = RuleProbabilities.of(dict(zip(RULES, map(float, counts), strict=True)), added=added)
    table = RuleProbabilities.of_table(tabled(*found.rules), found.counts, added=added)
    assert table.rules == tuple(found.rules)
    assert table.log_probabilities == found.log_probabilities
    assert table.log_unseen == found.log_unseen


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("labels", lambda array: array - 1, "has no name"),
        ("words", lambda array: array + 99, "has no name"),
        ("words", lambda array: array[1:], "numbers of words"),
        ("sides", lambda array: array[1:], "number of nodes"),
        ("sides", lambda array: array[:, ::-1], "no source"),
        ("shapes", lambda array: np.roll(array, 1), "no tree"),
        ("shapes", lambda array: np.where(array > 0, 2**31 - 1, array), "no tree"),
        ("names", lambda names: ("", *names[1:]), "empty"),
    ],
)
def test_arrays_that_hold_no_trees_are_refused(name: str, change, message: str) -> None:
    flat = FlatRules.of(RULES)
    with pytest.raises(LaconicError, match=message):
        RuleTable(replace(flat, **{name: change(getattr(flat, name))}))


def test_a_tree_of_too_many_levels_is_refused_when_it_is_made() -> None:
    deep = Fragment("NN", word="rain")
    for _ in range(250):
        deep = Fragment("NP", (deep,))
    with pytest.raises(LaconicError, match="200 levels"):
        tabled(DeletionRule(deep))[0]
