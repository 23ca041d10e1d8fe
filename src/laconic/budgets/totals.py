"""What the sentences of a text can cost together, counted by what each can cost by itself, whatever is best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from laconic.budgets.cost_sets import bits_of
from laconic.budgets.knapsack import FRESH, INSIDE, NOTHING
from laconic.errors import check_size


class Member(NamedTuple):
    """A sentence as it counts for the total."""

    costs: int
    """What it can cost by itself, as the bits of an integer."""
    gaps: tuple[int, int, int]
    """What stands before it costs where nothing of the text, nothing of its block or something of it is kept."""
    optional: bool
    begins: bool
    """Whether it begins a block."""


class _Reached(NamedTuple):
    """What sentences up to one cost, as the bits of integers, and whether all may be gone.

    Where something of the last block is kept, and where nothing of it is.
    """

    inside: int
    fresh: int
    nothing: bool

    def behind_block(self) -> _Reached:
        """The same where a new block begins."""
        return _Reached(0, self.inside | self.fresh, self.nothing)


_START = _Reached(0, 0, True)


class Totals:
    """All that a text can cost, and for each total what every sentence costs then."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = members
        greatest = sum(each.costs.bit_length() + max(each.gaps) for each in members)
        check_size(greatest, greatest)
        self._reached = [_START]
        for member in members:
            inside, fresh, nothing = self._before(len(self._reached) - 1)
            alone, first, later = member.gaps
            reached = inside if member.optional else 0
            for cost in bits_of(member.costs):
                reached |= inside << (cost + later) | fresh << (cost + first)
                reached |= 1 << (cost + alone) if nothing else 0
            self._reached.append(
                _Reached(reached, fresh if member.optional else 0, nothing and member.optional)
            )

    @property
    def possible(self) -> int:
        """The totals as the bits of an integer; nothing at all is not counted if there is something else."""
        inside, fresh, nothing = self._reached[-1]
        return inside | fresh or int(nothing)

    def shares(self, total: int, usual: Sequence[int | None]) -> list[int | None]:
        """What each sentence costs by itself where all cost so much, near what is usual; None if it is gone."""
        found: list[int | None] = [None] * len(self._members)
        state = INSIDE if self._reached[-1].inside >> total & 1 else FRESH
        for number in reversed(range(len(self._members))):
            member, before = self._members[number], self._before(number)
            same = (before.inside if state == INSIDE else before.fresh) >> total & 1
            if state == FRESH or (usual[number] is None and member.optional and same):
                source = state
            else:
                own, source = _own(member, before, total, usual[number] or 0)
                if own is None:
                    continue  # it went with the others
                found[number] = own
                total -= own + member.gaps[source]
            if source == NOTHING:
                break
            if source == FRESH and member.begins and number:
                state = INSIDE if self._reached[number].inside >> total & 1 else FRESH
            else:
                state = source
        return found

    def _before(self, number: int) -> _Reached:
        reached = self._reached[number]
        return reached.behind_block() if self._members[number].begins else reached


def _own(member: Member, before: _Reached, total: int, usual: int) -> tuple[int | None, int]:
    """What a sentence costs by itself, near its usual cost, and what is kept before it, so that all cost so much."""
    inside, fresh, nothing = before
    for own in sorted(bits_of(member.costs), key=lambda each: abs(each - usual)):
        for source, reached in ((INSIDE, inside), (FRESH, fresh), (NOTHING, int(nothing))):
            rest = total - own - member.gaps[source]
            if rest >= 0 and reached >> rest & 1:
                return own, source
    return None, INSIDE
