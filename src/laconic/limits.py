"""Limits of the world by name."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from laconic.errors import LaconicError


@dataclass(frozen=True, slots=True)
class NamedLimit:
    """A limit that others set: so much of a unit, as an amount that `laconic.options` reads."""

    unit: str
    amount: str


_LIMITS = {
    "meta-description": NamedLimit("characters", "160"),
    "title": NamedLimit("characters", "60"),
}

NAMES = tuple(_LIMITS)
"""The limits that have a name."""


def named(name: str) -> NamedLimit:
    """The limit of that name.

    >>> named("title").amount
    '60'
    """
    if name not in _LIMITS:
        near = get_close_matches(name, NAMES, n=3) or NAMES
        raise LaconicError(f"no limit of the name {name!r}; known: {', '.join(near)}")
    return _LIMITS[name]
