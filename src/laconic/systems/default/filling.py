"""Upper limits that are there to be used: nearly filled, or less where that reads better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from laconic.budgets import Meeting
from laconic.compression import Compression
from laconic.decode.contract import Solution
from laconic.systems.default.reading import Reading

SLACK = 0.1
"""How much of a budget that is only an upper limit is left unused by what nearly fills it."""

_SHORTEST = 0.5
"""The share of it that an answer has at least which is taken instead."""
_SLIGHT = 8.0  # damage that is not worth a shorter answer


@dataclass(frozen=True)
class Filling(Meeting):
    """A meeting with an upper limit: what fits is left as it is, the rest is cut to the limit or a little less.

    The best few are read whole before one is chosen, shorter ones among them: at a limit there is often no room for
    what completes a phrase, and better no phrase than half of it. At an exact length there is little to choose from,
    and readers liked no other choice better.
    """

    reading: Reading

    def preferred(self, found: Solution, others: Iterator[Solution]) -> Solution:
        """What careful readers would like best; if they are not asked, what nearly fills the limit and tears little."""
        most = self.request.most
        if self.accepts(found, self._floor(most), most):
            return self.reading.preferred(found, others)
        full = self.found(self._floor(most), most)
        if full is None or (not self.reading.has_reader and self.reading.damage(full) > _SLIGHT):
            return self.reading.preferred(found, others)
        return self.reading.preferred(full, chain((found,), others))

    def answer(self) -> Compression:
        """The compression that uses the limit best."""
        least, most = self.request.least, self.request.most
        if not self.allowed:
            return super().answer()
        if self.accepts(Solution(0.0, self.allowed), least, most):
            whole = self.space.only(self.allowed)
            assert whole is not None
            return self.space.written(whole)
        found = self.find(int(_SHORTEST * most), most) or self.find(0, most)
        if found is None:
            raise self.refusal()
        return found

    def answers(self) -> Iterator[Compression]:
        """The answer, and after it what else nearly fills the limit."""
        first = self.answer()
        yield first
        if self.allowed:
            most = self.request.most
            least = max(0, min(self.request.cost(first), self._floor(most)))
            yield from self.others(self._candidates(least, most), least, most, but=first)

    def _floor(self, most: int) -> int:
        return max(0, most - max(1, int(SLACK * most)))
