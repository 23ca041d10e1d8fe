"""Upper limits that are there to be used: nearly filled, or less where that tears less apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from laconic.budgets import Meeting
from laconic.compression import Compression
from laconic.decode.contract import Solution
from laconic.systems.default.reading import Reading

SLACK = 0.1
"""How much of a budget that is only an upper limit may be left unused where that reads better."""

_LARGER_SLACKS = (0.4, 1.0)  # where what is found would tear something apart
_SLIGHT = 8.0  # damage that is not worth a shorter answer


@dataclass(frozen=True)
class Filling(Meeting):
    """A meeting with an upper limit: what fits is left as it is, the rest is cut to the limit or a little less.

    The best few are read whole before one is chosen. At an exact length there is little to choose from, and readers
    liked no other choice better.
    """

    reading: Reading

    def preferred(self, found: Solution, others: Iterator[Solution]) -> Solution:
        """What careful readers would like best."""
        return self.reading.preferred(found, others)

    def answer(self) -> Compression:
        """The compression that uses the limit best."""
        least, most = self.request.least, self.request.most
        if not self.allowed:
            return super().answer()
        if self.accepts(Solution(0.0, self.allowed), least, most):
            whole = self.space.only(self.allowed)
            assert whole is not None
            return self.space.written(whole)
        found = self._gentlest(most)
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

    def _gentlest(self, most: int) -> Compression | None:
        """What nearly uses up the upper limit, or something shorter where that tears less apart."""
        best = self.found(self._floor(most), most)
        if best is None:
            return self.find(0, most)
        harsh = Meeting(self.reading.harsh_space, self.request)
        for share in _LARGER_SLACKS:
            if self.reading.damage(best) > _SLIGHT:
                shorter = harsh.found(most - int(share * most), most)
                if shorter is not None:
                    best = self.reading.gentler(best, shorter)
        return self.space.written(best)

    def _floor(self, most: int) -> int:
        return max(0, most - max(1, int(SLACK * most)))
