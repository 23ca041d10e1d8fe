from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from laconic.errors import LaconicError
from laconic.trees.arrays import tree_arrays
from laconic.trees.constituency import Tree
from tests.strategies import trees

STARS = ("S", ("NP", ("DT", "The"), ("NNS", "stars")), ("VP", ("VBP", "shine"), ("ADVP", ("RB", "brightly"))))


def nested(tree: Tree, node: int = 0) -> tuple:  # type: ignore[type-arg]
    """The recursive twin of the flat tree."""
    if tree.is_preterminal(node):
        return (tree.labels[node], tree.words[tree.starts[node]])
    return (tree.labels[node], *(nested(tree, child) for child in tree.children(node)))


def test_nodes_are_in_preorder_with_half_open_spans() -> None:
    tree = Tree.from_nested(STARS)
    assert tree.labels == ("S", "NP", "DT", "NNS", "VP", "VBP", "ADVP", "RB")
    assert tree.parents == (-1, 0, 1, 1, 0, 4, 4, 6)
    assert tree.starts == (0, 0, 0, 1, 2, 2, 3, 3)
    assert tree.ends == (4, 2, 1, 2, 4, 3, 4, 4)
    assert tree.words == ("The", "stars", "shine", "brightly")
    assert tree.tags == ("DT", "NNS", "VBP", "RB")
    assert tree.preterminals == (2, 3, 5, 7)
    assert tree.children(0) == (1, 4)
    assert tree.children(7) == ()
    assert tree.production(4) == ("VP", ("VBP", "ADVP"))
    assert tree.production(7) == ("RB", ("brightly",))
    assert tree.depth == 4
    assert tree.spans == (("S", 0, 4), ("NP", 0, 2), ("VP", 2, 4), ("ADVP", 3, 4))


def test_subtree_is_a_tree_over_its_own_words() -> None:
    assert Tree.from_nested(STARS).subtree(4) == Tree.from_nested(STARS[2])
    assert Tree.from_nested(STARS).subtree(7) == Tree.from_nested(("RB", "brightly"))


@given(trees())
def test_nested_and_back(tree) -> None:
    assert Tree.from_nested(nested(tree)) == tree


@given(trees())
def test_spans_and_back(tree) -> None:
    assert Tree.from_spans(tree.words, tree.tags, tree.spans) == tree


@given(trees())
def test_children_partition_their_parent(tree) -> None:
    for node in range(len(tree.labels)):
        children = tree.children(node)
        assert all(tree.parents[child] == node for child in children)
        if children:
            edges = [tree.starts[child] for child in children] + [tree.ends[children[-1]]]
            assert edges[0] == tree.starts[node]
            assert edges[-1] == tree.ends[node]
            assert edges[1:] == [tree.ends[child] for child in children]
        below = {node}
        below.update(other for other in range(node + 1, len(tree.labels)) if tree.parents[other] in below)
        # Parents come first, so one pass finds every descendant.
        assert below == set(range(node, tree.subtree_end(node)))


@given(trees())
def test_every_subtree_is_what_nesting_says(tree) -> None:
    for node in range(len(tree.labels)):
        assert nested(tree.subtree(node)) == nested(tree, node)


@given(trees())
def test_arrays_say_what_the_tree_says(tree) -> None:
    arrays = tree_arrays(tree)
    assert all(array.dtype == np.int32 for array in arrays)
    for node in range(len(tree.labels)):
        children = []
        child = arrays.first_children[node]
        while child != -1:
            children.append(int(child))
            child = arrays.next_siblings[child]
        assert tuple(children) == tree.children(node)
        assert arrays.subtree_ends[node] == tree.subtree_end(node)
        assert arrays.parents[node] == tree.parents[node]
        assert (arrays.starts[node], arrays.ends[node]) == (tree.starts[node], tree.ends[node])


def test_trees_are_values() -> None:
    assert Tree.from_nested(STARS) == Tree.from_nested(STARS)
    assert len({Tree.from_nested(STARS), Tree.from_nested(STARS)}) == 1
    with pytest.raises(AttributeError):
        Tree.from_nested(STARS).words = ()  # type: ignore[misc]


def test_ten_thousand_words_deep() -> None:
    item: tuple = ("NN", "end")  # type: ignore[type-arg]
    for number in range(10_000):
        item = ("NP", ("DT", f"w{number}"), item)
    tree = Tree.from_nested(item)
    assert len(tree.words) == 10_001
    assert tree.depth == 10_001
    assert tree.subtree(2 * 9_999).words == ("w0", "end")


BROKEN = {
    "no nodes": ((), (), (), (), ()),
    "lengths": (("S",), (-1, 0), (0,), (1,), ("a",)),
    "empty word": (("NN",), (-1,), (0,), (1,), ("",)),
    "root must cover everything": (("NN",), (-1,), (0,), (1,), ("a", "b")),
    "root has a parent": (("NN",), (0,), (0,), (1,), ("a",)),
    "preterminal over two words": (("NN",), (-1,), (0,), (2,), ("a", "b")),
    "parent after child": (("S", "NN", "NN"), (-1, 2, 0), (0, 0, 1), (2, 1, 2), ("a", "b")),
    "gap": (("S", "NN", "NN"), (-1, 0, 0), (0, 0, 2), (3, 1, 3), ("a", "b", "c")),
    "child beyond its parent": (
        ("S", "NP", "NN", "NN", "NN"),
        (-1, 0, 1, 1, 0),
        (0, 0, 0, 1, 1),
        (2, 1, 1, 2, 2),
        ("a", "b"),
    ),
    "empty span": (("S", "NP", "NN"), (-1, 0, 0), (0, 0, 0), (1, 0, 1), ("a",)),
    "words without preterminal": (("S", "NN"), (-1, 0), (0, 0), (2, 1), ("a", "b")),
    "two roots": (("NN", "NN"), (-1, -1), (0, 0), (1, 1), ("a",)),
    "node behind a complete root": (("S", "NN", "NN"), (-1, 0, 0), (0, 0, 1), (1, 1, 2), ("a",)),
    "inner node without label": (("S", "", "NN"), (-1, 0, 1), (0, 0, 0), (1, 1, 1), ("a",)),
    "preterminal without tag": (("",), (-1,), (0,), (1,), ("a",)),
}


@pytest.mark.parametrize("fields", BROKEN.values(), ids=BROKEN.keys())
def test_broken_arrays_raise(fields) -> None:
    with pytest.raises(LaconicError):
        Tree(*fields)


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([("S", 0, 3), ("A", 0, 2), ("B", 1, 3)], "cross"),
        ([("S", 0, 3), ("A", 2, 2)], "empty or outside"),
        ([("S", 0, 4)], "empty or outside"),
        ([("A", 0, 2)], "no span covers"),
        ([("A", 1, 3)], "no span covers"),
        ([], "no span covers"),
    ],
)
def test_impossible_spans_raise(spans, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        Tree.from_spans(["a", "b", "c"], ["X", "X", "X"], spans)


def test_spans_need_a_tag_for_every_word() -> None:
    with pytest.raises(LaconicError, match="2 words but 1 tags"):
        Tree.from_spans(["a", "b"], ["X"], [("S", 0, 2)])


@pytest.mark.parametrize(
    "item", ["word", ("S",), (("NN", "a"), ("NN", "b")), ("S", "a", "b"), ("S", ("NN",))]
)
def test_malformed_nesting_raises(item) -> None:
    with pytest.raises(LaconicError, match="nested tree"):
        Tree.from_nested(item)
