"""What a limit can count, by name: words, characters, and what the machines and people that set limits count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from laconic.budget import PLAIN_WORDS, TextCost, Unit
from laconic.errors import LaconicError
from laconic.units.graphemes import count_graphemes
from laconic.units.posts import count_mastodon, count_x
from laconic.units.septets import count_septets
from laconic.units.speech import speech


def _utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


_UNITS: Mapping[str, Callable[[], Unit]] = MappingProxyType(
    {
        "words": lambda: PLAIN_WORDS,
        "characters": lambda: "characters",
        "graphemes": lambda: TextCost(count_graphemes, "graphemes"),
        "bytes": lambda: TextCost(_utf8_bytes, "bytes"),
        "utf16": lambda: TextCost(_utf16_units, "UTF-16 units"),
        "septets": lambda: TextCost(count_septets, "septets"),
        "mastodon": lambda: TextCost(count_mastodon, "characters of a Mastodon post"),
        "x": lambda: TextCost(count_x, "characters of an X post"),
        "seconds": speech,
    }
)

NAMES = tuple(_UNITS)
"""The units there are."""

COUNTS: Mapping[str, str] = MappingProxyType(
    {
        "words": "words as people count them",
        "characters": "characters",
        "graphemes": "graphemes (what a reader sees as one character)",
        "bytes": "bytes of UTF-8",
        "utf16": "units of UTF-16",
        "septets": "septets of a text message (7 bits each)",
        "mastodon": "characters, 23 for any link",
        "x": "characters, 23 for any link, two for an emoji or a wide letter",
        "seconds": "seconds of speech",
    }
)
"""What each counts, for people."""

SCALES: Mapping[str, int] = MappingProxyType({"seconds": 1000})
"""How much one of it costs, where that is not 1: seconds are counted in milliseconds."""


def unit(name: str) -> Unit:
    """A unit by its name; one second of it is `SCALES["seconds"]` of its cost.

    >>> unit("bytes").count("né"), unit("graphemes").count("né🇫🇷"), unit("septets").count("10 €")
    (3, 3, 5)
    """
    if name not in _UNITS:
        raise LaconicError(f"no unit {name!r}; there are {', '.join(NAMES)}")
    return _UNITS[name]()
