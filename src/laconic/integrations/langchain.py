"""LangChain: a compressor of retrieved documents that meets its limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic.documents.prompts import compress_prompt
from laconic.errors import MissingExtra

try:
    from langchain_core.documents import BaseDocumentCompressor, Document
except ImportError:
    raise MissingExtra("langchain-core", "langchain") from None


class LaconicCompressor(BaseDocumentCompressor):  # type: ignore[misc]
    """Shortens documents together to at most `tokens`, or to `ratio` of theirs, heeding the query.

    The options are those of `laconic.documents.prompts.compress_prompt`. Documents keep their metadata; those of
    which nothing is left are left out.
    """

    model_config = {"arbitrary_types_allowed": True}  # noqa: RUF012  (pydantic's own way)

    tokens: int | None = None
    ratio: float | None = None
    tokenizer: Any = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    protect: tuple[str, ...] | None = None
    drop_sentences: bool = True
    system: str = "default"

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Any = None,  # noqa: ARG002
    ) -> Sequence[Document]:
        """The documents, shortened, in their order."""
        found = compress_prompt([each.page_content for each in documents], query=query, **_options(self))
        return [
            each.model_copy(update={"page_content": text})
            for each, text in zip(documents, found.documents, strict=True)
            if text
        ]


def _options(compressor: LaconicCompressor) -> dict[str, Any]:
    return {name: getattr(compressor, name) for name in LaconicCompressor.model_fields}
