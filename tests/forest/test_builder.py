import math
from itertools import pairwise

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import slot
from tests.forest.questions import features_of
from tests.oracles.forest import edges_of


def test_nodes_are_interned_by_key() -> None:
    builder = ForestBuilder(range(1))
    assert builder.node("a") == builder.node("a") == 0
    assert builder.node(("a", 1)) == 1


def test_edges_added_in_any_order_come_out_bottom_up() -> None:
    builder = ForestBuilder(range(1))
    top, middle, leaf = (builder.node(key) for key in ("top", "middle", "leaf"))
    builder.edge(top, [middle, leaf])
    builder.edge(middle, [leaf, leaf])
    builder.edge(leaf, emits=[0])
    forest = builder.build(top)
    assert forest.keys == ("leaf", "middle", "top")
    assert forest.root == 2
    assert [forest.tails_of(edge) for edge in range(3)] == [(), (0, 0), (1, 0)]
    assert np.all(forest.tails < np.repeat(forest.heads, np.diff(forest.tail_starts)))
    assert forest.origins.tolist() == [2, 1, 0]


def test_edges_of_a_node_keep_their_order_and_their_content() -> None:
    builder = ForestBuilder([0, -1])
    root, leaf = builder.node("root"), builder.node("leaf")
    builder.edge(root, [leaf], score=1.0, emits=[1, slot(0)], features={3: 2.0, 1: -1.0}, origin=70)
    builder.edge(leaf)
    builder.edge(root, [leaf], score=2.0, origin=71)
    builder.edge(root, emits=[0, 0], score=-math.inf)
    forest = builder.build(root)
    edges = list(edges_of(forest, forest.root))
    assert forest.scores[edges].tolist() == [1.0, 2.0, -math.inf]
    assert forest.origins[edges].tolist() == [70, 71, 3]
    assert [forest.template_of(edge) for edge in edges] == [(1, -1), (-1,), (0, 0)]
    assert [features_of(forest, edge) for edge in edges] == [{3: 2.0, 1: -1.0}, {}, {}]


def test_what_no_derivation_uses_is_left_out() -> None:
    builder = ForestBuilder(range(1))
    root, leaf, dead, unreachable = (builder.node(key) for key in ("root", "leaf", "dead", "unreachable"))
    builder.edge(root, [leaf, dead])
    builder.edge(root, [leaf])
    builder.edge(unreachable, [leaf])
    builder.edge(leaf)
    forest = builder.build(root)
    assert forest.keys == ("leaf", "root")
    assert forest.edge_count == 2


def test_a_cycle_is_named() -> None:
    builder = ForestBuilder(range(1))
    root, left, right = (builder.node(key) for key in ("root", "left", "right"))
    builder.edge(root, [left])
    builder.edge(left, [right])
    builder.edge(right, [left])
    builder.edge(right)
    with pytest.raises(LaconicError, match="left -> right -> left"):
        builder.build(root)


def test_a_node_that_is_its_own_tail_is_named() -> None:
    builder = ForestBuilder(range(1))
    root = builder.node("root")
    builder.edge(root)
    builder.edge(root, [root])
    with pytest.raises(LaconicError, match="root -> root"):
        builder.build(root)


def test_a_root_without_derivation_is_an_error() -> None:
    builder = ForestBuilder(range(1))
    root, dead = builder.node("root"), builder.node("dead")
    builder.edge(root, [dead])
    with pytest.raises(LaconicError, match="the root root has no derivation"):
        builder.build(root)


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_bad_score_names_edge_and_node(score: float) -> None:
    builder = ForestBuilder(range(1))
    builder.edge(builder.node("fine"))
    builder.edge(builder.node("broken"), score=score)
    with pytest.raises(LaconicError, match="edge 1 of node broken scores"):
        builder.build(0)


@pytest.mark.parametrize(
    ("tails", "emits", "message"),
    [
        ([5], None, "has tail 5: no such node"),
        ([-1], None, "has tail -1: no such node"),
        ([1], [], "has 1 tails; its template must hold each slot once"),
        ([1], [slot(0), slot(0)], "must hold each slot once"),
        ([1, 1], [slot(0), slot(2)], "must hold each slot once"),
        ([], [slot(0)], "has 0 tails"),
        ([], [7], "symbol 7 is emitted, but only 1 symbols"),
    ],
)
def test_a_bad_edge_is_named(tails: list[int], emits: list[int] | None, message: str) -> None:
    builder = ForestBuilder(range(1))
    root, leaf = builder.node("root"), builder.node("leaf")
    builder.edge(leaf)
    builder.edge(root, tails, emits=emits)
    with pytest.raises(LaconicError, match=message):
        builder.build(root)


def test_bad_heads_roots_words_and_features_are_errors() -> None:
    builder = ForestBuilder(range(1))
    builder.edge(builder.node("root"))
    with pytest.raises(LaconicError, match="the root is node 3, outside a forest of 1 nodes"):
        builder.build(3)
    builder.edge(4)
    with pytest.raises(LaconicError, match="edge 1 of node 4: outside"):
        builder.build(0)
    builder = ForestBuilder([0, -2])
    builder.edge(builder.node("root"))
    with pytest.raises(LaconicError, match="symbol 1 copies word -2"):
        builder.build(0)
    builder = ForestBuilder([0])
    builder.edge(builder.node("root"), features={0: math.inf})
    with pytest.raises(LaconicError, match="feature 0 has value inf"):
        builder.build(0)


def test_a_deep_chain_needs_no_recursion() -> None:
    builder = ForestBuilder(range(1))
    nodes = [builder.node(level) for level in range(5000)]
    builder.edge(nodes[0], emits=[0])
    for below, above in pairwise(nodes):
        builder.edge(above, [below])
    assert builder.build(nodes[-1]).node_count == 5000
