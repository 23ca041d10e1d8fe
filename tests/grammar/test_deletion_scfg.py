"""Deletion rules from pairs of trees: rules derive the compression they come from."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from laconic.errors import LaconicError
from laconic.grammar.deletion_scfg import (
    DeletionDerivation,
    PhraseRule,
    derive_by_edits,
    derive_by_words,
    derive_strictly,
)
from laconic.trees.constituency import Tree
from laconic.trees.transform import restrict
from tests.strategies import trees


@st.composite
def deletions(draw: DrawFn) -> tuple[Tree, list[int], Tree]:
    """A tree over different words, some of its words, and the tree of those."""
    shape = draw(trees(max_words=8, phrases=("S", "NP", "VP"), tags=("NN", "DT")))
    words = tuple(f"w{number}" for number in range(len(shape.words)))
    tree = Tree(shape.labels, shape.parents, shape.starts, shape.ends, words)
    kept = sorted(draw(st.sets(st.integers(0, len(words) - 1), min_size=1)))
    short = restrict(tree, kept)
    assert short is not None
    return tree, kept, short


def derived_words(derivation: DeletionDerivation, node: int = 0) -> list[int]:
    """The yield of the target side, from the top down."""
    tree = derivation.tree
    if tree.is_preterminal(node):
        return [tree.starts[node]]
    assert derivation.derived[node]
    kept = [child for child in tree.children(node) if derivation.kept[child]]
    return [word for child in kept for word in derived_words(derivation, child)]


@given(deletions())
@settings(deadline=None)
def test_rules_derive_the_compression_they_come_from(pair: tuple[Tree, list[int], Tree]) -> None:
    tree, kept, short = pair
    by_words = derive_by_words(tree, kept)
    assert derived_words(by_words) == kept
    strictly = derive_strictly(tree, short, kept)
    assert strictly.derived == by_words.derived
    assert strictly.rules() == by_words.rules()


@given(deletions())
@settings(deadline=None)
def test_rules_by_edits_keep_what_holds_kept_words(pair: tuple[Tree, list[int], Tree]) -> None:
    tree, kept, short = pair
    by_words = derive_by_words(tree, kept)
    for auxiliaries in (True, False):
        by_edits = derive_by_edits(tree, short, auxiliaries=auxiliaries)
        assert by_edits is not None
        for node, derived in enumerate(by_edits.derived):
            if derived:
                assert by_words.derived[node]
                assert by_edits.rule(node) == by_words.rule(node)


@given(deletions(), st.data())
@settings(deadline=None)
def test_substitutions_are_accepted_up_to_the_limit(
    pair: tuple[Tree, list[int], Tree], data: st.DataObject
) -> None:
    tree, _, short = pair
    changed = data.draw(st.sets(st.integers(0, len(short.words) - 1)))
    words = tuple("other" if place in changed else word for place, word in enumerate(short.words))
    reworded = Tree(short.labels, short.parents, short.starts, short.ends, words)
    assert derive_by_edits(tree, reworded, substitutions=len(changed)) is not None
    if changed:
        assert derive_by_edits(tree, reworded, substitutions=len(changed) - 1) is None


def test_a_rewritten_phrase_is_not_derived_but_those_around_it_are() -> None:
    source = Tree.from_nested(
        ("S", ("NP", ("NN", "Rain")), ("VP", ("VBD", "fell"), ("PP", ("IN", "on"), ("NN", "us"))))
    )
    target = Tree.from_nested(
        ("S", ("NP", ("NN", "Rain")), ("VP", ("VBD", "fell"), ("ADVP", ("IN", "on"), ("NN", "us"))))
    )
    for derivation in (derive_strictly(source, target, range(4)), derive_by_edits(source, target)):
        assert derivation is not None
        assert [str(rule) for rule in derivation.rules()] == ["S -> <NP VP, NP VP>", "NP -> <NN, NN>"]


def test_strict_matching_needs_the_same_levels_that_auxiliaries_bridge() -> None:
    source = Tree.from_nested(
        ("S", ("NP", ("NP", ("NN", "Rain")), ("PP", ("IN", "of"), ("NN", "May"))), ("VP", ("VBD", "fell")))
    )
    target = Tree.from_nested(("S", ("NP", ("NN", "Rain")), ("VP", ("VBD", "fell"))))
    strict, bridged = derive_strictly(source, target, [0, 3]), derive_by_edits(source, target)
    assert bridged is not None
    assert [str(rule) for rule in strict.rules()] == ["S -> <NP VP, NP VP>", "VP -> <VBD, VBD>"]
    assert [str(rule) for rule in bridged.rules()] == [
        "S -> <NP VP, NP VP>",
        "NP -> <NP PP, NP>",
        "NP -> <NN, NN>",
        "VP -> <VBD, VBD>",
    ]


def test_an_inserted_word_makes_no_derivation() -> None:
    source = Tree.from_nested(("S", ("NN", "Rain"), ("VBD", "fell")))
    target = Tree.from_nested(("S", ("NN", "Rain"), ("RB", "often"), ("VBD", "fell")))
    assert derive_by_edits(source, target, substitutions=9) is None


def test_mistakes_are_named() -> None:
    source, target = Tree.from_nested(("S", ("NN", "Rain"))), Tree.from_nested(("S", ("NN", "Snow")))
    with pytest.raises(LaconicError, match=r"'Snow' are not those kept of 'Rain'.*by edits instead"):
        derive_strictly(source, target, [0])
    with pytest.raises(LaconicError, match="cannot keep word 3 of a tree of 1 words"):
        derive_by_words(source, [3])
    with pytest.raises(LaconicError, match="one tree has the root 'ROOT', the other 'S'"):
        derive_by_edits(Tree.from_nested(("ROOT", ("S", ("NN", "Rain")))), target)
    with pytest.raises(LaconicError, match="keeps at least one of its 2 children"):
        PhraseRule("S", ("NP", "VP"), ())
