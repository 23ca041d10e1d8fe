"""Tree edit distance: it equals the literal recursion, is a metric, and its mapping costs what it says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.trees.constituency import Tree
from laconic.trees.edit_distance import align_trees, tree_edit_distance
from laconic.trees.transform import restrict
from tests.oracles import edit_distance as oracle
from tests.strategies import trees

small = trees(
    max_words=5, phrases=("S", "NP", "VP"), tags=("NN", "DT"), word=st.sampled_from(("a", "b", "NN", "S"))
)


@given(small, small)
@settings(max_examples=80, deadline=None)
def test_distance_equals_the_recursion_over_forests(source: Tree, target: Tree) -> None:
    assert tree_edit_distance(source, target) == oracle.distance(source, target)


@given(small, small)
@settings(max_examples=150, deadline=None)
def test_the_mapping_costs_the_distance_and_keeps_the_structure(source: Tree, target: Tree) -> None:
    mapping = align_trees(source, target)
    assert mapping.distance == tree_edit_distance(source, target)
    assert oracle.mapping_cost(source, target, mapping) == mapping.distance
    assert oracle.keeps_structure(source, target, mapping)


@given(small, small, small)
@settings(max_examples=100, deadline=None)
def test_distance_is_a_metric(a: Tree, b: Tree, c: Tree) -> None:
    assert (tree_edit_distance(a, b) == 0) == (a == b)
    assert tree_edit_distance(a, b) == tree_edit_distance(b, a)
    assert tree_edit_distance(a, c) <= tree_edit_distance(a, b) + tree_edit_distance(b, c)


@given(trees(max_words=8), st.data())
@settings(max_examples=60, deadline=None)
def test_a_deletion_costs_what_it_deletes(tree: Tree, data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.integers(0, len(tree.words) - 1), min_size=1))
    short = restrict(tree, kept)
    assert short is not None
    sizes = [len(each.labels) + len(each.words) for each in (tree, short)]
    mapping = align_trees(tree, short)
    assert mapping.distance == sizes[0] - sizes[1]
    assert len(mapping.words) == len(kept)


def test_a_tree_is_mapped_to_itself_node_by_node() -> None:
    tree = Tree.from_nested(("S", ("NP", ("NP", ("NN", "x")), ("NP", ("NN", "x"))), ("VP", ("VBD", "x"))))
    mapping = align_trees(tree, tree)
    assert mapping.distance == 0
    assert mapping.nodes == tuple((node, node) for node in range(len(tree.labels)))
    assert mapping.words == ((0, 0), (1, 1), (2, 2))


def test_words_and_categories_are_never_mapped_to_each_other() -> None:
    source, target = Tree.from_nested(("S", ("NN", "NP"))), Tree.from_nested(("NP", ("S", ("NN", "x"))))
    mapping = align_trees(source, target)
    assert mapping.words == ((0, 0),)
    assert mapping.distance == oracle.distance(source, target) == 2


def test_ties_go_to_the_lower_phrase_and_the_later_word() -> None:
    nested = Tree.from_nested(("NP", ("NP", ("DT", "the"), ("NN", "dog")), ("PP", ("IN", "in"))))
    short = Tree.from_nested(("NP", ("DT", "the"), ("NN", "dog")))
    assert align_trees(nested, short).nodes == ((1, 0), (2, 1), (3, 2))
    twice = Tree.from_nested(("NP", ("JJ", "big"), ("JJ", "big")))
    assert align_trees(twice, Tree.from_nested(("NP", ("JJ", "big")))).words == ((1, 0),)


def test_a_chain_of_many_unaries() -> None:
    deep = ("NN", "x")
    for _ in range(300):
        deep = ("NP", deep)  # type: ignore[assignment]
    assert tree_edit_distance(Tree.from_nested(deep), Tree.from_nested(("NP", ("NN", "x")))) == 299
