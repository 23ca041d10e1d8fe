"""Septets: what a text message takes of its 1,120 bits (3GPP TS 23.038, the alphabet of GSM)."""

from __future__ import annotations

_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED = frozenset("\f^{}\\[~]|€")  # behind an escape, which is a septet of its own
_SEPTET, _UCS2 = 7, 16  # bits


def count_septets(text: str) -> int:
    """How many septets a text message of this text fills.

    A text with any character outside GSM's alphabet is sent in units of 16 bits: 70 of them fill 160 septets.

    >>> count_septets("It is [here]."), count_septets("“Here”"), count_septets("…" * 70), count_septets("…" * 71)
    (15, 14, 160, 163)
    """
    characters = set(text)
    if characters <= _BASIC:
        return len(text)
    if characters <= _BASIC | _EXTENDED:
        return len(text) + sum(map(_EXTENDED.__contains__, text))
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    return -(-units * _UCS2 // _SEPTET)


def septets_add_up(text: str) -> bool:
    """Whether GSM's alphabet has all characters of a text, and their capitals."""
    return set(text) | {each.upper()[:1] for each in text} <= _BASIC | _EXTENDED
