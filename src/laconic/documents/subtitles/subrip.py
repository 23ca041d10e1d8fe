"""SubRip and WebVTT: blocks of a line with times and lines of text."""

from __future__ import annotations

import re
from itertools import zip_longest

from laconic.documents.subtitles.cue import Cue, LocatedFile, Place
from laconic.documents.subtitles.markup import SUBRIP, WEBVTT, Markup
from laconic.documents.subtitles.timestamps import CLOCK, read_clock, write_clock

_TIMES = re.compile(rf"^[ \t]*({CLOCK})[ \t]*-->[ \t]*({CLOCK})[^\r\n]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)
_BLANK = re.compile(r"(?:\A|(?<=[\r\n]))[ \t]*(?:\r\n|\r|\n)")
# What stands before the next line of times: blank lines and a number.
_NEXT_NUMBER = re.compile(r"(?:\r\n|\r|\n)[ \t]*\d+[ \t]*(?:\r\n|\r|\n)?\Z")


def read_subrip(text: str) -> LocatedFile:
    """The cues of a SubRip file; a cue's text goes on until the number of the next, over blank lines too.

    >>> read_subrip("1\\n00:00:01,000 --> 00:00:02,000\\nHello\\n").cues[0].text
    'Hello'
    """
    return _read(text, SUBRIP, until_blank=False)


def read_webvtt(text: str) -> LocatedFile:
    """The cues of a WebVTT file; its header, notes, styles and settings are no part of them."""
    return _read(text, WEBVTT, until_blank=True)


def _read(text: str, markup: Markup, *, until_blank: bool) -> LocatedFile:
    found = list(_TIMES.finditer(text))
    cues, places = [], []
    for match, following in zip_longest(found, found[1:]):
        start, end = match.end(), len(text) if following is None else following.start()
        if until_blank:
            blank = _BLANK.search(text, start, end)
            end = end if blank is None else blank.start()
        elif following is not None:
            number = _NEXT_NUMBER.search(text, max(start - 1, 0), end)
            end = end if number is None else max(start, number.start())
        start, end = _stripped(text, start, end)
        like = match[2]
        cues.append(Cue(read_clock(match[1]), read_clock(like), text[start:end]))
        places.append(Place((start, end), match.span(2), lambda time, like=like: write_clock(time, like)))  # type: ignore[misc]
    newline = "\r\n" if "\r\n" in text else "\n" if "\n" in text else "\r"
    return LocatedFile(text, tuple(cues), tuple(places), markup.broken_by(newline))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start] in "\r\n":
        start += 1
    return start, end
