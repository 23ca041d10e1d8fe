"""Haystack: a component that shortens documents to a limit that is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from laconic.documents.prompts import compress_prompt
from laconic.errors import MissingExtra

try:
    from haystack import Document, component
except ImportError:
    raise MissingExtra("haystack-ai", "haystack") from None

_OPTIONS = ("tokens", "ratio", "tokenizer", "keep", "drop", "protect", "drop_sentences", "system")


@component
class LaconicCompressor:
    """Shortens documents together to at most `tokens`, or to `ratio` of theirs, heeding the query.

    The options are those of `laconic.documents.prompts.compress_prompt`; a tokenizer is given by its name or file, so
    that pipelines can be stored. Documents keep ids, scores and metadata; those of which nothing is left are left
    out, and those without text are passed on.
    """

    def __init__(
        self,
        tokens: int | None = None,
        ratio: float | None = None,
        tokenizer: str | None = None,
        keep: Sequence[str] = (),
        drop: Sequence[str] = (),
        protect: Sequence[str] | None = None,
        drop_sentences: bool = True,
        system: str = "default",
    ) -> None:
        self.tokens, self.ratio, self.tokenizer = tokens, ratio, tokenizer
        self.keep, self.drop, self.protect = list(keep), list(drop), protect and list(protect)
        self.drop_sentences, self.system = drop_sentences, system

    def warm_up(self) -> None:
        """Load the system before the first documents come."""
        from laconic.options import Options
        from laconic.systems.manner import system_for

        system_for(Options(system=self.system))

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(self, documents: list[Document], query: str | None = None) -> dict[str, Any]:
        """The documents, shortened, in their order."""
        options: Any = {name: getattr(self, name) for name in _OPTIONS}
        found = compress_prompt([each.content or "" for each in documents], query=query or "", **options)
        shortened = [
            replace(each, content=text) if each.content else each
            for each, text in zip(documents, found.documents, strict=True)
            if text or not each.content
        ]
        return {"documents": shortened}
