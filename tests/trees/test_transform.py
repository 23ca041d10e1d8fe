from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.formats.penn import format_tree, parse_tree
from laconic.trees.transform import (
    bare_label,
    remove_empty,
    restrict,
    strip_functions,
    with_root,
    without_root,
)
from tests.strategies import trees

PLEDGED = """
( (S (NP-SBJ-1 (NNP Ms.) (NNP Haag))
     (VP (VBD wanted)
         (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB play)))))
     (. .)))
"""


def test_traces_go_with_the_phrases_they_leave_empty() -> None:
    assert (
        format_tree(remove_empty(parse_tree(PLEDGED)))  # type: ignore[arg-type]
        == "( (S (NP-SBJ-1 (NNP Ms.) (NNP Haag)) (VP (VBD wanted) (S (VP (TO to) (VP (VB play))))) (. .)))"
    )


def test_a_tree_of_traces_alone_has_no_words() -> None:
    assert remove_empty(parse_tree("(S (NP (-NONE- *)) (VP (-NONE- *?*)))")) is None


@pytest.mark.parametrize(
    ("label", "bare"),
    [
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("S-TPC-1=3", "S"),
        ("-LRB-", "-LRB-"),
        ("-NONE-", "-NONE-"),
        ("-", "-"),
        ("=", "="),
        ("PRP$", "PRP$"),
        ("ADVP|PRT", "ADVP|PRT"),
        ("", ""),
    ],
)
def test_bare_labels(label: str, bare: str) -> None:
    assert bare_label(label) == bare


def test_function_tags_are_stripped_everywhere() -> None:
    tree = strip_functions(parse_tree("(S=2 (NP-SBJ (-LRB- -LRB-) (NN-X dog)))"))
    assert tree.labels == ("S", "NP", "-LRB-", "NN")


def test_restriction_deletes_words_and_empty_phrases() -> None:
    tree = parse_tree("(S (NP (DT The) (JJ big) (NN dog)) (VP (VBD barked) (ADVP (RB loudly))))")
    assert format_tree(restrict(tree, [0, 2, 3])) == "(S (NP (DT The) (NN dog)) (VP (VBD barked)))"  # type: ignore[arg-type]
    assert restrict(tree, []) is None
    with pytest.raises(LaconicError, match="word 5"):
        restrict(tree, [5])
    with pytest.raises(LaconicError, match="word -1"):
        restrict(tree, [-1])


@given(trees(), st.data())
def test_restriction_keeps_exactly_the_spans_that_still_hold_words(tree, data: st.DataObject) -> None:
    kept = sorted(data.draw(st.sets(st.sampled_from(range(len(tree.words))), min_size=1)))
    smaller = restrict(tree, kept)
    assert smaller.words == tuple(tree.words[index] for index in kept)
    assert smaller.tags == tuple(tree.tags[index] for index in kept)
    expected = [
        (label, [index for index in kept if start <= index < end]) for label, start, end in tree.spans
    ]
    assert [(label, kept[start:end]) for label, start, end in smaller.spans] == [
        span for span in expected if span[1]
    ]


@given(trees())
def test_restriction_to_everything_changes_nothing(tree) -> None:
    assert restrict(tree, range(len(tree.words))) == tree


@pytest.mark.parametrize("text", ["( (S (VB Go)))", "(TOP (S (VB Go)))", "(S1 (S (VB Go)))", "(S (VB Go))"])
def test_roots_are_normalised(text: str) -> None:
    assert format_tree(with_root(parse_tree(text))) == "(ROOT (S (VB Go)))"
    assert format_tree(without_root(parse_tree(text))) == "(S (VB Go))"


def test_a_root_of_several_children_stays() -> None:
    tree = parse_tree("( (NP (NN Hi)) (. !))")
    assert without_root(tree) == tree
    assert with_root(tree, "TOP").labels[0] == "TOP"


@given(trees())
def test_adding_a_root_is_idempotent(tree) -> None:
    assert with_root(with_root(tree)) == with_root(tree)
    assert with_root(tree).words == tree.words
