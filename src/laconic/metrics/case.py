"""One output held against one reference: what every metric looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from laconic.compression import Compression
from laconic.errors import LaconicError
from laconic.metrics.statistics import Statistic
from laconic.sentence import Sentence
from laconic.trees.alignment.deletion import align_deletion
from laconic.trees.alignment.edits import align_common

Answer = Compression | Sequence[str] | str
"""An output to score: a compression, its words, or its text with spaces between the words."""


@dataclass(frozen=True, slots=True)
class Output:
    """The words and the text of an answer, and the source positions its words come from.

    Words that come from no position (the transducer's own) count in `words` but not in `kept`.
    """

    words: tuple[str, ...]
    text: str
    kept: tuple[int, ...]

    @classmethod
    def of(cls, answer: Answer, source: Sentence) -> Output:
        """The output of an answer for the source sentence."""
        if isinstance(answer, Compression):
            kept = answer.kept if answer.kept is not None else positions_in(source.words, answer.words)
            return cls(answer.words, answer.text, kept)
        words = tuple(answer.split()) if isinstance(answer, str) else tuple(answer)
        kept = positions_in(source.words, words)
        if isinstance(answer, str):
            text = answer
        elif words == tuple(source.words[position] for position in kept):
            text = Compression.by_deletion(source, kept).text
        else:
            text = " ".join(words)
        return cls(words, text, kept)


@dataclass(frozen=True, slots=True)
class Case:
    """An output and a reference for the same source, both with the source positions of their words.

    The parses, where there are any, are the output and the reference as sentences with heads and relations.
    """

    source: Sentence
    output: Output
    reference: tuple[str, ...]
    reference_kept: tuple[int, ...]
    output_parse: Sentence | None = None
    reference_parse: Sentence | None = None


class Metric(Protocol):
    """A way to score a case. `settings` are the choices that define it, for the signature of the score."""

    @property
    def name(self) -> str:
        """The name of the score in tables and files."""
        ...

    @property
    def settings(self) -> tuple[str, ...]:
        """The choices that define the score, as `choice:value`."""
        ...

    def measure(self, case: Case) -> Statistic:
        """The statistic of one case."""
        ...


def positions_in(source: Sequence[str], words: Sequence[str]) -> tuple[int, ...]:
    """The source positions of the words, ties to the last appearance.

    Words that are no deletion are placed by a longest common subsequence without regard to case, since the
    first word of a rewritten sentence gets a capital letter.

    >>> positions_in("so the dog barked".split(), "The dog ran".split())
    (1, 2)
    """
    try:
        return align_deletion(source, words)
    except LaconicError:
        return tuple(position for position, _ in align_common(source, words, fold_case=True).links)
