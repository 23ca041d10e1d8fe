"""Walking the hull of (cost, score): a Lagrange multiplier on the cost, with a certificate when it lands.

For a multiplier λ an unlimited search maximises score - λ·cost in one fast pass. No answer whose cost meets the limit
scores more than g(λ) = max(score - λ·(cost - target)), for λ >= 0 and target the upper end of the limit, or λ <= 0
and the lower end. Two answers on either side of the target name the λ at which they tie; the pass at that λ finds
either one above both, which takes the place of the one on its side, or nothing better: then g is at its least, and
no λ gives a tighter bound. Each pass finds a corner of the upper hull of the points (cost, score), so few are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from laconic.errors import InfeasibleBudget

T = TypeVar("T")
TOLERANCE = 1e-12  # relative: what rounding may do to a sum of scores
_LARGEST_MULTIPLIER = 1e100  # beyond, scores no longer count


@dataclass(frozen=True, slots=True)
class Relaxation(Generic[T]):
    """What pricing the cost proves: no answer within the limit scores more than `bound`.

    `answer` is the best one within the limit that a pass met, None if none did; `multiplier` and `target`
    give the bound; `passes` counts the searches.
    """

    answer: T | None
    score: float
    bound: float
    multiplier: float
    target: int
    passes: int

    @property
    def certified(self) -> bool:
        """Whether the answer is proven to be the best within the limit."""
        return self.answer is not None and self.score >= self.bound - TOLERANCE * max(1.0, abs(self.bound))


@dataclass(frozen=True, slots=True)
class _Point(Generic[T]):
    score: float
    cost: int
    answer: T


def walk_hull(solve: Callable[[float], tuple[float, int, T]], least: int, most: int) -> Relaxation[T]:
    """Walk the hull of (cost, score) towards the limit.

    `solve(λ)` returns (score, cost, answer) of the answer that maximises score - λ·cost. Where all answers
    cost more than `most`, or all less than `least`, the walk raises `InfeasibleBudget`.
    """
    passes = 0
    best: _Point[T] | None = None

    def ask(multiplier: float) -> _Point[T]:
        nonlocal passes, best
        passes += 1
        point = _Point(*solve(multiplier))
        if least <= point.cost <= most and (best is None or point.score > best.score):
            best = point
        return point

    def result(multiplier: float, target: int, point: _Point[T]) -> Relaxation[T]:
        bound = point.score - multiplier * (point.cost - target)
        answer, score = (None, -np.inf) if best is None else (best.answer, best.score)
        return Relaxation(answer, score, bound, multiplier, target, passes)

    near = free = ask(0.0)
    if least <= free.cost <= most:
        return result(0.0, free.cost, free)
    sign, target = (1.0, most) if near.cost > most else (-1.0, least)

    def beyond(point: _Point[T]) -> bool:  # as far from `near` as the target, or farther
        return sign * (point.cost - target) <= 0

    multiplier = sign * max(abs(near.score) / max(1, near.cost), 1e-3)
    far = ask(multiplier)
    while not beyond(far):
        if abs(multiplier) > _LARGEST_MULTIPLIER:
            raise InfeasibleBudget(f"no price of cost makes an answer cost {target}")
        near = far
        multiplier *= 4.0
        far = ask(multiplier)
    while far.cost != target:
        tie = (near.score - far.score) / (near.cost - far.cost)
        if sign * tie <= 0.0:  # the far end was as good all along: the limit does not bind
            return result(0.0, target, free)
        point = ask(tie)
        edge = far.score - tie * far.cost
        value = point.score - tie * point.cost
        slack = TOLERANCE * max(1.0, abs(edge), abs(tie) * near.cost, abs(tie) * far.cost)
        # A point of the same cost as an end is that end: the costs draw together, so the walk must end.
        if value <= edge + slack or point.cost in (near.cost, far.cost):
            return result(tie, target, point if value > edge else far)
        multiplier = tie
        if beyond(point):
            far = point
        else:
            near = point
    return result(multiplier, target, far)
