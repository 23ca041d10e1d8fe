import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from laconic.errors import FormatError, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.formats import from_json, to_dot, to_json
from laconic.forest.hypergraph import Hypergraph, slot
from tests.forest.strategies import forests


@given(forests(possible=False))
@settings(max_examples=40)
def test_json_gives_the_forest_back(forest: Hypergraph) -> None:
    text = to_json(forest)
    again = from_json(text)
    assert to_json(again) == text
    assert again.keys == forest.keys
    for name in ("edge_starts", "heads", "tail_starts", "tails", "scores", "symbol_words", "origins"):
        assert np.array_equal(getattr(again, name), getattr(forest, name))
    for edge in range(forest.edge_count):
        assert again.template_of(edge) == forest.template_of(edge)
        assert again.features_of(edge) == forest.features_of(edge)


@given(forests())
@settings(max_examples=10)
def test_forests_without_keys_are_written_too(forest: Hypergraph) -> None:
    text = to_json(replace(forest, keys=()))
    assert to_json(from_json(text)) == text


def small() -> Hypergraph:
    builder = ForestBuilder([0, -1])
    root, leaf = builder.node('a "quoted" root'), builder.node(("leaf", None, 1))
    builder.edge(leaf, emits=[0], score=-math.inf)
    builder.edge(leaf)
    builder.edge(root, [leaf], emits=[1, slot(0)], score=0.5)
    return builder.build(root)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "forest.json:1: not JSON"),
        ("[]", "forest.json: not a forest"),
        ('{"format": "other"}', "not a forest"),
    ],
)
def test_what_is_not_a_forest_is_an_error(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        from_json(text, source="forest.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.pop("edges"), "a damaged forest"),
        (lambda content: content["edges"][0].pop("score"), "a damaged forest"),
        (lambda content: content["edges"][0].update(head="x"), "a damaged forest"),
        (lambda content: content["edges"][0].update(head=9), "edge 0 of node 9: outside a forest of 2 nodes"),
        (lambda content: content["edges"][0].update(head=-1), "edge 0 of node -1: outside"),
        (lambda content: content["edges"][0].update(emits=[-1]), "must hold each slot once"),
        (
            lambda content: content["nodes"].__setitem__(1, content["nodes"][0]),
            "node 1 has the key of an earlier",
        ),
        (lambda content: content["nodes"].clear(), "the root is node -1|outside a forest of 0 nodes"),
    ],
)
def test_a_damaged_forest_is_an_error(change: object, message: str) -> None:
    content = json.loads(to_json(small()))
    change(content)  # type: ignore[operator]
    with pytest.raises(FormatError, match=message):
        from_json(json.dumps(content))


def test_keys_that_json_lacks_are_an_error() -> None:
    builder = ForestBuilder(range(1))
    builder.edge(builder.node(frozenset({1})))
    with pytest.raises(LaconicError, match="cannot be written as JSON"):
        to_json(builder.build(0))


def test_a_drawing_shows_nodes_edges_and_tails() -> None:
    drawing = to_dot(small(), symbols=["fell", "The"])
    assert r'n1 [label="a \"quoted\" root"];' in drawing
    assert r'e2 [shape=box, label="The [0]\n0.5"];' in drawing
    assert r'e1 [shape=box, label="ε\n0"];' in drawing
    assert r'e0 [shape=box, label="fell\n-inf"];' in drawing
    assert "n1 -> e2 [dir=none];" in drawing
    assert "e2 -> n0 [label=0];" in drawing
    assert to_dot(small()).count("[shape=box") == 3
