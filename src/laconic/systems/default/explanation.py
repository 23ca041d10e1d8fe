"""Why each word stayed or went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laconic.compression import Compression
from laconic.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one word of the source.

    `probability` is how likely the word is to be kept at the natural length, over all compressions. A word
    that went did so with the words `phrase` (indices, itself included), which hung on the word `under` by
    the relation `relation`; `under` is None where the whole sentence went.
    """

    word: str
    kept: bool
    probability: float
    phrase: tuple[int, ...] = ()
    under: int | None = None
    relation: str | None = None

    def reason(self, sentence: Sentence) -> str:
        """The fate in words."""
        if self.kept:
            return "kept"
        gone = " ".join(sentence.words[word] for word in self.phrase)
        if self.under is None:
            return f"deleted with {gone!r}"
        what = "deleted" if len(self.phrase) == 1 else f"deleted with {gone!r}"
        return f"{what}, {self.relation} of {sentence.words[self.under]!r}"


def fates(compression: Compression, probabilities: Sequence[float]) -> tuple[Fate, ...]:
    """The fate of every word of an annotated sentence under a compression by deletion."""
    sentence = compression.sentence
    assert compression.kept is not None and sentence.heads is not None and sentence.relations is not None
    kept = frozenset(compression.kept)
    top = [_top(word, sentence.heads, kept) for word in range(len(sentence))]
    return tuple(
        Fate(word, True, float(probability))
        if index in kept
        else Fate(
            word,
            False,
            float(probability),
            tuple(other for other in range(len(sentence)) if other not in kept and top[other] == top[index]),
            sentence.heads[top[index]] if sentence.heads[top[index]] >= 0 else None,
            sentence.relations[top[index]],
        )
        for index, (word, probability) in enumerate(zip(sentence.words, probabilities, strict=True))
    )


def _top(word: int, heads: Sequence[int], kept: frozenset[int]) -> int:
    """The highest word above a deleted one that went together with it."""
    while heads[word] >= 0 and heads[word] not in kept:
        word = heads[word]
    return word
