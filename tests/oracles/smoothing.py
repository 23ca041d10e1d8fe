"""Interpolated smoothing by its definition: the recursion over contexts, counting afresh at every step."""

from __future__ import annotations

from collections.abc import Sequence

from laconic.learn.witten_bell import AbsoluteDiscounting, Additive, Smoothing


def probability(
    data: Sequence[tuple[Sequence[int], int]],
    context: Sequence[int],
    outcome: int,
    columns: Sequence[int],
    *,
    outcome_count: int,
    smoothing: Smoothing,
    least: int = 1,
) -> float:
    """p(outcome | context), the context being its values at `columns`, of which the last is removed first."""

    def rest() -> float:
        if not columns:
            return 1 / outcome_count
        options = {"outcome_count": outcome_count, "smoothing": smoothing, "least": least}
        return probability(data, context, outcome, columns[:-1], **options)  # type: ignore[arg-type]

    seen = [k for row, k in data if all(row[column] == context[column] for column in columns)]
    if not seen or (columns and len(seen) < least):
        return rest()
    own, total, types = seen.count(outcome), len(seen), len(set(seen))
    if isinstance(smoothing, Additive):
        return (own + smoothing.weight * rest()) / (total + smoothing.weight)
    if isinstance(smoothing, AbsoluteDiscounting):
        return (max(own - smoothing.discount, 0) + smoothing.discount * types * rest()) / total
    return (own + types * rest()) / (total + types)
