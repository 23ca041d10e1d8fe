"""Meeting a request on the final text: the search counts what adds up, the text itself is what is judged.

Words, and costs given for each word, add up. Characters do too, once the white space between two kept words
is counted with them and no punctuation is kept in vain; the rare rest is found by judging the text of each
answer and searching on. Tokens of a tokenizer do not add up; the search counts what each word adds on its
own and is moved until the text fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice

import numpy as np

from laconic.budget import TextCost
from laconic.compression import Compression
from laconic.decode.contract import Frontier, Limit
from laconic.errors import InfeasibleBudget
from laconic.systems.default.nearby import every, nearby
from laconic.systems.default.reading import Reading
from laconic.systems.default.search import FEW, HARSH, THOROUGH, Effort, Found, pins_of
from laconic.systems.request import Request
from laconic.text.detokenise import detokenise

SLACK = 0.1
"""How much of a budget that is only an upper limit may be left unused where that reads better."""

_LARGER_SLACKS = (0.4, 1.0)  # where what is found would tear something apart

_SLIGHT = 8.0  # damage that is not worth a shorter answer
_ATTEMPTS = 4  # moves of the limit on a cost that does not add up
_ENUMERABLE = 9  # free words of which every selection is measured
_SEEDS, _MOST_TEXTS, _ENOUGH = 12, 1500, 8  # selections to change a little, texts to measure, texts that fit
_NEIGHBOURHOOD = 10  # costs around an impossible budget among which the possible ones are looked for


@dataclass(frozen=True, slots=True)
class _Counting:
    """How the search counts: costs of words (None counts them), whether white space counts, and whether the
    cost of a text is always the sum."""

    costs: tuple[int, ...] | None
    spaced: bool = False
    adds_up: bool = True

    @property
    def total(self) -> int:
        """What all words cost; 0 if they are only counted."""
        return sum(self.costs or ())


def meet(reading: Reading, request: Request, *, fill: bool) -> Compression:
    """The best compression that meets the request; `InfeasibleBudget` says what is possible where none does.

    With `fill`, an upper limit is there to be used: a sentence that fits is left as it is, and one that
    does not is cut to the limit or a little less.
    """
    return _Meeting(reading, request).answer(fill=fill)


def meet_with_each(reading: Reading, request: Request, *, fill: bool) -> Iterator[Compression]:
    """Compressions that meet the request, of different texts, from the best down."""
    return _Meeting(reading, request).answers(fill=fill)


class _Meeting:
    """A sentence and what is asked of it."""

    def __init__(self, reading: Reading, request: Request) -> None:
        self.reading, self.request = reading, request
        self.pins = pins_of(request.keep, request.drop)
        self.counting = self._counting()

    def answer(self, *, fill: bool) -> Compression:
        request = self.request
        allowed = self._allowed
        if not allowed:
            if request.least > 0:
                raise request.refusal((0, 0))
            return self.reading.compression((), score=0.0)
        if request.budget is None:
            found = self.reading.best(pins=self.pins, accepts=self._says_something)
            return self._compression(found or self.reading.found(allowed))
        shortest, longest = self._extremes(allowed)
        # Repairs may make a longer selection the shorter text, so only what adds up has a sure upper end.
        if request.most < shortest or (self.counting.adds_up and longest < request.least):
            raise request.refusal((shortest, longest))
        if fill and request.budget.least is None:
            if self._cost(allowed) <= request.most:
                return self.reading.compression(allowed, score=self.reading.found(allowed).score)
            found = self._gentlest()
        else:
            found = self._find(request.least)
        if found is None:
            raise self._refusal()
        return self._compression(found)

    def answers(self, *, fill: bool) -> Iterator[Compression]:
        """The answer, and after it what else meets the request."""
        first = self.answer(fill=fill)
        yield first
        if not first.kept:
            return
        seen = {first.text}
        for found in self._others(self._cost(first.kept) if fill else self.request.least):
            compression = self._compression(found)
            if compression.text not in seen:
                seen.add(compression.text)
                yield compression

    def _others(self, least: int) -> Iterator[Found]:
        budget, most = self.request.budget, self.request.most
        if budget is None:
            return self.reading.best_first(pins=self.pins)
        if budget.least is None:
            least = max(0, min(least, most - max(1, int(SLACK * most))))

        # A cost that does not add up is left to the judgement of each text.
        limit = None if isinstance(budget.unit, TextCost) else Limit(least, most, self.counting.costs)
        return self.reading.best_first(
            pins=self.pins,
            limit=limit,
            spaced=self.counting.spaced,
            accepts=lambda kept: self._meets(kept, least, most),
        )

    def _gentlest(self) -> Found | None:
        """What nearly uses up the upper limit, or something shorter where that tears less apart."""
        most = self.request.most
        best = self._find(most - max(1, int(SLACK * most)))
        if best is None:
            return self._find(0)
        for share in _LARGER_SLACKS:
            if self.reading.damage(best) > _SLIGHT:
                shorter = self._find(most - int(share * most), effort=HARSH)
                if shorter is not None and self.reading.damage(shorter) < self.reading.damage(best):
                    best = shorter
        return best

    def _find(self, least: int, *, effort: Effort = THOROUGH) -> Found | None:
        """The best answer whose final text costs from `least` to the request's most; None if none is known."""
        most = self.request.most
        if isinstance(self.request.budget and self.request.budget.unit, TextCost):
            return self._find_text(least, most, effort)
        found = self._search(least, most, least, most, effort=effort)
        if found is None and self.counting.spaced:
            # Punctuation that is kept in vain costs the search, not the text; with odd pins, nothing else does.
            sentence = self.reading.sentence
            widest = max(1, max(map(len, sentence.spaces)))
            marks = sum(len(word) + widest for word in sentence.words if not any(map(str.isalnum, word)))
            if marks:
                found = self._search(least, most + marks, least, most, effort=effort)
                found = found or self._measured([tuple(sorted(self.request.keep))], least, most)
        return found

    def _search(
        self,
        low: int,
        high: int,
        least: int,
        most: int,
        *,
        effort: Effort,
    ) -> Found | None:
        """The best answer that counts from `low` to `high` in the search, and from `least` to `most` in truth."""
        if high < 0:
            return None
        limit = Limit(max(0, low), high, self.counting.costs)

        for meets in (self._meets, self._meets_as_it_is):
            try:
                found = self.reading.best(
                    pins=self.pins,
                    limit=limit,
                    spaced=self.counting.spaced,
                    accepts=partial(meets, least=least, most=most),
                    effort=effort,
                )
            except InfeasibleBudget:
                return None
            if found is not None:
                return found
        return None

    def _meets(self, kept: tuple[int, ...], least: int, most: int) -> bool:
        """Whether what is left of a selection, punctuation in vain taken away, says something within the limits."""
        return least <= self._cost(self._settled(kept)) <= most and self._says_something(kept)

    def _meets_as_it_is(self, kept: tuple[int, ...], least: int, most: int) -> bool:
        return least <= self._cost(kept) <= most and self._says_something(kept)

    def _says_something(self, kept: tuple[int, ...]) -> bool:
        """Whether a word is kept; punctuation alone is an answer only where it is asked for, or all there is."""
        has_words = self.reading.has_words
        return has_words(kept) or bool(self.request.keep) or not has_words(self._allowed)

    def _find_text(self, least: int, most: int, effort: Effort) -> Found | None:
        """The best answer for a cost of the text: the search counts what each word adds, and is moved by its error.

        Where that does not lead to the limit, all texts are measured that differ little from what was found.
        """
        move = 0
        seeds: list[tuple[int, ...]] = []
        for _ in range(_ATTEMPTS):
            limit = Limit(max(0, least + move), max(0, most + move), self.counting.costs)
            try:
                found = self.reading.best(pins=self.pins, limit=limit, effort=effort)
            except InfeasibleBudget:
                break
            assert found is not None
            kept = found.solution.kept
            if self._meets(kept, least, most):
                return found
            seeds.append(kept)
            cost = self._cost(self._settled(kept))
            move += most - cost if cost > most else least - cost
        best = self._measured(seeds, least, most, near=least + move)
        if best is not None or self._enumerable:
            return best
        return self._search(0, max(self.counting.total, 1), least, most, effort=FEW)

    def _measured(
        self, seeds: list[tuple[int, ...]], least: int, most: int, *, near: int | None = None
    ) -> Found | None:
        """The best of the first few texts within the limits among all that differ little from what is known."""
        hits = (
            kept
            for kept in self._texts_near(seeds, least if near is None else near)
            if self._meets(kept, least, most) or self._meets_as_it_is(kept, least, most)
        )
        readings = (self.reading.found(kept) for kept in islice(hits, _ENOUGH))
        return max(readings, key=lambda hit: hit.score, default=None)

    def _texts_near(self, seeds: list[tuple[int, ...]], cost: int) -> Iterator[tuple[int, ...]]:
        if self._enumerable:
            return every(self.request.keep, self._free)
        near = (*dict.fromkeys(reversed(seeds)), *islice(self._selections(cost), _SEEDS))
        return islice((kept for seed in near for kept in nearby(seed, self._free) if kept), _MOST_TEXTS)

    @cached_property
    def _allowed(self) -> list[int]:
        return [word for word in range(len(self.reading)) if word not in self.request.drop]

    @property
    def _free(self) -> list[int]:
        return [word for word in range(len(self.reading)) if word not in self.pins]

    @property
    def _enumerable(self) -> bool:
        return len(self._free) <= _ENUMERABLE

    def _extremes(self, allowed: list[int]) -> tuple[int, int]:
        """The cost of the shortest answer and that of the longest."""
        pinned = sorted(self.request.keep)
        words = self.reading.sentence.words
        alone = [word for word in allowed if self._says_something((word,))]
        if self.counting.spaced:  # text by text would take time
            alone = [min(alone, key=lambda word: len(words[word]))]
        unit = self.request.budget and self.request.budget.unit
        if isinstance(unit, TextCost) or (pinned and not self.counting.adds_up):
            shortest = 0  # pinned marks may be repaired away
        else:
            shortest = self._cost(pinned) if pinned else min(self._cost([word]) for word in alone)
        return shortest, max(shortest, self._cost(allowed))

    def _refusal(self) -> InfeasibleBudget:
        request = self.request
        reached = sorted(set(self._reachable()))
        below = [cost for cost in reached if cost < request.least]
        above = [cost for cost in reached if cost > request.most]
        if not below and not above:  # every text that is left is empty
            return request.refusal((0, 0))
        return request.refusal((below[-1] if below else above[0], above[0] if above else below[-1]))

    def _reachable(self) -> Iterator[int]:
        """What some compressions cost: the shortest, the longest, and the nearest to what was asked."""
        for near in (0, self.request.least, self.request.most, self.counting.total):
            for kept in islice(filter(self._says_something, self._selections(near)), _NEIGHBOURHOOD):
                yield self._cost(self._settled(kept))

    def _selections(self, cost: int) -> Iterator[tuple[int, ...]]:
        """The best selections at every cost that the search can count, the nearest to this one first."""
        frontier = self._frontier
        possible = np.flatnonzero(frontier.scores > -np.inf)
        for near in possible[np.argsort(abs(possible - cost), kind="stable")].tolist():
            yield frontier.solution(near).kept

    @cached_property
    def _frontier(self) -> Frontier:
        gaps = self.reading.gaps if self.counting.spaced else None
        prices = self.reading.prices(self.pins)
        return self.reading.decoder().frontier(prices=prices, costs=self.counting.costs, gaps=gaps)

    def _settled(self, kept: tuple[int, ...]) -> tuple[int, ...]:
        return self.reading.settled(kept, self.request.keep)

    def _cost(self, kept: tuple[int, ...] | list[int]) -> int:
        request = self.request
        if request.budget is None or request.budget.unit == "words":
            return len(kept)
        words = [self.reading.sentence.words[word] for word in kept]
        if callable(request.budget.unit):
            return request.budget.measure(words, "")
        return request.budget.measure(words, detokenise(self.reading.sentence, kept)[0])

    def _compression(self, found: Found) -> Compression:
        request = self.request
        kept = self._settled(found.solution.kept)
        if request.budget is not None and not request.least <= self._cost(kept) <= request.most:
            kept = found.solution.kept  # asked for exactly so many words, punctuation in vain included
        return self.reading.compression(kept, score=found.score, notes=self.reading.notes_on(found))

    def _counting(self) -> _Counting:
        unit = "words" if self.request.budget is None else self.request.budget.unit
        words = self.reading.sentence.words
        if unit == "words":
            return _Counting(None)
        if unit == "characters":
            return _Counting(tuple(map(len, words)), spaced=True, adds_up=False)
        if isinstance(unit, TextCost):
            # What each word adds after another, with the space that the author put between them.
            gaps, alone = (" ", *self.reading.sentence.spaces), unit.count("a")
            added = (unit.count(f"a{gap}{word}") - alone for gap, word in zip(gaps, words, strict=False))
            return _Counting(tuple(max(0, cost) for cost in added), adds_up=False)
        assert callable(unit)
        return _Counting(tuple(unit(word) for word in words))
