import pytest
from hypothesis import given

from laconic.grammar.coverage import copy_rule, copy_word_rule, delete_rules
from laconic.trees.constituency import Tree
from laconic.trees.heads import HeadRules
from tests.oracles.derivations import transduce
from tests.strategies import trees


@given(trees())
def test_copy_rules_recreate_every_tree(tree: Tree) -> None:
    def choose(node: int, category: str):
        label, children = tree.production(node)
        return copy_word_rule(label, children[0]) if tree.is_preterminal(node) else copy_rule(label, children)

    assert transduce(tree, tree.labels[0], choose).target().tree() == tree


@pytest.mark.parametrize("children", [("NP",), ("NP", "VP"), ("NP", ",", "ADVP", "VP", "."), ("CC", "CC")])
def test_deletions_keep_ever_more_heads(children: tuple[str, ...]) -> None:
    first, alone, *more = delete_rules("S", children)
    kept = [len(rule.variables) for rule in (first, *more)]
    assert kept == list(range(1, len(children) + 1))
    assert alone.target == first.target.children[0]
    assert [first, *more][-1] == copy_rule("S", children)
    head = HeadRules.load().head_child("S", children)
    assert first.variables == ((children[head], children[head]),)
