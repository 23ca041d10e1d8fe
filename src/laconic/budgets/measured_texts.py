"""The texts that a request allows and what they cost, whatever a system thinks of them: counted, or else measured.

Where what words cost adds up, all costs are counted without writing a text (`texts`). A tokenizer's tokens do not add
up: then texts are measured, all of them where they are few, and of many some that do not depend on what was asked, so
that whoever is offered one of them and asks for it has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

from laconic.budget import WORDS
from laconic.budgets.counting import Counting
from laconic.budgets.request import Request
from laconic.budgets.texts import Texts, selections
from laconic.decode.contract import LONG_SENTENCE

_ENUMERABLE = 9  # free words of which every selection is measured
_MOST_TEXTS = 1500  # texts to measure otherwise
_MOST_PLAIN = 400  # of them, those that are measured whatever is asked for
_MOST_WORDS = (
    400_000  # of texts to measure, all together; of those that are measured whatever is asked for, a third
)
_NEAR = 8  # of the costs that a long sentence is searched at, those below and above what is wanted

Kept = tuple[int, ...]
"""The words that stay, ascending."""


@dataclass(frozen=True)
class MeasuredTexts:
    """The texts of a request, in which the words count as `counting` says."""

    request: Request
    counting: Counting

    @property
    def add_up(self) -> bool:
        """Whether the costs of all texts can be counted without writing them."""
        return not self.request.must_be_measured or self._as_people

    @property
    def are_few(self) -> bool:
        """Whether every one of them can be measured."""
        return len(self.request.free) <= _ENUMERABLE

    @cached_property
    def reachable(self) -> int:
        """All costs as the bits of an integer, where they can be counted."""
        return self._exact.costs()

    def best(self, worth: Sequence[float], least: int, most: int) -> Iterator[Kept]:
        """At each cost from least to most that has one, the text whose words are worth most, where that is counted."""
        total = sum(map(self._exact.counting.most, range(len(self.request.sentence))))
        return self._exact.best(worth, least, min(most, total))

    @cached_property
    def plain(self) -> tuple[tuple[int, Kept], ...]:
        """Texts that do not depend on scores, each with its cost: all of few, of many some at every length."""
        request, count = self.request, len(self.request.sentence)
        if self.are_few:
            texts: Iterable[Kept] = selections(request.allowed, request.keep)
        else:
            total = sum(self.counting.costs or ())
            most = min(_MOST_PLAIN, _MOST_WORDS // 3 // count)
            every = 1 + total // most if self._is_long else 1
            plain = [*self._counted.best([0.0] * count, 0, total, every=every)]
            # Of so few costs as are looked at, none may have a text with all that must stay.
            less = islice(variations(request.allowed, request.free, most=1), most)
            plain = [request.allowed, *filter(None, less), *plain]
            changed = (kept for each in plain for kept in variations(each, request.free, most=1) if kept)
            texts = dict.fromkeys((*plain, *islice(changed, max(0, most - len(plain)))))
        return tuple(self.with_costs(texts))

    def near(
        self, seeds: tuple[Kept, ...], odds: Callable[[], Sequence[float]], wanted: int
    ) -> Iterator[Kept]:
        """What was found, the likeliest texts and what differs little from them; of a long sentence, these at last.

        The likeliest by the log-odds of each word, about as dear as what is wanted.
        """
        if self.are_few:
            yield from selections(self.request.allowed, self.request.keep)
            return
        if not self._is_long:
            seeds = *seeds, *self._likeliest_near(odds(), wanted)
        yield from seeds
        changed = (kept for seed in seeds for kept in variations(seed, self.request.free) if kept)
        yield from islice(changed, min(_MOST_TEXTS, _MOST_WORDS // len(self.request.sentence)))
        if self._is_long:
            yield from self._likeliest_near(odds(), wanted)

    def with_costs(self, texts: Iterable[Kept]) -> Iterator[tuple[int, Kept]]:
        """Those that have the words that must stay, and say something, each behind what it costs."""
        costs = ((self.request.cost_of_words(kept), kept) for kept in texts)
        return ((cost, kept) for cost, kept in costs if cost is not None)

    def _likeliest_near(self, odds: Sequence[float], wanted: int) -> list[Kept]:
        """The likeliest text at every cost that the search can count, the nearest first; of a long sentence, at few."""
        steps = self.counting.costs or ()
        least, most = (wanted - _NEAR, wanted + _NEAR) if self._is_long else (0, sum(steps))
        found = self._counted.best(odds, max(0, least), min(most, sum(steps)))
        return sorted(found, key=lambda kept: abs(sum(steps[word] for word in kept) - wanted))

    @property
    def _as_people(self) -> bool:
        return self.request.budget is not None and self.request.budget.unit == WORDS

    @property
    def _is_long(self) -> bool:
        return len(self.request.sentence) > LONG_SENTENCE

    @cached_property
    def _counted(self) -> Texts:
        """The texts by what the search counts."""
        return Texts(self.request.sentence, self.request.keep, self.request.drop, self.counting)

    @cached_property
    def _exact(self) -> Texts:
        """The texts by what they cost exactly, where that adds up."""
        if not self._as_people:
            return self._counted
        counting = Counting.as_people_do(self.request.sentence)
        return Texts(self.request.sentence, self.request.keep, self.request.drop, counting)


def variations(kept: Kept, free: Kept, *, most: int = 2) -> Iterator[Kept]:
    """The selections with one of the free words changed, then those with two, up to the most.

    >>> list(variations((0, 2), (1, 2)))
    [(0, 1, 2), (0,), (0, 1)]
    """
    chosen = frozenset(kept)
    for size in range(1, most + 1):
        for changed in combinations(free, size):
            yield tuple(sorted(chosen.symmetric_difference(changed)))
