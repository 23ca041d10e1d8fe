"""Rules of deletion derive all of what is deleted."""

import pytest

from laconic.errors import LaconicError
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import EPSILON, Fragment


def test_rules_that_delete_nothing_or_not_all_are_errors() -> None:
    with pytest.raises(LaconicError, match="derives something"):
        DeletionRule(Fragment("NP", link=EPSILON))
    with pytest.raises(LaconicError, match="all is deleted"):
        DeletionRule(Fragment("NP", (Fragment("NN", link=1),)))
