"""LlamaIndex: a postprocessor of retrieved nodes that meets its limit."""

from __future__ import annotations

from typing import Any

from laconic.documents.prompts import compress_prompt
from laconic.errors import MissingExtra

try:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
except ImportError:
    raise MissingExtra("llama-index-core", "llama-index") from None

_OPTIONS = ("tokens", "ratio", "tokenizer", "keep", "drop", "protect", "drop_sentences", "system")


class LaconicPostprocessor(BaseNodePostprocessor):  # type: ignore[misc]
    """Shortens nodes together to at most `tokens`, or to `ratio` of theirs, heeding the query.

    The options are those of `laconic.documents.prompts.compress_prompt`. Nodes keep their scores and metadata, which
    is not counted; those of which nothing is left are left out.
    """

    tokens: int | None = None
    ratio: float | None = None
    tokenizer: Any = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    protect: tuple[str, ...] | None = None
    drop_sentences: bool = True
    system: str = "default"

    @classmethod
    def class_name(cls) -> str:
        """The name under which it is stored."""
        return "LaconicPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        texts = [node.node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        query = "" if query_bundle is None else query_bundle.query_str
        options = {name: getattr(self, name) for name in _OPTIONS}
        found = compress_prompt(texts, query=query, **options)
        return [_with_text(node, text) for node, text in zip(nodes, found.documents, strict=True) if text]


def _with_text(node: NodeWithScore, text: str) -> NodeWithScore:
    shortened = node.model_copy(deep=True)
    shortened.node.set_content(text)
    return shortened
