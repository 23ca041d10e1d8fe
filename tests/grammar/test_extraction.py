"""Closed loop: the grammar extracted from a pair derives that pair."""

import pytest
from hypothesis import given, settings

from laconic.errors import LaconicError
from laconic.grammar.derivations import Application, match_fragment
from laconic.grammar.extraction import UNLIMITED, ExtractionOptions, extract_rules
from laconic.grammar.grammar import AlignedTrees
from laconic.grammar.rules import Rule
from laconic.trees.constituency import Tree
from tests.grammar.strategies import deletion_pairs, rewriting_pairs


def derivations_of(source: Tree, target: Tree, rules: list[Rule]) -> Application | None:
    """Any derivation of a pair of trees, by trying every rule at every pair of nodes."""
    memory: dict[tuple[int, int], Application | None] = {}

    def derive(v: int, w: int) -> Application | None:
        if (v, w) not in memory:
            memory[v, w] = next(filter(None, (apply(rule, v, w) for rule in rules)), None)
        return memory[v, w]

    def apply(rule: Rule, v: int, w: int) -> Application | None:
        sources, targets = match_fragment(rule.source, source, v), match_fragment(rule.target, target, w)
        if sources is None or targets is None:
            return None
        at = {
            leaf.link: node for leaf, node in zip(rule.target.frontier(), targets, strict=True) if leaf.link
        }
        below = []
        for leaf, node in zip(rule.source.frontier(), sources, strict=True):
            if leaf.link:
                part = derive(node, at[leaf.link])
                if part is None:
                    return None
                below.append(part)
        return Application(rule, tuple(below), v)

    return derive(0, 0)


@settings(max_examples=60)
@given(deletion_pairs())
def test_minimal_rules_derive_the_deletion(pair: AlignedTrees) -> None:
    source, target, _ = pair
    derivation = derivations_of(source, target, list(extract_rules(*pair)))
    assert derivation is not None
    assert derivation.target().tree() == target


@settings(max_examples=60)
@given(rewriting_pairs())
def test_minimal_rules_derive_any_rewriting(pair: AlignedTrees) -> None:
    source, target, _ = pair
    derivation = derivations_of(source, target, list(extract_rules(*pair)))
    assert derivation is not None
    assert derivation.target().tree() == target


@settings(max_examples=60)
@given(rewriting_pairs())
def test_depth_only_adds_rules_and_limits_only_remove_them(pair: AlignedTrees) -> None:
    by_depth = [
        set(extract_rules(*pair, ExtractionOptions(depth=depth, variables=99, nodes=99)))
        for depth in range(3)
    ]
    assert by_depth[0] <= by_depth[1] <= by_depth[2]
    assert by_depth[0] == set(extract_rules(*pair, UNLIMITED))
    small = set(extract_rules(*pair, ExtractionOptions(depth=2, variables=2, nodes=6)))
    assert small == {
        rule
        for rule in by_depth[2]
        if len(rule.variables) <= 2 and max(rule.source.size, rule.target.size) <= 6
    }
    whole = set(extract_rules(*pair, ExtractionOptions(depth=2, variables=2, nodes=6, whole=True)))
    assert small | by_depth[0] <= whole <= by_depth[2]


@settings(max_examples=60)
@given(deletion_pairs())
def test_chains_only_add_rules(pair: AlignedTrees) -> None:
    one, every = (
        set(extract_rules(*pair, ExtractionOptions(depth=0, variables=99, nodes=99, chains=chains)))
        for chains in (False, True)
    )
    assert one <= every


def test_a_chain_over_the_same_words_is_followed_once_or_everywhere() -> None:
    source = Tree.from_nested(("S", ("NP", ("NN", "rain")), ("VP", ("VBD", "fell"))))
    target = Tree.from_nested(("S", ("FRAG", ("NN", "rain")), ("VP", ("VBD", "fell"))))
    links = [(0, 0), (1, 1)]
    once = {str(rule) for rule in extract_rules(source, target, links)}
    assert "<NP,FRAG> -> <[NP NN_1], [FRAG NN_1]>" in once
    assert not any(rule.startswith("<NP,NN>") for rule in once)
    every = {
        str(rule) for rule in extract_rules(source, target, links, ExtractionOptions(depth=0, chains=True))
    }
    assert {"<NP,NN> -> <[NP NN_1], NN_1>", "<NP,FRAG> -> <[NP NN_1], FRAG_1>"} <= every


def test_all_choices_that_differ_in_words_are_followed() -> None:
    source = Tree.from_nested(("S", ("NP", ("NN", "rain")), ("VP", ("VBD", "fell"))))
    target = Tree.from_nested(
        ("S", ("NP", ("NP", ("DT", "the"), ("NN", "rain")), ("RB", "here")), ("VP", ("VBD", "fell")))
    )
    found = {str(rule) for rule in extract_rules(source, target, [(0, 1), (1, 3)])}
    assert {
        "<S,S> -> <[S NP_1 VP_2], [S NP_1 VP_2]>",
        "<S,S> -> <[S NP_1 VP_2], [S [NP NP_1 [RB here]] VP_2]>",
    } <= found


def test_words_without_a_link_are_an_error() -> None:
    tree = Tree.from_nested(("S", ("NN", "rain")))
    with pytest.raises(LaconicError, match="no rule to extract"):
        extract_rules(tree, tree, [])
