"""Haystack's documents go through a pipeline and come out shorter, within the limit."""

from __future__ import annotations

import pytest

pytest.importorskip("haystack")

from haystack import Document, Pipeline

from laconic.integrations.haystack import LaconicCompressor

DOCUMENTS = [
    Document(
        content="The council voted on Thursday night to rebuild the old harbour wall. Councillor Brendan Sykes, the "
        "only one to vote against it, called the plan a tax on herring.",
        meta={"source": "minutes"},
        score=0.7,
    ),
    Document(content="Rye bread was sold to porters at night, in an arch that nobody owned."),
    Document(content=None, meta={"picture": "a.png"}),
]


def test_a_pipeline_shortens_documents_for_the_query() -> None:
    shorter = Pipeline()
    shorter.add_component("shorter", LaconicCompressor(tokens=120, tokenizer="bytes"))
    given = {"documents": DOCUMENTS, "query": "Who voted against the plan?"}
    found = shorter.run({"shorter": given})["shorter"]["documents"]
    texts = [document.content for document in found if document.content]
    assert 0 < len("\n\n".join(texts).encode()) <= 120
    assert "Brendan Sykes" in texts[0]
    assert (found[0].id, found[0].meta, found[0].score) == (DOCUMENTS[0].id, {"source": "minutes"}, 0.7)
    assert found[-1] == DOCUMENTS[-1]


def test_a_pipeline_with_it_can_be_stored() -> None:
    shorter = Pipeline()
    shorter.add_component("shorter", LaconicCompressor(ratio=0.5, keep=["herring"], system="truncate"))
    again = Pipeline.loads(shorter.dumps(), allowed_modules=["laconic.integrations.haystack"])
    found = again.run({"shorter": {"documents": DOCUMENTS[:1]}})["shorter"]["documents"]
    assert "herring" in found[0].content
