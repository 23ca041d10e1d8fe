"""What a search adds up for a unit: the costs of words and, for characters or bytes, of the spaces between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from laconic.arrays import Int64
from laconic.budget import TextCost, Unit, adds_up, whole_cost
from laconic.decode.contract import Limit
from laconic.sentence import Sentence
from laconic.text.prefixes import Writer


@dataclass(frozen=True, slots=True)
class Counting:
    """Costs of words (None counts them) and, for characters or bytes, of the gap between each two neighbours.

    What they add up to is the cost of a text in which every kept word stands; `estimated` says that it only
    comes near. Words `as_people` count them are runs of characters without white space that say something: then
    costs say of each piece whether it does. `spaces` says what white space costs.
    """

    costs: tuple[int, ...] | None
    gaps: Int64 | None = None
    estimated: bool = False
    as_people: bool = False
    spaces: Callable[[str], int] = len

    @classmethod
    def of(cls, sentence: Sentence, unit: Unit, new_words: tuple[str, ...] = ()) -> Counting:
        """How the words of a sentence count in a unit, and after them those that a system may put in their place."""
        words = sentence.words + new_words
        if unit == "pieces":
            return cls(None)
        if unit == "characters":
            return cls(tuple(map(len, words)), _spaces(sentence, len))
        if isinstance(unit, TextCost) and adds_up(unit, " ".join((sentence.text, *new_words))):
            costs = tuple(whole_cost(unit.count(word), word) for word in words)
            return cls(costs, _spaces(sentence, unit.count), spaces=unit.count)
        if isinstance(unit, TextCost):
            # What each word adds after another, with the space that the author put between them.
            gaps = (" ", *sentence.spaces[:-1], *" " * len(new_words))
            before = ("a", *sentence.words[:-1], *"a" * len(new_words))
            added = (
                whole_cost(unit.count(f"{left}{gap}{word}"), word) - whole_cost(unit.count(left), left)
                for left, gap, word in zip(before, gaps, words, strict=True)
            )
            return cls(tuple(max(0, cost) for cost in added), estimated=True)
        assert callable(unit)
        return cls(tuple(whole_cost(unit(word), word) for word in words))

    @classmethod
    def as_people_do(cls, sentence: Sentence) -> Counting:
        """How words count as people count them."""
        return cls(tuple(int(any(map(str.isalnum, word))) for word in sentence.words), as_people=True)

    def without_gaps(self) -> Counting:
        """The same for a search that cannot count gaps: each word costs the space before it, too.

        That is one space too much for a text that does not begin with the sentence.
        """
        if self.gaps is None:
            return self
        assert self.costs is not None
        words = len(self.gaps) - 2
        before = [0, *(int(self.gaps[place, place + 1]) for place in range(1, words))]
        before += [self.spaces(" ")] * (len(self.costs) - words)
        return Counting(tuple(map(sum, zip(self.costs, before, strict=True))), estimated=True)

    def step(self, left: int, right: int) -> int:
        """What a word adds after another one, -1 being the start."""
        cost = 1 if self.costs is None else self.costs[right]
        return cost if self.gaps is None or left < 0 else cost + int(self.gaps[left + 1, right + 1])

    def most(self, word: int) -> int:
        """The most that a word can add."""
        cost = 1 if self.costs is None else self.costs[word]
        return cost if self.gaps is None else cost + int(self.gaps[:, word + 1].max())

    def limit(self, least: int, most: int) -> Limit:
        """The limit on what is added up; at least 0."""
        return Limit(max(0, least), max(0, most), self.costs, self.gaps)


@lru_cache(maxsize=8)
def _spaces(sentence: Sentence, cost: Callable[[str], int]) -> Int64:
    gaps = np.zeros((len(sentence) + 2, len(sentence) + 2), np.int64)
    gaps[1:-1, 1:-1] = Writer(sentence).gaps(cost)
    return np.triu(gaps, 1)
