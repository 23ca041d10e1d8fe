"""Times as subtitle formats write them, in milliseconds."""

from __future__ import annotations

import re

CLOCK = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
"""A time of SubRip and WebVTT: hours, minutes, seconds and thousandths."""

_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+)(?:[.,](\d+))?")


def read_clock(text: str) -> int:
    """The milliseconds of hours (or none), minutes, seconds and a fraction.

    >>> read_clock("1:02:03,5"), read_clock("02:03.25")
    (3723500, 123250)
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no time")
    hours, minutes, seconds, fraction = match.groups()
    whole = (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)
    return 1000 * whole + round(1000 * float(f"0.{fraction or 0}"))


def write_clock(milliseconds: int, like: str) -> str:
    """A time in the manner of another: with or without hours, with its mark and as many places after it.

    >>> write_clock(123250, "00:00:01,000"), write_clock(123250, "00:01.000"), write_clock(123256, "0:00:01.00")
    ('00:02:03,250', '02:03.250', '0:02:03.25')
    """
    whole, thousandths = divmod(milliseconds, 1000)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    match = _CLOCK.fullmatch(like)
    assert match is not None
    width = 0 if match[1] is None else len(match[1])
    clock = f"{minutes:02}:{seconds:02}"
    if width or hours:
        clock = f"{hours:0{max(1, width)}}:{clock}"
    if match[4] is None:
        return clock
    # Down, never up: a cue must not run into the next one.
    return f"{clock}{like[match.start(4) - 1]}{f'{thousandths:03}'[: len(match[4])]}"
