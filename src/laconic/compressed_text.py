"""The answer for a text: what became of each of its sentences, and all that stands between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from laconic.compression import Compression
from laconic.text.detokenise import Repair


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the source and what was written for it.

    A sentence has its compression, or None if it was dropped; what stands between sentences is no sentence. Where
    markup is part of the text between sentences, `counted` is what of it is read, and counts for limits.
    """

    source: str
    text: str
    is_sentence: bool = False
    compression: Compression | None = None
    counted: str | None = None

    @property
    def unmarked(self) -> str:
        """What is written for it, without markup."""
        if self.is_sentence:
            return "" if self.compression is None else self.compression.text
        return self.text if self.counted is None else self.counted


@dataclass(frozen=True, slots=True, repr=False)
class CompressedText:
    """A shortened text.

    The sources of the pieces put together are the author's text, their texts what is left of it. `unmet` says which
    limits could not be met, where that is no error.
    """

    pieces: tuple[Piece, ...]
    unmet: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The author's text."""
        return "".join(piece.source for piece in self.pieces)

    @property
    def text(self) -> str:
        """What is left of it."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def unmarked(self) -> str:
        """What is left of it as it is read, without markup: what limits count."""
        return "".join(piece.unmarked for piece in self.pieces)

    @property
    def sentences(self) -> tuple[Piece, ...]:
        """The pieces that are sentences, each with its compression, or None if it was dropped."""
        return tuple(piece for piece in self.pieces if piece.is_sentence)

    @property
    def compressions(self) -> tuple[Compression, ...]:
        """The compressions of the sentences that were not dropped."""
        return tuple(piece.compression for piece in self.sentences if piece.compression is not None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of it: limits that could not be met, and what had to be torn apart, each once."""
        others = (note for answer in self.compressions for note in answer.notes)
        return tuple(dict.fromkeys((*self.unmet, *others)))

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What deletion broke and was mended, sentence by sentence."""
        return tuple(repair for answer in self.compressions for repair in answer.repairs)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<CompressedText {self.text!r}>"

    def _repr_html_(self) -> str:
        """The source with what was deleted struck through, for notebooks."""
        return f'<div style="white-space: pre-wrap">{"".join(map(_marked, self.pieces))}</div>'

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON holds it; `from_dict` makes it again."""
        from laconic.formats.jsonl import text_to_json

        return text_to_json(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> CompressedText:
        """The shortened text that `to_dict` wrote."""
        from laconic.formats.jsonl import text_from_json

        return text_from_json(record)


def _marked(piece: Piece) -> str:
    from html import escape

    if piece.compression is not None:
        return piece.compression.marked()
    if piece.is_sentence or (piece.source and not piece.text):
        return f"<del>{escape(piece.source)}</del>"
    return escape(piece.text)
