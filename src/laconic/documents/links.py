"""Links stay whole or go whole: what is cut within one is cut again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from laconic.budget import Budget
from laconic.budgets.parts import Part
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget

Links = tuple[frozenset[int], ...]
"""The words of each link of a sentence."""

Cut = Callable[[Sequence[Part], Budget | None], Sequence[Compression | None]]
"""What becomes of sentences under a budget, or at their natural lengths."""

_TRIES = 50  # of fates for the links that are torn, one by one; then only the first few links stay
_PROBES = 8  # amounts that are tried on either side of what cannot be had


def with_whole_links(
    cut: Cut,
    parts: Sequence[Part],
    links: Sequence[Links],
    budget: Budget | None,
    limits: Callable[[], tuple[int, int]],
) -> list[Compression | None]:
    """What `cut` makes of sentences under a budget, with every link whole or gone.

    A link of which more than half would stay is kept where that can be, and others are dropped where that can be.
    What a refusal calls possible, below and above the `limits` of the budget, is answered when it is asked for.
    """
    if not any(links):
        return list(cut(parts, budget))
    search = _Search(cut, links, budget)
    try:
        return search.answers(parts)
    except InfeasibleBudget:
        text = parts[0].sentence.text.strip()
        start = text if len(text) <= 40 else f"{text[:40]}…"
        possible = None if budget is None else _possible(search, parts, budget, *limits())
        raise InfeasibleBudget(
            f"no compression of {start!r} in which every link is whole or gone meets the limit",
            possible=possible,
        ) from None


def whole_links(
    cut: Cut, parts: Sequence[Part], links: Sequence[Links], budget: Budget
) -> list[Compression | None]:
    """The same for those who do not ask what is possible instead: a refusal does not say it."""
    try:
        return _Search(cut, links, budget).answers(parts)
    except InfeasibleBudget:
        raise InfeasibleBudget(
            "no compression in which every link is whole or gone meets the limit"
        ) from None


@dataclass(slots=True)
class _Search:
    """The fates of links, tried one after the other, and what the refusals on the way called possible.

    Of sentences whose links still have two fates that may be possible only where a link is torn.
    """

    cut: Cut
    links: Sequence[Links]
    budget: Budget | None
    tries: int = 0
    offered: list[int] = field(default_factory=list)

    def answers(self, parts: Sequence[Part]) -> list[Compression | None]:
        """What tears no link, by every fate of those that would be torn, or by few of them where they are many."""
        try:
            return self._settled(parts)
        except _TooMany:
            return self.with_the_first(parts)

    def with_the_first(self, parts: Sequence[Part]) -> list[Compression | None]:
        """What keeps the first few links and drops the others, as many of them as can be: no link has two fates."""
        self.offered = []
        every = [(number, link) for number, own in enumerate(self.links) for link in own]
        refused = InfeasibleBudget("there are no links")
        for count in range(len(every), -1, -1):
            pinned = parts
            for place, (number, link) in enumerate(every):
                fates = (_pinned(pinned, number, link, keeps) for keeps in (place < count, place >= count))
                pinned = next(filter(None, fates), pinned)
            try:
                return self._cut(pinned)
            except InfeasibleBudget as error:
                refused = error
        raise refused

    def _settled(self, parts: Sequence[Part]) -> list[Compression | None]:
        self.tries += 1
        if self.tries > _TRIES:
            raise _TooMany
        answers = self._cut(parts)
        for number, link, stays in _torn(answers, self.links):
            refused = None
            for pinned in (_pinned(parts, number, link, keeps) for keeps in (stays, not stays)):
                if pinned is None:
                    continue
                try:
                    return self._settled(pinned)
                except InfeasibleBudget as error:
                    refused = error
            if refused is not None:
                raise refused
        return answers

    def _cut(self, parts: Sequence[Part]) -> list[Compression | None]:
        try:
            return list(self.cut(parts, self.budget))
        except InfeasibleBudget as error:
            self.offered += error.possible or ()
            raise


class _TooMany(Exception):
    """The torn links have too many fates to try them all."""


def _possible(
    refused: _Search, parts: Sequence[Part], budget: Budget, least: int, most: int
) -> tuple[int, int] | None:
    """The nearest amounts below `least` and above `most` that are answered; the one there is, twice, or None."""

    def probed(nearest: Callable[[list[int]], int], is_beyond: Callable[[int], bool]) -> list[int]:
        # All that can be had is among what refusals offer, or farther away.
        offered = [amount for amount in refused.offered if is_beyond(amount)]
        for _ in range(_PROBES):
            if not offered:
                return []
            near = nearest(offered)
            search = _Search(refused.cut, refused.links, Budget.exactly(near, unit=budget.unit))
            try:
                search.answers(parts)
            except InfeasibleBudget:
                others = {*offered, *search.offered} - {near}
                offered = [
                    amount for amount in others if is_beyond(amount) and nearest([amount, near]) == near
                ]
            else:
                return [near]
        plain = _Search(refused.cut, refused.links, budget)
        try:
            plain.with_the_first(parts)
        except InfeasibleBudget:
            return [nearest(sure)] if (sure := [*filter(is_beyond, plain.offered)]) else []
        return []

    found = [*probed(max, lambda amount: amount < least), *probed(min, lambda amount: amount > most)]
    return (found[0], found[-1]) if found else None


def _pinned(parts: Sequence[Part], number: int, link: frozenset[int], keeps: bool) -> list[Part] | None:
    """The sentences with a link of one of them kept or dropped; None if its words, or all that is left, must not be."""
    part = parts[number]
    if link & (part.drop if keeps else part.keep):
        return None
    pinned = replace(part, keep=part.keep | link, droppable=False) if keeps else None
    pinned = pinned or replace(part, drop=part.drop | link)
    if pinned.is_gone and not part.droppable and not part.is_gone:
        return None
    return [*parts[:number], pinned, *parts[number + 1 :]]


def _torn(
    answers: Sequence[Compression | None], links: Sequence[Links]
) -> Iterator[tuple[int, frozenset[int], bool]]:
    """The links of which some words stay and some go, and whether most stay."""
    for number, (answer, own) in enumerate(zip(answers, links, strict=True)):
        if answer is None or answer.kept is None:
            continue
        for link in own:
            kept = len(link.intersection(answer.kept))
            if 0 < kept < len(link):
                yield number, link, 2 * kept > len(link)
