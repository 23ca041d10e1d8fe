"""What a caller asks of a system for one sentence, checked before any search, and what texts cost by it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import SupportsIndex

from laconic.budget import Budget, TextCost, adds_up, coarsest
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.text.detokenise import detokenise, removed_words
from laconic.text.phrases import find_phrases
from laconic.text.tokenise import tokenise

_UNLIMITED = 1 << 30

Pins = str | Collection[int | str]
"""Words of a sentence: words or phrases wherever they appear, or indices."""


@dataclass(frozen=True)
class Request:
    """A sentence to shorten, the words that must stay or go, and the allowed cost from `least` to `most`.

    Without a budget, `least` and `most` allow everything; a range with no whole number in it allows nothing.
    `grain` is how much of the caller's unit is counted as one.
    """

    sentence: Sentence
    budget: Budget | None
    keep: frozenset[int]
    drop: frozenset[int]
    least: int
    most: int
    grain: int = 1

    @classmethod
    def of(
        cls,
        text: str | Sentence,
        budget: Budget | None,
        keep: Pins,
        drop: Pins,
    ) -> Request:
        """The request; a text is cut into words, and words to keep or drop are named or given by their indices.

        Words that are not in the sentence, or both kept and dropped, are errors.
        """
        if budget is not None and not isinstance(budget, Budget):
            raise LaconicError(f"a budget is made by `Budget`, such as Budget.at_most(12), not {budget!r}")
        sentence = text if isinstance(text, Sentence) else tokenise(text)
        kept, dropped = _places(sentence, keep), _places(sentence, drop)
        both = sorted(kept & dropped)
        if both:
            raise LaconicError(
                f"word {both[0]} ({sentence.words[both[0]]!r}) is both to be kept and to be dropped"
            )
        least, most = 0, len(sentence)
        if budget is not None:
            whole, _ = detokenise(sentence, range(len(sentence)))
            least, most = budget.limits(budget.measure(sentence.words, whole))
            if budget.most is None:
                most = max(most, _UNLIMITED)  # the parts of a text may have more tokens than the whole
        return cls(sentence, budget, kept, dropped, least, most)

    def coarsened(self, new_words: tuple[str, ...]) -> Request:
        """The same in the largest unit of which all words, and those that may take their place, cost a multiple."""
        if self.budget is None:
            return self
        unit, grain = coarsest(self.budget.unit, (*self.sentence.words, *new_words))
        if grain == 1:
            return self
        least, most = -(-self.least // grain), self.most // grain
        return replace(self, budget=replace(self.budget, unit=unit), least=least, most=most, grain=grain)

    def cost(self, compression: Compression) -> int:
        """What the words and the text of a compression cost in the budget's unit (words, without a budget)."""
        if self.budget is None:
            return len(compression.standing)
        return self.budget.measure(compression.standing, compression.text)

    @cached_property
    def allowed(self) -> tuple[int, ...]:
        """The words that need not go."""
        return tuple(word for word in range(len(self.sentence)) if word not in self.drop)

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The words that may stay or go."""
        return tuple(word for word in self.allowed if word not in self.keep)

    @cached_property
    def must_be_measured(self) -> bool:
        """Whether what a text costs is more or less than what its words and spaces do."""
        return self.budget is not None and not adds_up(self.budget.unit, self.sentence.text)

    def cost_of_words(self, kept: tuple[int, ...]) -> int | None:
        """What the text of some words costs, measured once; None where it lacks one that must stay, or says nothing."""
        if kept not in self._costs_of_words:
            cost, text, removed = self.measured(kept)
            self._costs_of_words[kept] = cost if self.stands(text, removed) else None
        return self._costs_of_words[kept]

    def measured(self, kept: tuple[int, ...]) -> tuple[int, str, set[int]]:
        """What the text of some words costs, the text, and the words that do not stand in it."""
        text, repairs = detokenise(self.sentence, kept)
        removed = removed_words(repairs)
        words = [self.sentence.words[word] for word in kept if word not in removed]
        return (len(words) if self.budget is None else self.budget.measure(words, text)), text, removed

    def stands(self, text: str, removed: set[int]) -> bool:
        """Whether no word that must stay was removed, and there is more than punctuation, or that is all there can be.

        Punctuation alone is an answer, too, where it is asked for.
        """
        if removed & self.keep:
            return False
        return bool(self.keep) or any(map(str.isalnum, text)) or not self._has_words

    @cached_property
    def _costs_of_words(self) -> dict[tuple[int, ...], int | None]:
        return {}

    @cached_property
    def _has_words(self) -> bool:
        words = self.sentence.words
        return any(any(map(str.isalnum, words[word])) for word in self.allowed)

    def refusal(
        self, possible: tuple[int, int] | None, why: str = "", *, proven: bool = True
    ) -> InfeasibleBudget:
        """The error that says what was asked, why not, and what is possible instead: the nearest below and above.

        Unless it is proven that there is none, it says that none was found. Nothing is possible only where the words
        that must stay or go leave nothing, whatever its length.
        """
        text = self.sentence.text.strip()
        start = text if len(text) <= 40 else f"{text[:40]}…"
        pins = "".join(
            f", {verb} {len(indices)} given word{'s' * (len(indices) > 1)}"
            for verb, indices in (("keeping", self.keep), ("dropping", self.drop))
            if indices
        )
        why = f"{pins}: {why}" if why else pins
        if self.budget is None:
            lacking, length = "all words that must stay in its text" if self.keep else "", ""
        elif possible is None and pins:
            lacking, length = "", ", of whatever length,"
        else:
            lacking, length = asked_for(self.budget, self.least, self.most), ""
        if proven:
            fault = f"has {lacking}" if lacking else "can be had"
        else:
            fault = f"was found that has {lacking}" if lacking else "was found"
        return InfeasibleBudget(f"no compression of {start!r}{length} {fault}{why}", possible=possible)


def _places(sentence: Sentence, given: Pins) -> frozenset[int]:
    """The indices of words that are given by name or by index."""
    if isinstance(given, str):
        given = (given,)
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise LaconicError(f"words to keep or drop are words, phrases or indices, not {given!r:.60}")
    found: set[int] = set()
    for word in given:
        if isinstance(word, str):
            found.update(find_phrases(sentence, word))
            continue
        if isinstance(word, bool) or not isinstance(word, SupportsIndex):
            raise LaconicError(f"a word to keep or drop is named or given by its index, not as {word!r:.60}")
        if not 0 <= word < len(sentence):
            raise LaconicError(f"no word {word} to keep or drop in a sentence of {len(sentence)} words")
        found.add(int(word))
    return frozenset(found)


def asked_for(budget: Budget, least: int, most: int) -> str:
    """A budget in words, once its limits are known.

    >>> asked_for(Budget.at_most(ratio=0.5), 0, 1)
    'at most 1 word'
    """
    if budget.most is None:
        demand, amount = "at least", least
    elif budget.least == budget.most:
        demand, amount = "exactly", least
    elif least > most:
        demand, amount = f"between {budget.least} and {budget.most} of its", 0
    else:
        demand, amount = "at most" if budget.least is None else f"{least} to", most
    if callable(budget.unit):
        unit = "cost"
    else:
        unit = budget.unit.name if isinstance(budget.unit, TextCost) else budget.unit
        unit = unit.removesuffix("s") if amount == 1 else unit
    return f"{demand} {unit}" if least > most else f"{demand} {amount} {unit}"
