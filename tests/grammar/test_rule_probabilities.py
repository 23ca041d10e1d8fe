"""Counted rules become probabilities that sum to one and leave room for trees nobody has seen."""

from collections import Counter
from math import exp, fsum, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.grammar.coverage import copy_rule
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import parse_fragment
from laconic.grammar.rule_probabilities import (
    RuleProbabilities,
    compression_table,
    copying_rule,
    deletes,
    deleting_rule,
)
from laconic.grammar.rules import parse_rule
from laconic.grammar.word_pcfg import Production

RULES = [
    parse_rule("<S,S> -> <[S NP_1 VP_2], [S NP_1 VP_2]>"),
    parse_rule("<S,S> -> <[S ADVP_ε NP_1 VP_2], [S NP_1 VP_2]>"),
    parse_rule("<S,S> -> <[S [ADVP [RB now]] NP_1 VP_2], [S NP_1 VP_2]>"),
    parse_rule("<S,VP> -> <[S NP_ε VP_1], VP_1>"),
    DeletionRule(parse_fragment("[NP DT_ε [NN rain]]")),
    DeletionRule(parse_fragment("[NP NN_ε]")),
]
PRODUCTIONS = [Production("S", ("NP", "VP")), Production("NP", ("NN",)), Production("NN", (), "rain")]
counted = st.dictionaries(st.sampled_from(RULES), st.integers(1, 9), min_size=1)


@given(counted, st.lists(st.sampled_from(PRODUCTIONS)), st.sampled_from((0.0, 0.5, 1.0)))
def test_rules_of_a_root_sum_to_one(counts, productions, added) -> None:
    found = RuleProbabilities.of(counts, productions=productions, added=added)
    totals: dict = {}  # type: ignore[type-arg]
    for rule, value in zip(found.rules, found.log_probabilities, strict=True):
        totals.setdefault(rule.root, []).append(exp(value))
    assert all(fsum(values) == pytest.approx(1.0) for values in totals.values())
    assert set(counts) <= set(found.rules)
    if added:
        assert {copying_rule(p) for p in productions} | {deleting_rule(p) for p in productions} <= set(
            found.rules
        )


def test_add_one_smoothing_by_hand() -> None:
    counts = Counter({RULES[1]: 3, RULES[4]: 1})
    found = RuleProbabilities.of(
        counts,  # type: ignore[arg-type]
        productions=[Production("S", ("NP", "VP")), Production("NP", ("NN",))],
    )
    values = dict(zip(found.rules, found.log_probabilities, strict=True))
    assert values[RULES[1]] == pytest.approx(log(4 / 5))  # beside the copy of S -> NP VP
    assert values[copy_rule("S", ("NP", "VP"))] == pytest.approx(log(1 / 5))
    assert values[RULES[4]] == pytest.approx(log(2 / 3))
    assert values[RULES[5]] == pytest.approx(log(1 / 3))
    assert found.rules[0] == RULES[1] and found.counts[:2] == (3, 1)


def test_only_rules_that_delete_are_compressions() -> None:
    assert [deletes(rule) for rule in RULES[:4]] == [False, True, True, True]  # type: ignore[arg-type]


def test_the_table_has_the_most_probable_compressions_first() -> None:
    found = RuleProbabilities.of(Counter({RULES[0]: 9, RULES[1]: 2, RULES[2]: 4, RULES[3]: 7}), added=0.0)  # type: ignore[dict-item]
    assert compression_table(found, ("S", "S")).splitlines() == [
        "0.266667  (S (ADVP (RB now)) NP[1] VP[2])  / (S NP[1] VP[2])",
        "0.133333  (S ADVP[ε] NP[1] VP[2])          / (S NP[1] VP[2])",
    ]
    assert compression_table(found, ("S", "S"), 1).count("\n") == 0
    assert compression_table(found, ("NP", "NP")) == ""


def test_lowering_counts_is_an_error() -> None:
    with pytest.raises(LaconicError, match="raised by 0 or more"):
        RuleProbabilities.of({RULES[0]: 1}, added=-1.0)  # type: ignore[dict-item]
