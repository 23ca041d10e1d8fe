"""The answer: what is left of a sentence, as text, with its tree and its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from laconic.errors import LaconicError
from laconic.later import lazy
from laconic.sentence import Sentence
from laconic.text.detokenise import Repair, detokenise, removed_words
from laconic.text.difference import stretches
from laconic.trees.constituency import Tree


@lazy("tree", "heads", "derivation")
@dataclass(frozen=True, slots=True, repr=False)
class Compression:
    """A shortened sentence.

    `kept` holds the indices of the source words that stay, in order; it is None when the output is not
    a deletion (the transducer may substitute and reorder), and then `words` alone says what is left.
    `text` is detokenised as the author spaced it and repaired where deletion broke it; `repairs` says
    where. `tree` is the constituency tree of the output; `heads` its dependency tree over `words`.
    """

    sentence: Sentence
    kept: tuple[int, ...] | None
    words: tuple[str, ...]
    text: str
    repairs: tuple[Repair, ...] = ()
    score: float | None = None
    tree: Tree | None = None
    heads: tuple[int, ...] | None = None
    derivation: Any = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Compression {self.text!r}>"

    def _repr_html_(self) -> str:
        """The source with what was deleted struck through, for notebooks."""
        return f"<p>{self.marked()}</p>"

    def marked(self) -> str:
        """The source in HTML, with what was deleted, or rewritten, marked by `del` and `ins`."""
        from html import escape

        if self.kept is None:
            return f"<del>{escape(self.sentence.text.strip())}</del> <ins>{escape(self.text)}</ins>"
        kept = set(self.kept) - removed_words(self.repairs)
        parts = stretches(self.sentence, kept)
        return "".join(
            (escape(text) if stays else f"<del>{escape(text)}</del>") + escape(space)
            for text, space, stays in parts
        ).rstrip()

    def to_dict(self) -> dict[str, Any]:
        """All of it, but for the derivation, as JSON holds it; `from_dict` makes it again."""
        from laconic.formats.jsonl import compression_to_json

        return compression_to_json(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Compression:
        """The compression that `to_dict` wrote."""
        from laconic.formats.jsonl import compression_from_json

        return compression_from_json(record)

    @classmethod
    def by_deletion(
        cls,
        sentence: Sentence,
        kept: Sequence[int],
        *,
        score: float | None = None,
        tree: Tree | None = None,
        heads: tuple[int, ...] | None = None,
        derivation: Any = None,
        notes: tuple[str, ...] = (),
    ) -> Compression:
        """The compression that keeps the words at the given indices (ascending, each once)."""
        indices = tuple(int(index) for index in kept)
        if any(later <= earlier for earlier, later in pairwise(indices)) or (
            indices and not 0 <= indices[0] <= indices[-1] < len(sentence)
        ):
            raise LaconicError(f"kept indices must ascend within 0 to {len(sentence) - 1}, not {indices}")
        text, repairs = detokenise(sentence, indices)
        words = tuple(sentence.words[index] for index in indices)
        return cls(sentence, indices, words, text, repairs, score, tree, heads, derivation, notes)

    @property
    def standing(self) -> tuple[str, ...]:
        """The words that stand in the text: those kept, less the marks that were taken away again."""
        if self.kept is None or not self.repairs:
            return self.words
        removed = removed_words(self.repairs)
        return tuple(word for place, word in zip(self.kept, self.words, strict=True) if place not in removed)

    @classmethod
    def left_as_it_is(cls, sentence: Sentence, why: object) -> Compression:
        """All of a sentence that could not be shortened as asked, with a note on why."""
        return cls.by_deletion(sentence, range(len(sentence)), notes=(f"left as it is: {why}",))
