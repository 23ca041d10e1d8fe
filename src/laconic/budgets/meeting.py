"""Meeting a request on the final text, for any system: the limited search first, then whatever is needed.

The search counts what adds up: words, costs of words, characters with the spaces between them. The text of what
it finds is what is judged, since marks that lost their reason are taken away. Where no answer of the search will
do, the texts that do exist are found apart from all scores (`measured_texts`), and the system scores the best of them.
So a request is refused only where no text meets it, and what is offered instead can be had. A tokenizer's tokens do not
add up: the search is moved by its error, and then texts are measured. A selective system lists its selections before it
refuses. Who cannot look at all there is says that none was found, and looks for what costs more and less, from what was
asked on, as if that had been asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import islice

import numpy as np

from laconic.arrays import Float64
from laconic.budgets.cost_sets import bits_of
from laconic.budgets.counting import Counting
from laconic.budgets.measured_texts import MeasuredTexts
from laconic.budgets.request import Request
from laconic.budgets.search_space import SearchSpace
from laconic.compression import Compression
from laconic.decode.contract import LONG_SENTENCE, Selections, Solution
from laconic.errors import InfeasibleBudget, check_size, nearest_possible

_FEW_TRIES = 5  # of a long sentence
_TRIES = 100  # compressions whose texts are judged before others are looked for
_SCORED = 8  # texts found apart from the search that the system scores
_MOVES = 4  # of the limit on a cost that does not add up
_PROBED = (
    4_000  # the squares of the words of a sentence, of which nearer costs than those known are looked for
)
_LONG_REWRITING = 60  # words of one that is rewritten
_SURE = 12.0  # log-odds


@dataclass(frozen=True)
class Meeting:
    """A search space and what is asked of it."""

    space: SearchSpace
    asked: Request

    @cached_property
    def request(self) -> Request:
        """What is asked, in the largest unit that will do."""
        return self.asked.coarsened(self.space.new_words)

    def answer(self) -> Compression:
        """The best compression that meets the request; `InfeasibleBudget` says what is possible where none does."""
        if not self.allowed:
            return self._nothing()
        found = self.find(self.request.least, self.request.most)
        if found is not None:
            return found
        words = self.request.sentence.words
        only_marks = not any(char.isalnum() for word in self.allowed for char in words[word])
        if only_marks and self.request.budget is None and not self.request.keep:
            return self._nothing()  # marks do not stand alone
        raise self.refusal()

    def answers(self) -> Iterator[Compression]:
        """The answer, and after it what else meets the request, with other texts."""
        first = self.answer()
        yield first
        if self.allowed:
            least, most = self.request.least, self.request.most
            yield from self.others(self._candidates(least, most), least, most, but=first)

    def others(
        self, solutions: Iterable[Solution], least: int, most: int, *, but: Compression
    ) -> Iterator[Compression]:
        """Of the solutions those that cost from least to most, no text twice."""
        seen = {but.text}
        for solution in solutions:
            if self.accepts(solution, least, most):
                compression = self.space.written(solution)
                if compression.text not in seen:
                    seen.add(compression.text)
                    yield compression

    def find(self, least: int, most: int) -> Compression | None:
        """The best compression whose final text costs from least to most; None if there is none."""
        found = self.found(least, most)
        return None if found is None else self.space.written(found)

    def found(self, least: int, most: int) -> Solution | None:
        """The solution whose final text costs from least to most, not yet written; None if there is none."""
        if least > most:
            return None
        if self.request.must_be_measured and not self.space.rewrites:
            found = self._found_by_measuring(least, most)
        else:
            found = self._first_of_few(least, most) if self._is_long else self._first(least, most)
        found = found or self._best_of(self._others_that_exist(least, most), least, most)
        if found is None and self.space.selective:
            found = self._best_of(self._selected(least, most), least, most)
        return found

    def preferred(self, found: Solution, others: Iterator[Solution]) -> Solution:  # noqa: ARG002
        """Which of what meets the limits is the answer: what scores highest, unless whole answers are weighed, too."""
        return found

    def _preferred_of(self, solutions: Iterator[Solution]) -> Solution | None:
        found = next(solutions, None)
        return None if found is None else self.preferred(found, solutions)

    def accepts(self, solution: Solution, least: int, most: int) -> bool:
        """Whether the text of a solution costs from least to most, has the words that must stay, and says something."""
        cost = self._cost(solution)
        return cost is not None and least <= cost <= most

    def _cost(self, solution: Solution) -> int | None:
        """What the text of a solution costs; None where it lacks a word that must stay, or says nothing."""
        if not self.space.rewrites:
            return self.request.cost_of_words(solution.kept)
        draft = self._drafted(solution)
        removed = set(solution.kept).difference(draft.kept or solution.kept)
        return self.request.cost(draft) if self.request.stands(draft.text, removed) else None

    def refusal(self) -> InfeasibleBudget:
        """The error that says what is possible: the nearest costs below and above."""
        possible, grain = None if self.asked.budget is None else self._nearest(), self.request.grain
        if possible is not None:
            possible = possible[0] * grain, possible[1] * grain
        return self.asked.refusal(possible, proven=self.is_exhaustive)

    def _nearest(self) -> tuple[int, int] | None:
        """The nearest costs below and above that some text has."""
        least, most = self.request.least, self.request.most
        known = self._possible
        if self.is_exhaustive or not known:
            return nearest_possible(known, least, most)
        above_all = 1 + max(known[-1], self.request.measured(self.allowed)[0])
        below = max((cost for cost in known if cost < least), default=-1)
        above = min((cost for cost in known if cost > most), default=above_all)
        unknown = range(min(least, above_all) - 1, below, -1), range(most + 1, above)
        found = (self._first_had(costs) for costs in unknown)
        return nearest_possible([*known, *(cost for cost in found if cost is not None)], least, most)

    def _first_had(self, costs: Iterable[int]) -> int | None:
        """The first of some costs that some text has; None where none of those looked at has one."""
        if not self.space.rewrites and self._texts.add_up:
            costs = (cost for cost in costs if self._texts.reachable >> cost & 1)
        few = islice(costs, _PROBED // len(self.request.sentence) ** 2)
        return next((cost for cost in few if self.found(cost, cost) is not None), None)

    @property
    def is_exhaustive(self) -> bool:
        """Whether all that there is can be looked at, so that what is not found does not exist."""
        if self.space.rewrites:
            return False
        if self._texts.are_few:
            return True
        return self._listed.are_all if self.space.selective else self._texts.add_up

    def costs(self) -> int:
        """What texts cost, as the bits of an integer: all of them, or some where they cannot be counted unwritten."""
        if self.request.grain == 1 and self._can_be_counted:
            return self._texts.reachable
        check_size(max(self._possible, default=0) * self.request.grain, max(self._possible, default=0))
        reached = 0
        for cost in self._possible:
            reached |= 1 << cost * self.request.grain
        return reached

    @cached_property
    def _possible(self) -> list[int]:
        """The same, ascending, in the unit that is counted."""
        return bits_of(self._texts.reachable) if self._can_be_counted else sorted({*self._known_costs()})

    @property
    def _can_be_counted(self) -> bool:
        return not self.space.rewrites and not self.space.selective and self._texts.add_up

    def outlines(self) -> dict[int, Solution]:
        """For every number of words a compression that scores no less than the best of them."""
        if not self.allowed:
            return {}
        return self.space.outlines(self.request.keep, self.request.drop)

    @property
    def allowed(self) -> tuple[int, ...]:
        """The words that need not go."""
        return self.request.allowed

    def _drafted(self, solution: Solution) -> Compression:
        """The text of a solution; a system that rewrites is asked once."""
        known = self._drafts.get(id(solution))
        if known is None:
            known = solution, self.space.drafted(solution)
            if self.space.rewrites:
                self._drafts[id(solution)] = known
        return known[1]

    @cached_property
    def _drafts(self) -> dict[int, tuple[Solution, Compression]]:
        return {}

    @cached_property
    def counting(self) -> Counting:
        """How the words add up."""
        unit = "pieces" if self.request.budget is None else self.request.budget.unit
        return Counting.of(self.request.sentence, unit, self.space.new_words)

    def _nothing(self) -> Compression:
        nothing = Compression.by_deletion(self.space.sentence, (), score=0.0, heads=())
        if not self.request.least <= self.request.cost(nothing) <= self.request.most:
            raise self.asked.refusal((0, 0))
        return nothing

    def _candidates(self, least: int, most: int) -> Iterator[Solution]:
        """What the search finds within the limits, of the highest worth first."""
        keep, drop = self.request.keep, self.request.drop
        counting = self.space.counting(self.counting)
        low, high = self._searched(counting, least, most)
        if self._is_too_long and (counting.costs is not None or not self.space.rewrites):
            yield from (each for each in self._best_at_every_word_count if self.accepts(each, least, most))
        elif self.space.value is not None:
            yield from self._by_value(counting, low, high)
        elif self.request.budget is None:
            yield from self.space.best_first(keep, drop, None)
        else:
            yield from self.space.best_first(keep, drop, counting.limit(low, high))

    def _searched(self, counting: Counting, least: int, most: int) -> tuple[int, int]:
        """The limits between which the search counts the texts that cost from least to most."""
        if self.counting.estimated or not counting.estimated:
            return least, most
        # Spaces are counted with the words behind them: the first is counted in vain, and words that the author glued
        # to what stands before them, as behind a quote, get one elsewhere. Of a long sentence the limits are moved.
        sentence = self.request.sentence
        gaps = zip(sentence.spaces, sentence.words[1:], strict=False)
        glued = 0 if self._is_long else sum(not space and word[0].isalnum() for space, word in gaps)
        return max(0, least - glued), most + 1

    def _by_value(self, counting: Counting, least: int, most: int) -> Iterator[Solution]:
        keep, drop = self.request.keep, self.request.drop
        within = self.space.frontier(keep, drop, counting, (least, most)).values()
        if counting.costs is not None:
            yield from sorted(within, key=self.space.worth, reverse=True)
            return

        # At one length the order is that of the scores.
        def of_length(best: Solution) -> Iterator[Solution]:
            yield best
            limit = counting.limit(len(best.kept), len(best.kept))
            yield from islice(self.space.best_first(keep, drop, limit), 1, None)

        yield from merge(*map(of_length, within), key=self.space.worth, reverse=True)

    def _first(self, least: int, most: int) -> Solution | None:
        """The first of what the search finds that will do."""
        tried = islice(self._candidates(least, most), _TRIES)
        return self._preferred_of(each for each in tried if self.accepts(each, least, most))

    def _first_of_few(self, least: int, most: int) -> Solution | None:
        """The first of few that will do, for a long sentence: the limits are moved by the error of the best.

        To go on from the best takes long there: many marks are taken away again, and in each of the next best.
        """
        move = 0
        for _ in range(_MOVES):
            candidates = self._candidates(max(0, least + move), max(0, most + move))
            tried = []
            for each in islice(candidates, _FEW_TRIES):
                if self.accepts(each, least, most):
                    return self.preferred(each, iter(()))
                tried.append(each)
            cost = self.request.cost(self._drafted(tried[0])) if tried else least
            if least <= cost <= most:
                return None
            move += least - cost if cost < least else most - cost
        return None

    def _others_that_exist(self, least: int, most: int) -> Iterator[Solution]:
        """Texts within the limits that the search did not find."""
        if self.space.rewrites:
            yield from self._all_known
            return
        if self._texts.add_up:
            texts = self._texts.best(self._odds, least, most)
        elif self.space.selective and self._is_long:
            return  # of the texts of so many words, next to none keeps to what the system asks
        else:
            texts = (kept for cost, kept in self._texts.plain if least <= cost <= most)
        for kept in islice(texts, _SCORED):
            solution = self.space.only(kept)
            if solution is not None:
                yield solution

    def _best_of(self, solutions: Iterable[Solution], least: int, most: int) -> Solution | None:
        fitting = (solution for solution in solutions if self.accepts(solution, least, most))
        return max(fitting, key=self.space.worth, default=None)

    def _found_by_measuring(self, least: int, most: int) -> Solution | None:
        """The best answer for a cost of the text: the search counts what each word adds, and is moved by its error.

        Where that does not lead to the limit, all texts are measured that differ little from what was found.
        """
        move = 0
        seeds: list[tuple[int, ...]] = []
        steps = self.counting.costs or ()
        total = sum(steps)
        known: dict[int, int] = {}  # what texts cost, by what the search counted
        for _ in range(_MOVES):
            moved = max(0, min(total, least + move)), max(0, min(total, most + move))
            candidates = self._candidates(*moved)
            found = next(candidates, None)
            if found is None:
                break
            if self.accepts(found, least, most):
                return self.preferred(found, (each for each in candidates if self.accepts(each, least, most)))
            seeds.append(found.kept)
            cost, _, _ = self.request.measured(found.kept)
            if least <= cost <= most:
                break
            counted = sum(steps[word] for word in found.kept)
            known[counted] = cost
            target = most if cost > most else least
            amount = _amount_for(target, known, counted)
            if amount in known:
                break
            move = amount - target
        near = self._texts.near(
            tuple(dict.fromkeys(reversed(seeds))), lambda: self._odds, max(0, most + move)
        )
        hits = (kept for cost, kept in self._texts.with_costs(near) if least <= cost <= most)
        scored = (self.space.only(kept) for kept in islice(hits, _SCORED))
        return max(filter(None, scored), key=self.space.worth, default=None)

    def _known_costs(self) -> Iterable[int]:
        """What texts cost for which that cannot be told without writing them: all of few, some of many."""
        if self.space.rewrites:
            return [cost for each in self._all_known if (cost := self._cost(each)) is not None]
        if not self.space.selective:
            return [cost for cost, _ in self._texts.plain]
        found = () if self.is_exhaustive else self._at_every_length
        known = {cost for each in found if (cost := self._cost(each)) is not None}
        for cost, kept in self._texts_listed:
            if cost not in known and self.space.only(kept) is not None:
                known.add(cost)
        return known

    @cached_property
    def _all_known(self) -> tuple[Solution, ...]:
        """What a system that rewrites can say: all of it if it is little, else the best at every length and of all."""
        keep, drop = self.request.keep, self.request.drop
        if self._is_too_long:
            return self._at_every_word_count
        counting = self.space.counting(self.counting)
        return (
            *self.space.frontier(keep, drop, counting).values(),
            *self.space.most(keep, drop),
        )

    @cached_property
    def _at_every_word_count(self) -> tuple[Solution, ...]:
        """The best at every number of words."""
        return tuple(self.space.frontier(self.request.keep, self.request.drop, Counting(None)).values())

    @cached_property
    def _best_at_every_word_count(self) -> list[Solution]:
        """The best at every number of words, of the highest worth first."""
        return sorted(self._at_every_word_count, key=self.space.worth, reverse=True)

    @property
    def _is_too_long(self) -> bool:
        """Whether it takes too long to count costs other than words, or to go on from the best at a length.

        Then the best at every number of words must do.
        """
        if self.space.rewrites:
            return len(self.request.sentence) > _LONG_REWRITING
        return self.space.value is not None and self._is_long

    @property
    def _is_long(self) -> bool:
        return len(self.request.sentence) > LONG_SENTENCE

    def _selected(self, least: int, most: int) -> Iterator[Solution]:
        """Of a selective system what costs from least to most: all if its texts can be listed, else some."""
        fitting = (kept for cost, kept in self._texts_listed if least <= cost <= most)
        found = filter(None, map(self.space.only, fitting))
        if self.is_exhaustive:
            yield from found
            return
        some = list(islice(found, _SCORED))
        if not some and not self._is_long:
            counting = self.space.counting(self.counting)
            limit = counting.limit(*self._searched(counting, least, most))
            near = self.space.selections(self.request.keep, self.request.drop, limit).kept
            fitting = (kept for cost, kept in self._texts.with_costs(near) if least <= cost <= most)
            some = list(islice(filter(None, map(self.space.only, fitting)), _SCORED))
        yield from some or self._at_every_length

    @cached_property
    def _texts_listed(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """What the listed selections of a selective system cost, whose text says something."""
        if self._texts.are_few:
            return self._texts.plain
        return tuple(self._texts.with_costs(self._listed.kept))

    @cached_property
    def _listed(self) -> Selections:
        """The selections of a selective system, of a long sentence none."""
        if self._is_long:
            return Selections((), are_all=False)
        return self.space.selections(self.request.keep, self.request.drop, None)

    @cached_property
    def _at_every_length(self) -> tuple[Solution, ...]:
        """Of a selective system a compression of every number of words that it has, and the best of all."""
        best = islice(self.space.best_first(self.request.keep, self.request.drop, None), 1)
        found = (self.space.only(each.kept) for each in (*self.outlines().values(), *best))
        return tuple(filter(None, found))

    @cached_property
    def _texts(self) -> MeasuredTexts:
        """The texts there are, apart from what the system thinks of them."""
        return MeasuredTexts(self.request, self.counting)

    @cached_property
    def _odds(self) -> list[float]:
        """The log-odds that each word is kept; even ones where the system has no compression with these pins."""
        try:
            kept = self.space.probabilities(self.request.keep, self.request.drop)
        except InfeasibleBudget:
            return [0.0] * len(self.request.sentence)
        odds: Float64 = np.log(np.maximum(kept, 1e-9)) - np.log(np.maximum(1.0 - kept, 1e-9))
        return [float(each) for each in np.clip(np.nan_to_num(odds), -_SURE, _SURE)]


def _amount_for(target: int, known: Mapping[int, int], last: int) -> int:
    """What the search should count so that a text costs so much, by what texts it counted do: between the nearest two.

    Of one that is known to be too dear, the same share.

    >>> _amount_for(10, {12: 14}, 12), _amount_for(10, {4: 5, 12: 14}, 12), _amount_for(160, {145: 323}, 145)
    (8, 8, 71)
    """
    below = max((amount for amount, cost in known.items() if cost < target), default=None)
    above = min((amount for amount, cost in known.items() if cost > target), default=None)
    if below is None or above is None or below >= above:
        return last * target // known[last] if known[last] > target else last + target - known[last]
    low, high = known[below], known[above]
    return below + round((above - below) * (target - low) / (high - low))
