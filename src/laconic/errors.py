"""The errors a caller can cause; each message names the input, the place and the remedy."""

from __future__ import annotations


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
    """No compression meets the budget; `possible` is the nearest range (least, most) that some compression meets."""

    def __init__(self, message: str, *, possible: tuple[int, int] | None = None) -> None:
        if possible is not None:
            least, most = possible
            message += f"; possible: {least}" if least == most else f"; possible: {least} to {most}"
        super().__init__(message)
        self.possible = possible


class ModelError(LaconicError):
    """A model folder that is missing, incomplete or damaged."""
