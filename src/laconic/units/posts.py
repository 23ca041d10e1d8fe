"""Characters as networks count them, for which every link is as long as any other."""

from __future__ import annotations

import re

from laconic.units.graphemes import are_all_graphemes, count_graphemes

LINK = 23
"""What a link costs, however long it is."""

# A link ends before the punctuation of its sentence.
_LINK = re.compile(r"https?://[^\s<>\"“”]*[^\s<>\"“”.,;:!?'’)\]}…]")
_MENTION = re.compile(r"(?<![\w/])(@\w+)@[\w.-]+\w")

# Emoji count as two as a whole, with their joiners and modifiers.
_PICTURE = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934-\u2b55"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_EMOJI = re.compile(
    rf"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3"
    rf"|{_PICTURE}[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*(?:\u200d{_PICTURE}[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*)*"
)
_NARROW = ((0, 0x10FF), (0x2000, 0x200D), (0x2010, 0x201F), (0x2032, 0x2037))
_WIDE = 2


def count_mastodon(text: str) -> int:
    """The length of a Mastodon post: graphemes, links at 23, and mentions without their server.

    >>> count_mastodon("@ada@example.org see https://example.org/a/long/way/down?with=more.")
    33
    """
    return count_graphemes(_MENTION.sub(r"\1", _LINK.sub("x" * LINK, text)))


def count_x(text: str) -> int:
    """The length of a post on X: links at 23, emoji and characters outside the scripts of Europe at two.

    >>> count_x("See https://example.org/a/long/way/down."), count_x("日本"), count_x("👩‍👩‍👧!")
    (28, 4, 3)
    """
    rest, links = _LINK.subn("", text)
    rest, emoji = _EMOJI.subn("", rest)
    wide = sum(not any(low <= ord(each) <= high for low, high in _NARROW) for each in rest)
    return links * LINK + emoji * _WIDE + len(rest) + wide


def mastodon_adds_up(text: str) -> bool:
    """Whether there can be no link and no mention in a text, and each character is a grapheme."""
    return are_all_graphemes(text) and "/" not in text and "@" not in text


def x_adds_up(text: str) -> bool:
    """Whether there can be no link in a text, and each character counts as one, as a capital, too."""
    return text.isascii() and "/" not in text
