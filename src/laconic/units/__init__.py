"""What a limit can count, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from laconic.budget import WORDS, TextCost, Unit
from laconic.errors import LaconicError


def _utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


_UNITS: Mapping[str, Callable[[], Unit]] = MappingProxyType(
    {
        "words": lambda: WORDS,
        "characters": lambda: "characters",
        "bytes": lambda: TextCost(_utf8_bytes, "bytes"),
    }
)

NAMES = tuple(_UNITS)
"""The units there are."""

SCALES: Mapping[str, int] = MappingProxyType({})
"""How much one of it costs, where that is not 1."""


def unit(name: str) -> Unit:
    """A unit by its name.

    >>> unit("words").count("It isn't late.")
    3
    """
    if name not in _UNITS:
        raise LaconicError(f"no unit {name!r}; there are {', '.join(NAMES)}")
    return _UNITS[name]()
