"""The errors a caller can cause; each message names the input, the place and the remedy."""

from __future__ import annotations

from collections.abc import Collection

LARGEST_TABLE = 1 << 27
"""Values of a table over costs: one gibibyte."""


class LaconicError(ValueError):
    """A caller's mistake: bad input, an impossible request, a broken file."""


class FormatError(LaconicError):
    """A file or string that is not in the format it should be in."""

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None) -> None:
        place = "" if source is None else source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {message}" if place else message)
        self.source = source
        self.line = line


class InfeasibleBudget(LaconicError):
    """No compression meets the budget; `possible` are the nearest below it and above it that some compression meets.

    Where there is only one, or none on one side, both are the same. To leave nothing, which `drop_sentences` allows, is
    not among them while there are others.
    """

    def __init__(self, message: str, *, possible: tuple[int, int] | None = None) -> None:
        if possible is not None:
            below, above = possible
            message += f"; possible: {below}" if below == above else f"; possible: {below} or {above}"
        super().__init__(message)
        self.possible = possible


class ModelError(LaconicError):
    """A model folder that is missing, incomplete or damaged."""


class MissingExtra(LaconicError, ImportError):
    """A library that is only needed for what is asked for, and is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed: pip install 'laconic[{extra}]'")


def check_k(k: int) -> None:
    """Raise an error unless so many best can be asked for: at least one."""
    if k < 1:
        raise LaconicError(f"k must be at least 1, not {k}")


def check_size(size: int, greatest: int) -> None:
    """Raise an error if a table over costs is too large."""
    if size > LARGEST_TABLE:
        raise LaconicError(
            f"costs of up to {greatest} need a table of {size} values: use a coarser unit of cost"
        )


def nearest_possible(costs: Collection[int], least: int, most: int) -> tuple[int, int] | None:
    """The nearest of the costs below `least` and above `most`; the one there is, twice, or None.

    >>> nearest_possible([2, 3, 5, 8], 3, 4)
    (2, 5)
    """
    below = max((cost for cost in costs if cost < least), default=None)
    above = min((cost for cost in costs if cost > most), default=None)
    found = [cost for cost in (below, above) if cost is not None]
    return (found[0], found[-1]) if found else None
