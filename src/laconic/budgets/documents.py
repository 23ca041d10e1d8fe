"""A text of several sentences under one budget: which sentence gives up how much, by an exact knapsack.

The best compressions of every sentence at every length are what is chosen from. They are looked for only where it
matters: at first each length has the score of its outline, which is never too low; those that are chosen are then
searched for, and the choice is made again, until nothing in it is an outline. Where no choice costs what it must,
what can be had at all is counted, sentence by sentence, and some sentences are cut anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from laconic.budget import Budget, TextCost, Unit
from laconic.budgets.cost_sets import bits_of, highest_within, nearest
from laconic.budgets.lengths import Lengths
from laconic.budgets.request import asked_for
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget
from laconic.sentence import Sentence

SLACK = 0.05
"""How much of a budget that is only an upper limit may be left unused where that reads better."""

DROPPED = 0.5
"""What dropping a sentence costs for each of its words, against its best compression."""

_NEAREST = 6  # choices to mend where none costs exactly what it must
_ROUNDS = 25  # of choosing among outlines, before all that is left of them is searched for


class SentenceSystem(Protocol):
    """What is asked of a system for the sentences of a text."""

    def compress(
        self,
        sentence: Sentence,
        budget: Budget | None = None,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Compression:
        """The best compression that meets the budget."""
        ...

    def lengths(
        self,
        sentence: Sentence,
        *,
        ratio: float | None = None,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Lengths:
        """The best compression at every number of words."""
        ...

    def costs(
        self, sentence: Sentence, unit: Unit, *, keep: Collection[int] = (), drop: Collection[int] = ()
    ) -> int:
        """What its compressions can cost in a unit, as the bits of an integer."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence of a text, the words of it that must stay or go, and whether it may go as a whole.

    `worth` is what dropping it as a whole costs beyond what that costs for any sentence of its length.
    """

    sentence: Sentence
    keep: frozenset[int] = frozenset()
    drop: frozenset[int] = frozenset()
    droppable: bool = False
    worth: float = 0.0

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it may stay."""
        return len(self.drop) == len(self.sentence)


@dataclass(frozen=True, slots=True)
class DocumentCompression:
    """A shortened text: the compression of each of its sentences, None for those that were dropped."""

    sentences: tuple[Sentence, ...]
    compressions: tuple[Compression | None, ...]

    @property
    def text(self) -> str:
        """The sentences that are left, with the white space their author put between them."""
        text = ""
        for number, compression in enumerate(self.compressions):
            if compression is not None and compression.text:
                text += (_gap_before(self.sentences, number) if text else "") + compression.text
        return text

    @property
    def words(self) -> tuple[str, ...]:
        """All words that stand in the text."""
        return tuple(word for answer in self.compressions if answer is not None for word in answer.standing)

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be torn apart, sentence by sentence."""
        return tuple(note for answer in self.compressions if answer is not None for note in answer.notes)


def meet_as_document(system: SentenceSystem, parts: Sequence[Part], budget: Budget) -> DocumentCompression:
    """The sentences shortened to one budget, in order, each whole, shortened or, if it may be, dropped."""
    return _Document(system, tuple(parts), budget).answer()


@dataclass(frozen=True, slots=True)
class _Option:
    """One thing that may become of a sentence, None if it is dropped: what it costs as the first, or after others.

    An outline has still to be searched for, at so many words.
    """

    compression: Compression | None
    first: int
    later: int
    value: float
    outline: int = 0


class _Document:
    """The knapsack: options for each sentence, and a limit on what the chosen ones cost together."""

    def __init__(self, system: SentenceSystem, parts: tuple[Part, ...], budget: Budget) -> None:
        self.system, self.parts, self.budget = system, parts, budget
        self.sentences = tuple(part.sentence for part in parts)
        whole = tuple(Compression.by_deletion(sentence, range(len(sentence))) for sentence in self.sentences)
        self.total = self._cost(DocumentCompression(self.sentences, whole))
        self.least, self.most = budget.limits(self.total)
        if budget.most is None or self.most > self.total:
            self.most = max(self.total, self.least)
        ratio = self.most / max(1, self.total)
        self.lengths = [
            system.lengths(part.sentence, ratio=ratio, keep=part.keep, drop=part.drop) for part in parts
        ]
        self.options = [list(self._options(number)) for number in range(len(parts))]

    def answer(self) -> DocumentCompression:
        """The best choice within the budget."""
        floor = self.least
        if self.budget.least is None:  # an upper limit is there to be used
            floor = max(0, min(self.total, self.most) - max(1, int(SLACK * self.most)))
        for least in dict.fromkeys((floor, self.least) if self.least <= self.most else ()):
            found = self._chosen(least) or self._mended(least)
            if found is not None:
                return found
        asked = asked_for(self.budget, self.least, self.most)
        possible = nearest(self._reachable[-1], self.least, self.most)
        raise InfeasibleBudget(
            f"no compression of the text's {len(self.parts)} sentences has {asked}", possible=possible
        )

    def _options(self, number: int) -> Iterator[_Option]:
        part = self.parts[number]
        if part.is_gone:
            yield _Option(None, 0, 0, 0.0)
            return
        best = -np.inf
        for words, outline in self.lengths[number].outlines.items():
            best = max(best, outline.score)
            yield self._option(
                number, Compression.by_deletion(part.sentence, outline.kept), outline.score, words
            )
        if part.droppable:
            yield _Option(None, 0, 0, best - DROPPED * len(part.sentence) - part.worth)

    def _option(self, number: int, compression: Compression, value: float, outline: int = 0) -> _Option:
        first, later = (
            self.budget.measure(compression.standing, text)
            for text in (compression.text, _gap_before(self.sentences, number) + compression.text)
        )
        return _Option(compression, first, later, value, outline)

    def _chosen(self, least: int) -> DocumentCompression | None:
        """The best choice that costs from least to the most allowed, none of it an outline."""
        for round_ in range(_ROUNDS + 1):
            if round_ == _ROUNDS:
                for place, options in enumerate(self.options):
                    for number in range(len(options)):
                        self._search(place, number)
            outlines = False
            for choice in self._choices(least):
                outlines = self._searched(choice)
                if outlines:
                    break
                found = self._document(choice)
                if least <= self._cost(found) <= self.most:
                    return found
            if not outlines:
                return None
        return None

    def _searched(self, choice: list[int | None]) -> bool:
        """Whether a choice held outlines, in whose place there are now compressions."""
        found = [self._search(place, number) for place, number in enumerate(choice) if number is not None]
        return any(found)

    def _search(self, place: int, number: int) -> bool:
        """Put the best compression of its length in the place of an outline; whether it was one."""
        option = self.options[place][number]
        if not option.outline:
            return False
        found = self.lengths[place].find(option.outline)
        if found is None:
            self.options[place][number] = replace(option, value=-np.inf, outline=0)
        else:
            value = option.value if found.score is None else found.score
            self.options[place][number] = self._option(place, found, value)
        return True

    def _choices(self, least: int) -> Iterator[list[int | None]]:
        """The best choice at every cost from `least` to the most allowed, best first."""
        # What the options cost adds up to what the text costs, but for tokenizers.
        tolerance = 2 + self.most // 10 if isinstance(self.budget.unit, TextCost) else 0
        best, chosen = self._filled(self.most + tolerance)
        for cost in np.argsort(-best, kind="stable").tolist():
            if best[cost] > -np.inf and cost >= least - tolerance:
                yield self._rebuilt(chosen, cost)

    def _filled(self, most: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        # best(s, c) = max over the options o of sentence s of value(o) + best(s - 1, c - later(o)), or, where
        # nothing is kept before it, of value(o) + none(s - 1) at c = first(o); none(s) drops all up to s.
        most = max(0, most)
        best, none = np.full(most + 1, -np.inf), 0.0
        chosen = np.full((len(self.options), most + 1), -1, np.int32)  # 2·option, + 1 if it is the first kept
        for options, choice in zip(self.options, chosen, strict=True):
            before, best = best, np.full(most + 1, -np.inf)
            none_before, none = none, -np.inf
            for number, option in enumerate(options):
                if option.compression is None:
                    none = none_before + option.value
                elif option.first <= most and none_before + option.value > best[option.first]:
                    best[option.first] = none_before + option.value
                    choice[option.first] = 2 * number + 1
                if option.later <= most:
                    values = before[: most + 1 - option.later] + option.value
                    better = values > best[option.later :]
                    best[option.later :][better] = values[better]
                    choice[option.later :][better] = 2 * number
        if not np.isfinite(best).any() and none > -np.inf:
            best[0] = none  # there is nothing that may be kept
        return best, chosen

    def _rebuilt(self, chosen: NDArray[np.int32], cost: int) -> list[int | None]:
        """The number of the option of every sentence; None where all is dropped."""
        numbers: list[int | None] = [None] * len(self.options)
        for place in reversed(range(len(self.options))):
            choice = int(chosen[place, cost])
            if choice < 0:
                break
            numbers[place] = choice // 2
            if choice % 2:
                break
            cost -= self.options[place][choice // 2].later
        return numbers

    def _document(self, choice: list[int | None]) -> DocumentCompression:
        answers = (
            None if number is None else options[number].compression
            for options, number in zip(self.options, choice, strict=True)
        )
        return DocumentCompression(self.sentences, tuple(answers))

    def _mended(self, least: int) -> DocumentCompression | None:
        """A choice that costs nearly what it must, with one sentence cut anew to make up for the rest, or several."""
        if isinstance(self.budget.unit, TextCost):
            possible = True
        else:
            possible = highest_within(self._reachable[-1], least, self.most) is not None
        if not possible:
            return None
        best, chosen = self._filled(self.most)
        near = None
        for cost in np.flatnonzero(best > -np.inf)[::-1][:_NEAREST].tolist():
            choice = self._rebuilt(chosen, cost)
            self._searched(choice)
            near = near or self._document(choice)
            mended = self._with_one_cut_anew(self._document(choice), least)
            if mended is not None:
                return mended
        return None if isinstance(self.budget.unit, TextCost) else self._as_counted(least, near)

    def _with_one_cut_anew(self, found: DocumentCompression, least: int) -> DocumentCompression | None:
        lack = least - self._cost(found)
        for number, answer in enumerate(found.compressions):
            if answer is None:
                continue
            wanted = lack + self.budget.measure(answer.standing, answer.text)
            if wanted < 1 or not self._can_cost(number, wanted, wanted + self.most - least):
                continue
            anew = self._cut(number, wanted, wanted + self.most - least)
            if anew is None:
                continue
            parts = (*found.compressions[:number], anew, *found.compressions[number + 1 :])
            mended = DocumentCompression(self.sentences, parts)
            if least <= self._cost(mended) <= self.most:
                return mended
        return None

    def _can_cost(self, number: int, least: int, most: int) -> bool:
        if isinstance(self.budget.unit, TextCost):
            return True
        return highest_within(self._costs[number], least, most) is not None

    def _cut(self, number: int, least: int, most: int) -> Compression | None:
        part = self.parts[number]
        try:
            return self.system.compress(
                part.sentence, Budget(least, most, self.budget.unit), keep=part.keep, drop=part.drop
            )
        except InfeasibleBudget:
            return None

    @cached_property
    def _costs(self) -> list[int]:
        """What each sentence can cost by itself."""
        return [
            0
            if part.is_gone
            else self.system.costs(part.sentence, self.budget.unit, keep=part.keep, drop=part.drop)
            for part in self.parts
        ]

    @cached_property
    def _reachable(self) -> list[int]:
        """What the sentences up to each can cost together, as the bits of integers; nothing at all is not counted.

        With a tokenizer, what the best choices cost.
        """
        if isinstance(self.budget.unit, TextCost):
            best, chosen = self._filled(self.total)
            measured = 0
            for cost in np.flatnonzero(best > -np.inf).tolist():
                measured |= 1 << self._cost(self._document(self._rebuilt(chosen, cost)))
            return [measured]
        reached, none = 0, True
        found = []
        for number, part in enumerate(self.parts):
            gap, before = self._gap(number), reached
            reached = before if part.is_gone or part.droppable else 0
            for cost in bits_of(self._costs[number]):
                reached |= before << (cost + gap) | (1 << cost if none else 0)
            none = none and (part.is_gone or part.droppable)
            found.append(reached)
        if not found or not found[-1]:
            return [1]
        return found

    def _gap(self, number: int) -> int:
        return len(_gap_before(self.sentences, number)) if self.budget.unit == "characters" else 0

    def _as_counted(self, least: int, near: DocumentCompression | None) -> DocumentCompression | None:
        """Every sentence at a cost of its own, as near as can be to a choice, so that all cost what they must."""
        cost = highest_within(self._reachable[-1], least, self.most)
        if cost is None:
            return None
        answers: list[Compression | None] = [None] * len(self.parts)
        for number in reversed(range(len(self.parts))):
            known = None if near is None else near.compressions[number]
            usual = 0 if known is None else self.budget.measure(known.standing, known.text)
            before = self._reachable[number - 1] if number else 0
            optional = self.parts[number].is_gone or self.parts[number].droppable
            if known is None and optional and before >> cost & 1:
                continue
            own = sorted(bits_of(self._costs[number]), key=lambda each: abs(each - usual))
            first = all(part.is_gone or part.droppable for part in self.parts[:number])
            gap = self._gap(number)
            for each in own:
                rest = cost - each - gap
                if each == cost and first:
                    answers[number] = self._cut(number, each, each)
                    return DocumentCompression(self.sentences, tuple(answers))
                if rest >= 0 and before >> rest & 1:
                    answers[number] = self._cut(number, each, each)
                    cost = rest
                    break
        return DocumentCompression(self.sentences, tuple(answers))

    def _cost(self, found: DocumentCompression) -> int:
        return self.budget.measure(found.words, found.text)


def _gap_before(sentences: Sequence[Sentence], number: int) -> str:
    """The white space before a sentence; there is some even where the author put none."""
    return (sentences[number - 1].spaces[-1] or " ") if number else ""
