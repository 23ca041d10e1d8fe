"""Why each word stayed or went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laconic.compression import Compression
from laconic.errors import LaconicError
from laconic.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one word of the source.

    `probability` is how likely the word is to be kept at the natural length, over all compressions, where the
    system knows it. A word that went did so with the words `phrase` (indices, itself included), which hung on the
    word `under` by the relation `relation`; `under` is None where the whole sentence went.
    """

    word: str
    kept: bool
    probability: float | None = None
    phrase: tuple[int, ...] = ()
    under: int | None = None
    relation: str | None = None

    def reason(self, sentence: Sentence) -> str:
        """The decision in words."""
        if self.kept:
            return "kept"
        gone = " ".join(sentence.words[word] for word in self.phrase)
        if self.under is None:
            return f"deleted with {gone!r}"
        what = "deleted" if len(self.phrase) == 1 else f"deleted with {gone!r}"
        return f"{what}, {self.relation} of {sentence.words[self.under]!r}"


def decisions(
    compression: Compression, sentence: Sentence, probabilities: Sequence[float] | None
) -> tuple[Decision, ...]:
    """What became of every word of a compression's source, which is given annotated."""
    if compression.kept is None:
        raise LaconicError("only deletions can be explained: this compression rewrites its source")
    assert sentence.heads is not None and sentence.relations is not None
    kept = frozenset(compression.kept)
    top = [_top(word, sentence.heads, kept) for word in range(len(sentence))]
    found = []
    for place, word in enumerate(sentence.words):
        probability = None if probabilities is None else float(probabilities[place])
        if place in kept:
            found.append(Decision(word, True, probability))
            continue
        phrase = tuple(
            other for other in range(len(sentence)) if other not in kept and top[other] == top[place]
        )
        head = sentence.heads[top[place]]
        under = head if head >= 0 else None
        found.append(Decision(word, False, probability, phrase, under, sentence.relations[top[place]]))
    return tuple(found)


def _top(word: int, heads: Sequence[int], kept: frozenset[int]) -> int:
    """The highest word above a deleted one that went together with it."""
    while heads[word] >= 0 and heads[word] not in kept:
        word = heads[word]
    return word
