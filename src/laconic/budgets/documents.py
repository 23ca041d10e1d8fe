"""A text of several sentences under one budget: which sentence gives up how much, by an exact knapsack.

The best compressions of every sentence at every length are what is chosen from. They are looked for only where it
matters: at first each length has the score of its outline, which is never too low; those that are chosen are then
searched for, and the choice is made again, until nothing in it is an outline. Where no choice costs what it must,
what can be had at all is counted, sentence by sentence, and some sentences are cut anew. What tokenizers count does not
add up: there, plain texts are measured that do not depend on what was asked, all of them where they are few.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Protocol

import numpy as np

from laconic.budget import WORDS, Budget, TextCost, Unit, adds_up, coarsest
from laconic.budgets.cost_sets import Costs, bits_of, highest_within
from laconic.budgets.knapsack import Knapsack, Option
from laconic.budgets.lengths import Lengths, Outline
from laconic.budgets.parts import DocumentCompression, Part, lead_before
from laconic.budgets.plain_texts import Kept, PlainTexts
from laconic.budgets.request import asked_for
from laconic.budgets.totals import Member, Totals
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, nearest_possible
from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise

SLACK = 0.05
"""How much of a budget that is only an upper limit may be left unused where that reads better."""

STUMP = 0.25
"""To drop a sentence costs as much as to leave this share of its words: less says nothing."""

_NEAREST = 6  # choices to mend where none costs exactly what it must
_ROUNDS = 60  # of choosing among outlines, before all that is left of them is searched for
_LONG = 60  # words of a sentence whose lengths take long to search
_MEASURED = 150  # words of sentences whose texts are measured in vain, where what they cost does not add up
_WORK = 150_000  # for the lengths of all long sentences: each search is worth the square of the words


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
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Lengths:
        """The best compression at every number of words."""
        ...

    def costs(
        self, sentence: Sentence, unit: Unit, *, keep: Collection[int] = (), drop: Collection[int] = ()
    ) -> Costs:
        """What its compressions can cost in a unit."""
        ...

    def protected(self, sentence: Sentence) -> frozenset[int]:
        """The words that are kept though nobody named them, unless they are to be dropped."""
        ...


def meet_as_document(
    system: SentenceSystem, parts: Sequence[Part], budget: Budget, *, tail: str = ""
) -> DocumentCompression:
    """The sentences shortened to one budget, in order, each whole, shortened or, if it may be, dropped."""
    return _Document(system, tuple(parts), budget, tail).answer()


class _Document:
    """The knapsack: options for each sentence, and a limit on what the chosen ones cost together."""

    def __init__(
        self, system: SentenceSystem, parts: tuple[Part, ...], budget: Budget, tail: str = ""
    ) -> None:
        self.system, self.tail = system, tail
        self.parts = parts = tuple(
            replace(part, keep=part.keep | (system.protected(part.sentence) - part.drop)) for part in parts
        )
        whole = tuple(Compression.by_deletion(part.sentence, range(len(part.sentence))) for part in parts)
        source = self._found(whole)
        total = budget.measure(source.words, source.text)
        least, most = budget.limits(total)
        if budget.most is None or most > total:
            most = max(total, least)
        self.asked = asked_for(budget, least, most)
        # Tables are as large as costs, which are as small as can be.
        between = (*(part.fixed for part in parts), *chain.from_iterable(self._gaps), tail)
        words = chain(source.words, *(tokenise(gap).words for gap in between if gap.strip()))
        unit, self.grain = coarsest(budget.unit, words)
        self.budget = replace(budget, unit=unit)
        self.total, self.least, self.most = total // self.grain, -(-least // self.grain), most // self.grain
        self.base = sum(map(self._extra, (*(part.fixed for part in parts), tail)))
        self.lengths = [system.lengths(part.sentence, keep=part.keep, drop=part.drop) for part in parts]
        self.options = [list(self._options(number)) for number in range(len(parts))]
        self.searches = [0] * len(parts)
        self.measured = 0

    def answer(self) -> DocumentCompression:
        """The best choice within the budget."""
        floor = self.least
        if self.budget.least is None:  # an upper limit is there to be used
            floor = max(0, min(self.total, self.most) - max(1, int(SLACK * self.most)))
        for least in dict.fromkeys((floor, self.least) if self.least <= self.most else ()):
            found = self._chosen(least) or self._mended(least)
            if found is not None:
                return found
        nothing = self._found((None,) * len(self.parts))
        may_go = all(part.is_gone or part.droppable for part in self.parts)
        if may_go and self.least <= self._cost(nothing) <= self.most:
            return nothing
        possible = nearest_possible(self._possible_costs, self.least, self.most)
        whole = "sentence" if len(self.parts) == 1 else f"{len(self.parts)} sentences"
        wanting = f" has {self.asked}" if self._is_exhaustive else f" was found that has {self.asked}"
        if possible is None:  # a mark that must stay would be taken away again, or the system has none
            wanting = f", of whatever length, {'can be had' if self._is_exhaustive else 'was found'}"
        else:
            possible = possible[0] * self.grain, possible[1] * self.grain
        raise InfeasibleBudget(f"no compression of the text's {whole}{wanting}", possible=possible)

    def _options(self, number: int) -> Iterator[Option]:
        part = self.parts[number]
        if part.is_gone:
            yield Option(None, (0, 0, 0), 0.0)
            return
        outlines = self.lengths[number].outlines
        for words, outline in outlines.items():
            yield self._option(
                number, Compression.by_deletion(part.sentence, outline.kept), outline.score, words
            )
        if part.droppable:
            yield Option(None, (0, 0, 0), value_of_nothing(outlines, len(part.sentence)) - part.worth)

    def _option(self, number: int, compression: Compression, value: float, outline: int = 0) -> Option:
        words, text = compression.standing, compression.text
        if not self._is_sum:
            alone, first, later = (self.budget.measure((), gap + text) for gap in self._gaps[number])
        else:
            cost = self.budget.measure(words, text)
            alone, first, later = (cost + self._extra(gap) for gap in self._gaps[number])
        return Option(compression, (alone, first, later), value, outline)

    @cached_property
    def _gaps(self) -> list[tuple[str, str, str]]:
        """What stands before each sentence where nothing of the text, of its block, or something of it is kept."""
        found = []
        anything = False
        for number, part in enumerate(self.parts):
            anything = anything or bool(part.fixed.strip())
            states = ((anything, False), (True, False), (True, True))
            alone, first, later = (lead_before(self.parts, number, *state) for state in states)
            found.append((alone, first, later))
        return found

    def _extra(self, gap: str) -> int:
        """What the text between sentences costs."""
        if not gap or (
            gap.isspace() and self.budget.unit != "characters" and not isinstance(self.budget.unit, TextCost)
        ):
            return 0
        return self.budget.measure(tokenise(gap).words, gap)

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
        if self.searches[place] == self._most_searches[place]:  # what is known of it must do
            for other, each in enumerate(self.options[place]):
                if each.outline:
                    self.options[place][other] = replace(each, value=-np.inf, outline=0)
            return True
        self.searches[place] += 1
        found = self.lengths[place].find(option.outline)
        if found is None:
            self.options[place][number] = replace(option, value=-np.inf, outline=0)
        else:
            value = option.value if found.score is None else found.score
            self.options[place][number] = self._option(place, found, value)
        return True

    @cached_property
    def _most_searches(self) -> list[float]:
        """At how many lengths each sentence may be searched: a short one at all of them."""
        sizes = [len(part.sentence) for part in self.parts]
        share = max(2, _WORK // max(1, sum(size * size for size in sizes if size > _LONG)))
        return [share if size > _LONG else np.inf for size in sizes]

    def _choices(self, least: int) -> Iterator[list[int | None]]:
        """The best choice at every cost from `least` to the most allowed, best first."""
        # What the options cost adds up to what the text costs, but for tokenizers.
        tolerance = 2 + self.most // 10 if not self._is_sum else 0
        table = self._table(self.most - self.base + tolerance)
        # Of those that are as good, the longest.
        for place in np.argsort(-table.best[::-1], kind="stable").tolist():
            cost = len(table.best) - 1 - place
            if table.best[cost] > -np.inf and cost >= least - self.base - tolerance:
                yield table.choice(cost)

    def _table(self, most: int) -> Knapsack:
        return Knapsack.filled(self.options, [part.lead is not None for part in self.parts], most)

    def _document(self, choice: list[int | None]) -> DocumentCompression:
        answers = (
            None if number is None else options[number].compression
            for options, number in zip(self.options, choice, strict=True)
        )
        return self._found(tuple(answers))

    def _found(self, answers: tuple[Compression | None, ...]) -> DocumentCompression:
        return DocumentCompression(self.parts, answers, self.tail)

    def _mended(self, least: int) -> DocumentCompression | None:
        """A choice that costs nearly what it must, with one sentence cut anew to make up for the rest, or several."""
        if self._adds_up and highest_within(self._possible, least, self.most) is None:
            return None
        near = None
        tried: set[int] = set()
        for _ in range(_NEAREST):
            table = self._table(self.most - self.base)
            costs = set(np.flatnonzero(table.best > -np.inf).tolist()) - tried
            if not costs:
                break
            tried.add(max(costs))
            choice = table.choice(max(costs))
            self._searched(choice)
            if not self._can_be_had(choice):
                continue
            near = near or self._document(choice)
            mended = self._with_one_cut_anew(self._document(choice), least)
            if mended is not None:
                return mended
        return self._as_counted(least, near) if self._adds_up else self._plain(least)

    def _can_be_had(self, choice: list[int | None]) -> bool:
        """Whether there is a compression in the place of every outline of a choice."""
        return all(
            number is None or options[number].value > -np.inf
            for options, number in zip(self.options, choice, strict=True)
        )

    def _with_one_cut_anew(self, found: DocumentCompression, least: int) -> DocumentCompression | None:
        lack = least - self._cost(found)
        numbers = range(len(self.parts))
        # Of what must be measured, as many as can be.
        for number in (
            numbers if self._adds_up else sorted(numbers, key=lambda each: len(self.parts[each].sentence))
        ):
            answer = found.compressions[number]
            if answer is None:
                continue
            wanted = lack + self.budget.measure(answer.standing, answer.text)
            if wanted < 1 or not self._can_cost(number, wanted, wanted + self.most - least):
                continue
            anew = self._cut(number, wanted, wanted + self.most - least)
            if anew is None:
                continue
            parts = (*found.compressions[:number], anew, *found.compressions[number + 1 :])
            mended = self._found(parts)
            if least <= self._cost(mended) <= self.most:
                return mended
        return None

    def _can_cost(self, number: int, least: int, most: int) -> bool:
        return not self._adds_up or highest_within(self._costs[number].bits, least, most) is not None

    def _cut(self, number: int, least: int, most: int) -> Compression | None:
        part = self.parts[number]
        if self.measured > _MEASURED:
            return None
        try:
            return self.system.compress(
                part.sentence, Budget(least, most, self.budget.unit), keep=part.keep, drop=part.drop
            )
        except InfeasibleBudget:
            self.measured += 0 if self._adds_up else len(part.sentence)
            return None

    @cached_property
    def _costs(self) -> list[Costs]:
        """What each sentence can cost by itself."""
        return [
            Costs(0, are_all=True)
            if part.is_gone
            else self.system.costs(part.sentence, self.budget.unit, keep=part.keep, drop=part.drop)
            for part in self.parts
        ]

    @cached_property
    def _possible(self) -> int:
        """What the text can cost, as bits of an integer; nothing at all is not counted if there is something else."""
        return self._totals.possible << self.base

    @property
    def _possible_costs(self) -> Sequence[int]:
        """What the text can cost; with a tokenizer, what plain texts cost."""
        return bits_of(self._possible) if self._adds_up else [cost for cost, _ in self._plain_costs]

    @property
    def _is_exhaustive(self) -> bool:
        """Whether all that there is was looked at, so that what was not found does not exist."""
        return (self._adds_up or self._plain_texts.are_all) and all(each.are_all for each in self._costs)

    @cached_property
    def _totals(self) -> Totals:
        return Totals(
            [
                Member(
                    costs.bits,
                    (self._extra(alone), self._extra(first), self._extra(later)),
                    part.is_gone or part.droppable,
                    part.lead is not None,
                )
                for part, costs, (alone, first, later) in zip(
                    self.parts, self._costs, self._gaps, strict=True
                )
            ]
        )

    def _as_counted(self, least: int, near: DocumentCompression | None) -> DocumentCompression | None:
        """Every sentence at a cost of its own, as near as can be to a choice, so that all cost what they must."""
        wanted = highest_within(self._possible, least, self.most)
        if wanted is None:
            return None
        known = (None,) * len(self.parts) if near is None else near.compressions
        usual = [None if each is None else self.budget.measure(each.standing, each.text) for each in known]
        shares = self._totals.shares(wanted - self.base, usual)
        answers = (
            None if share is None else self._cut(number, share, share) for number, share in enumerate(shares)
        )
        return self._found(tuple(answers))

    @property
    def _adds_up(self) -> bool:
        """Whether what the sentences cost adds up to what the text costs."""
        return self._is_sum or self.budget.unit == WORDS

    @cached_property
    def _is_sum(self) -> bool:
        """Whether the text costs what its sentences and what stands between them cost by themselves."""
        source = [f"{part.fixed}{part.lead or ''}{part.sentence.text}" for part in self.parts]
        return adds_up(self.budget.unit, "".join((*source, self.tail)))

    def _plain(self, least: int) -> DocumentCompression | None:
        """The longest of the plain texts that costs what it must."""
        fitting = [each for each in self._plain_costs if least <= each[0] <= self.most]
        if not fitting:
            return None
        _, chosen = max(fitting, key=lambda each: each[0])
        answers: list[Compression | None] = []
        for part, kept in zip(self.parts, chosen, strict=True):
            others = set(range(len(part.sentence))).difference(kept or ())
            answers.append(self.system.compress(part.sentence, keep=kept, drop=others) if kept else None)
        return self._found(tuple(answers))

    @cached_property
    def _plain_texts(self) -> PlainTexts:
        return PlainTexts.of(self.parts, self.budget.unit)

    @cached_property
    def _plain_costs(self) -> list[tuple[int, tuple[Kept, ...]]]:
        """Plain texts, and what they cost."""
        found = []
        for text in self._plain_texts:
            answers = (
                None if kept is None else Compression.by_deletion(part.sentence, kept)
                for part, kept in zip(self.parts, text, strict=True)
            )
            found.append((self._cost(self._found(tuple(answers))), text))
        return found

    def _cost(self, found: DocumentCompression) -> int:
        words = () if isinstance(self.budget.unit, TextCost) else found.words
        return self.budget.measure(words, found.text)


def value_of_nothing(outlines: Mapping[int, Outline], count: int) -> float:
    """What a sentence of so many words is worth that is dropped, on the scale of its compressions."""
    stump = min(outlines, key=lambda words: abs(words - STUMP * count), default=None)
    return 0.0 if stump is None else outlines[stump].score
