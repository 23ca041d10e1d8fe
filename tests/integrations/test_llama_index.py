"""LlamaIndex's nodes go in and come out shorter, within the limit."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, TextNode

from laconic.integrations.llama_index import LaconicPostprocessor

TEXTS = (
    "The council voted on Thursday night to rebuild the old harbour wall. Councillor Brendan Sykes, the only one to "
    "vote against it, called the plan a tax on herring.",
    "Rye bread was sold to porters at night, in an arch that nobody owned.",
)
QUERY = "Who voted against the plan?"


def nodes() -> list[NodeWithScore]:
    return [
        NodeWithScore(node=TextNode(text=text, metadata={"place": place}), score=0.5 - 0.1 * place)
        for place, text in enumerate(TEXTS)
    ]


def test_nodes_are_shortened_together_for_the_query() -> None:
    postprocessor = LaconicPostprocessor(tokens=20, tokenizer=str.split)
    assert isinstance(postprocessor, BaseNodePostprocessor)
    given = nodes()
    found = postprocessor.postprocess_nodes(given, query_str=QUERY)
    assert 0 < sum(len(node.node.text.split()) for node in found) <= 20
    assert "Brendan Sykes" in found[0].node.text
    assert (found[0].score, found[0].node.metadata) == (0.5, {"place": 0})
    assert found[0].node.node_id == given[0].node.node_id
    assert given[0].node.text == TEXTS[0]


def test_without_waiting_and_without_a_query_it_answers_too() -> None:
    postprocessor = LaconicPostprocessor(ratio=0.6)
    found = asyncio.run(postprocessor.apostprocess_nodes(nodes()))
    assert [node.node.text for node in found] == [
        node.node.text for node in postprocessor.postprocess_nodes(nodes())
    ]
