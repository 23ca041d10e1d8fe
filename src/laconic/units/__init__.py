"""What a limit can count, by name: words, characters, and what the machines and people that set limits count."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from laconic.budget import LARGEST, WORDS, Budget, TextCost, Unit
from laconic.errors import LaconicError
from laconic.units.graphemes import are_all_graphemes, count_graphemes
from laconic.units.posts import count_mastodon, count_x, mastodon_adds_up, x_adds_up
from laconic.units.septets import count_septets, septets_add_up
from laconic.units.speech import RATE, count_syllables


def _utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _bytes_add_up(text: str) -> bool:
    """Whether single capitals take as many bytes as the small letters."""
    capitals = ((each, each.upper()) for each in set(text))
    return text.isascii() or all(_utf8_bytes(a) == _utf8_bytes(b) for a, b in capitals if len(b) == 1)


def _utf16_adds_up(text: str) -> bool:  # noqa: ARG001
    """Yes: what has two units has them as a capital, too."""
    return True


_UNITS: Mapping[str, Callable[[], Unit]] = MappingProxyType(
    {
        "words": lambda: WORDS,
        "characters": lambda: "characters",
        "graphemes": lambda: TextCost(count_graphemes, "graphemes", are_all_graphemes),
        "bytes": lambda: TextCost(_utf8_bytes, "bytes", _bytes_add_up),
        "utf16": lambda: TextCost(_utf16_units, "UTF-16 units", _utf16_adds_up),
        "septets": lambda: TextCost(count_septets, "septets", septets_add_up),
        "mastodon": lambda: TextCost(count_mastodon, "characters of a Mastodon post", mastodon_adds_up),
        "x": lambda: TextCost(count_x, "characters of an X post", x_adds_up),
        "syllables": lambda: TextCost(count_syllables, "syllables"),
        "seconds": lambda: TextCost(count_syllables, "syllables"),
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
        "syllables": "syllables",
        "seconds": "seconds of speech",
    }
)
"""What each counts, for people."""


def unit(name: str) -> Unit:
    """What is counted for a unit by its name; for seconds of speech those are syllables.

    >>> unit("bytes").count("né"), unit("graphemes").count("né🇫🇷"), unit("septets").count("10 €")
    (3, 3, 5)
    """
    if name not in _UNITS:
        raise LaconicError(f"no unit {name!r}; there are {', '.join(NAMES)}")
    return _UNITS[name]()


def budget(name: str, least: float | None, most: float | None, *, rate: float = RATE) -> Budget:
    """From least to most of a unit by its name; `rate` says how many syllables a second of speech has.

    >>> budget("seconds", None, 2.5).most, budget("seconds", 2, 3, rate=5).limits(100)
    (10, (10, 15))
    """
    if name != "seconds":
        return Budget(least, most, unit(name))
    for what, amount in (("a rate", rate), ("seconds", least), ("seconds", most)):
        is_number = isinstance(amount, int | float) and not isinstance(amount, bool)
        if amount is not None and not (is_number and 0 <= amount < LARGEST):
            raise LaconicError(f"{what} of speech must be a finite number of at least 0, not {amount!r}")
    if not rate:
        raise LaconicError(
            f"a rate of speech is a number of syllables a second, such as {RATE}, not {rate!r}"
        )
    if least is not None and least == most:
        least = most = math.floor(least * rate + 0.5)
    else:
        # Up and down to whole syllables; the tiny slack undoes the rounding of products.
        least = None if least is None else math.ceil(least * rate - 1e-9)
        most = None if most is None else math.floor(most * rate + 1e-9)
    return Budget(least, most, unit(name))
