"""Numbers of features: given out until fixed, and rare rules described as unseen ones."""

import numpy as np
import pytest

from laconic.decode.rule_matching import ReadyRule
from laconic.grammar.rule_features import SOURCE_WORDS, FeatureGroup, RuleType
from laconic.grammar.rules import parse_rule
from laconic.systems.transducer.features import LANGUAGE, LANGUAGE_SCALE, RuleFeatures, language_weight

COPY = parse_rule("<NP,NP> -> <[NP DT_1 NN_2], [NP DT_1 NN_2]>")
CHANGE = parse_rule("<NP,NN> -> <[NP [DT the] NN_1], NN_1>")


def named(features: RuleFeatures, rule: ReadyRule, consumed: int = 0) -> dict[str, float]:
    row = features(rule, consumed)
    return {features.names[index]: value for index, value in row.items()}


def test_new_names_get_numbers_until_they_are_fixed() -> None:
    features = RuleFeatures()
    assert features.names == (LANGUAGE, SOURCE_WORDS)
    seen = named(features, ReadyRule(COPY, RuleType.EXTRACTED, 5))
    assert set(seen) | {LANGUAGE, SOURCE_WORDS} == set(features.names)
    features.fixed = True
    known = len(features)
    again = named(features, ReadyRule(CHANGE, RuleType.EXTRACTED, 5))
    assert len(features) == known
    assert "rules" in again
    assert "terminal the dropped" not in again


def test_consumed_words_are_counted_where_the_rule_is_applied() -> None:
    features = RuleFeatures()
    rule = ReadyRule(CHANGE, RuleType.EXTRACTED, 5)
    assert named(features, rule, 3)[SOURCE_WORDS] == 3
    assert SOURCE_WORDS not in named(features, rule, 0)
    assert SOURCE_WORDS not in named(RuleFeatures(FeatureGroup.ROOT), rule, 3)


def test_rare_rules_look_unseen() -> None:
    both = RuleType.EXTRACTED | RuleType.COPY
    features = RuleFeatures()
    rare, unseen = (
        named(features, ReadyRule(COPY, types, count)) for types, count in ((both, 1), (RuleType.COPY, 0))
    )
    assert rare == unseen
    assert {"type copy", "X=NP", "non-terminals DT NN → DT NN"} <= set(rare)
    assert not any("α" in name for name in rare)
    # What coverage does not make has been extracted, however rarely.
    assert "type extracted" in named(features, ReadyRule(CHANGE, RuleType.EXTRACTED, 1))


def test_the_paper_describes_all_rules_alike() -> None:
    features = RuleFeatures(rare=0)
    seen = named(features, ReadyRule(COPY, RuleType.EXTRACTED | RuleType.COPY, 1))
    assert {"type extracted", "type copy", "α=γ"} <= set(seen)
    assert "α=γ" in named(features, ReadyRule(COPY, RuleType.COPY))


def test_the_language_model_has_the_first_weight() -> None:
    assert language_weight(np.array([2.0, 0.0])) == pytest.approx(2.0 * LANGUAGE_SCALE)
