"""Sets of costs as the bits of an integer: what some compressions of a sentence cost."""

from __future__ import annotations


def bits_of(costs: int) -> list[int]:
    """The numbers of the bits that are set, ascending.

    >>> bits_of(0b1011)
    [0, 1, 3]
    """
    return [place for place, bit in enumerate(reversed(bin(costs)[2:])) if bit == "1"]


def highest_within(costs: int, least: int, most: int) -> int | None:
    """The highest of the costs from least to most; None if there is none.

    >>> highest_within(0b10110, 0, 3)
    2
    """
    below = costs & ((1 << min(max(most, -1) + 1, costs.bit_length())) - 1)
    highest = below.bit_length() - 1
    return highest if highest >= max(0, least) else None


def nearest(costs: int, least: int, most: int) -> tuple[int, int] | None:
    """The nearest of the costs below `least` and above `most`; the one there is, twice, or None.

    >>> nearest(0b100100, 3, 4)
    (2, 5)
    """
    below = (costs & ((1 << min(least, costs.bit_length())) - 1)).bit_length() - 1
    rest = costs >> (most + 1)
    above = most + 1 + (rest & -rest).bit_length() - 1 if rest else -1
    found = [cost for cost in (below, above) if cost >= 0]
    return (found[0], found[-1]) if found else None
