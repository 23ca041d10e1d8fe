"""Plain texts: selections of every sentence's words that do not depend on scores, all of them where they are few.

What tokenizers count does not add up, so that only a text that is measured is known to cost what it must.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from laconic.budget import Unit
from laconic.budgets.counting import Counting
from laconic.budgets.parts import Part
from laconic.budgets.texts import Texts, selections
from laconic.text.detokenise import detokenise, removed_words

Kept = tuple[int, ...] | None
"""The words that stay of a sentence; None if it goes."""

_FEW = 512  # texts that are all measured
_PLAIN = 400  # texts to measure of many


@dataclass(frozen=True, slots=True)
class PlainTexts:
    """Of every sentence what may stay of it; `are_all` says that no text is made of anything else."""

    choices: tuple[tuple[Kept, ...], ...]
    are_all: bool

    @classmethod
    def of(cls, parts: Sequence[Part], unit: Unit) -> PlainTexts:
        """The plain texts of some sentences."""
        free = [len(part.sentence) - len(part.keep) - len(part.drop) for part in parts]
        few = sum(free) < _FEW.bit_length()
        choices = tuple(tuple(_plain_choices(part, unit, few=few)) for part in parts)
        return cls(choices, few and prod(map(len, choices)) <= _FEW)

    def __iter__(self) -> Iterator[tuple[Kept, ...]]:
        """The words that stay of each sentence; texts of nothing only where there is nothing else."""
        every = prod(map(len, self.choices)) <= _FEW
        texts: Iterable[tuple[Kept, ...]] = product(*self.choices) if every else _falling(self.choices)
        return (text for text in texts if any(text) or not any(map(any, self.choices)))


def _plain_choices(part: Part, unit: Unit, *, few: bool) -> list[Kept]:
    """Some selections of a sentence's words that leave a text, the longest first, and None if it may go."""
    sentence = part.sentence
    gone: list[Kept] = [None]
    if part.is_gone:
        return gone
    if few:
        allowed = [word for word in range(len(sentence)) if word not in part.drop]
        found = [kept for kept in selections(allowed, part.keep) if _stands(part, kept)]
    else:
        counting = Counting.of(sentence, unit)
        costs = [counting.most(word) for word in range(len(sentence))]
        texts = Texts(sentence, part.keep, part.drop, counting)
        found = [*texts.best([0.0] * len(sentence), 0, sum(costs))]
        found.sort(key=lambda kept: -sum(costs[word] for word in kept))
    return [*found, *(gone if part.droppable else ())]


def _stands(part: Part, kept: tuple[int, ...]) -> bool:
    """Whether all of some words stand in the text they make, and say something if the sentence can."""
    words = part.sentence.words
    speaking = {word for word in range(len(words)) if any(map(str.isalnum, words[word]))} - part.drop
    _, repairs = detokenise(part.sentence, kept)
    return not removed_words(repairs) and bool(part.keep or not speaking or speaking.intersection(kept))


def _falling(choices: Sequence[Sequence[Kept]]) -> Iterator[tuple[Kept, ...]]:
    """From the first choices for all sentences to the last, each time some of them further, in turn."""
    places = [0] * len(choices)
    steps = sum(len(each) - 1 for each in choices)
    at_once = 1 + steps // _PLAIN
    while True:
        yield tuple(each[place] for each, place in zip(choices, places, strict=True))
        for _ in range(at_once):
            left = [len(each) - 1 - place for each, place in zip(choices, places, strict=True)]
            if not any(left):
                return
            places[left.index(max(left))] += 1
