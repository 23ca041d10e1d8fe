"""Sets of costs as the bits of an integer: what some compressions of a sentence cost."""

from __future__ import annotations

from typing import NamedTuple


class Costs(NamedTuple):
    """What compressions cost, as the bits of an integer, and whether no compression costs anything else."""

    bits: int
    are_all: bool


def bits_of(costs: int) -> list[int]:
    """The numbers of the bits that are set, ascending.

    >>> bits_of(0b1011)
    [0, 1, 3]
    """
    bits, found, place = bin(costs)[:1:-1], list[int](), -1
    while (place := bits.find("1", place + 1)) >= 0:  # they may lie far apart
        found.append(place)
    return found


def highest_within(costs: int, least: int, most: int) -> int | None:
    """The highest of the costs from least to most; None if there is none.

    >>> highest_within(0b10110, 0, 3)
    2
    """
    below = costs & ((1 << min(max(most, -1) + 1, costs.bit_length())) - 1)
    highest = below.bit_length() - 1
    return highest if highest >= max(0, least) else None
