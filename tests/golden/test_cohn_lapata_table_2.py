"""The features of the rule in Table 2 of Cohn & Lapata (2009)."""

import pytest

from laconic.grammar.rule_features import (
    ALL_FEATURES,
    RULE_FEATURES,
    TOKEN_FEATURES,
    FeatureGroup,
    RuleType,
    rule_features,
)
from laconic.grammar.rules import parse_rule

RULE = parse_rule("<NP,NNS> -> <[NP CD_ε ADJP_ε [NNS activists]], [NNS activists]>")
TABLE_2 = {
    "type extracted": 1,
    "X=NP": 1,
    "Y=NNS": 1,
    "X=NP Y=NNS": 1,
    "α=[NP CD ADJP [NNS activists]]": 1,
    "γ=[NNS activists]": 1,
    "α=[NP CD_ε ADJP_ε [NNS activists]] γ=[NNS activists]": 1,
    "unlexicalised α=[NP CD ADJP NNS]": 1,
    "unlexicalised γ=NNS": 1,
    "unlexicalised α=[NP CD_ε ADJP_ε NNS] γ=NNS": 1,
    "rules": 1,
    "words target": 1,  # the number of source words is known where the rule is applied
    "terminals activists → activists": 1,
    "terminal activists kept": 1,
    "non-terminals CD ADJP NNS → NNS": 1,
    "non-terminal CD dropped": 1,
    "non-terminal ADJP dropped": 1,
    "non-terminal NNS kept": 1,
    "length difference": 2,
    "target shorter": 1,
}


def test_features_are_those_of_table_2() -> None:
    assert dict(rule_features(RULE, RuleType.EXTRACTED)) == TABLE_2


@pytest.mark.parametrize(
    ("group", "lost"), [(FeatureGroup.TYPE, 1), (FeatureGroup.UNLEXICALISED, 3), (FeatureGroup.LENGTH, 2)]
)
def test_groups_can_be_switched_off(group: FeatureGroup, lost: int) -> None:
    found = dict(rule_features(RULE, RuleType.EXTRACTED, ALL_FEATURES & ~group))
    assert found.items() <= TABLE_2.items()
    assert len(TABLE_2) - len(found) == lost


def test_token_and_rule_features_are_all() -> None:
    tokens = dict(rule_features(RULE, RuleType.EXTRACTED, TOKEN_FEATURES))
    rules = dict(rule_features(RULE, RuleType.EXTRACTED, RULE_FEATURES))
    assert set(tokens) == {"words target", "terminals activists → activists", "terminal activists kept"}
    assert tokens | rules == TABLE_2


def test_copies_are_recognised_and_types_go_together() -> None:
    copy = parse_rule("<NP,NP> -> <[NP DT_1 NN_2], [NP DT_1 NN_2]>")
    found = dict(rule_features(copy, RuleType.EXTRACTED | RuleType.COPY))
    assert {"type extracted", "type copy", "α=γ", "unlexicalised α=γ"} <= set(found)
    assert "target shorter" not in found
    dropped = parse_rule("<NP,NP> -> <[NP [DT the] NN_1], [NP NN_1]>")
    assert dict(rule_features(dropped, RuleType.EXTRACTED))["terminal the dropped"] == 1
