"""Rules of deletion are written and read again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import FormatError, LaconicError
from laconic.grammar.deletion_rules import DeletionRule, parse_deletion_rule
from laconic.grammar.fragments import EPSILON, Fragment, fragment_of
from tests.strategies import trees


@settings(max_examples=60)
@given(trees(), st.sets(st.integers(1, 12)))
def test_what_is_written_is_read(tree, cuts) -> None:
    rule = DeletionRule(fragment_of(tree, 0, dict.fromkeys(cuts, EPSILON)))
    assert parse_deletion_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("[NP NN_ε]", "reads"),
        ("<NP,ε> -> <[NP NN_ε], [NP NN_1]>", "reads"),
        ("<VP,ε> -> <[NP NN_ε], ε>", "stands before its arrow"),
        ("<NP,ε> -> <[NP NN_1], ε>", "all is deleted"),
        ("<NP,ε> -> <[NP NN_ε, ε>", "ends too early|link"),
    ],
)
def test_malformed_rules_are_errors(text: str, mistake: str) -> None:
    with pytest.raises(FormatError, match=mistake):
        parse_deletion_rule(text)


def test_rules_that_delete_nothing_or_not_all_are_errors() -> None:
    with pytest.raises(LaconicError, match="derives something"):
        DeletionRule(Fragment("NP", link=EPSILON))
    with pytest.raises(LaconicError, match="all is deleted"):
        DeletionRule(Fragment("NP", (Fragment("NN", link=1),)))
