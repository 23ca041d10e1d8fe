"""LangChain's documents go in and come out shorter, within the limit."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langchain_core")

from langchain_core.documents import BaseDocumentCompressor, Document

from laconic.integrations.langchain import LaconicCompressor

DOCUMENTS = [
    Document(
        page_content="The council voted on Thursday night to rebuild the old harbour wall. Councillor Brendan Sykes, "
        "the only one to vote against it, called the plan a tax on herring.",
        metadata={"source": "minutes"},
        id="1",
    ),
    Document(page_content="Rye bread was sold to porters at night, in an arch that nobody owned."),
    Document(page_content=""),
]
QUERY = "Who voted against the plan?"


def words(documents) -> int:
    return sum(len(document.page_content.split()) for document in documents)


def test_documents_are_shortened_together_for_the_query() -> None:
    compressor = LaconicCompressor(tokens=20, tokenizer=str.split)
    assert isinstance(compressor, BaseDocumentCompressor)
    found = compressor.compress_documents(DOCUMENTS, QUERY)
    assert 0 < words(found) <= 20
    assert "Brendan Sykes" in found[0].page_content
    assert (found[0].metadata, found[0].id) == ({"source": "minutes"}, "1")
    assert all(document.page_content for document in found)
    assert words(DOCUMENTS) > 35  # the others are as they were


def test_without_waiting_it_answers_the_same() -> None:
    compressor = LaconicCompressor(ratio=0.5)
    found = asyncio.run(compressor.acompress_documents(DOCUMENTS, QUERY))
    assert found == compressor.compress_documents(DOCUMENTS, QUERY)


def test_no_documents_are_none() -> None:
    assert LaconicCompressor(tokens=5).compress_documents([], QUERY) == []
