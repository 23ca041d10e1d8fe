"""What is said in a cue, by whom it is begun, and what beside speech is never cut: notes, names, dashes, songs."""

from __future__ import annotations

import re
from typing import NamedTuple


class Part(NamedTuple):
    """A stretch of a cue's visible characters within one line: speech, or something fixed.

    `turn` counts the speakers of the cue. `begins` says that a sentence does not go on from what was before.
    """

    start: int
    end: int
    is_speech: bool
    turn: int
    begins: bool = False


_SONG = re.compile(r"[♪♫♬♩][^♪♫♬♩]*(?:[♪♫♬♩]+|\Z)|^[ \t]*#[ \t](?:[^#]*[ \t]#[ \t]*$|[^\n]*$)", re.MULTILINE)
# A note of a sound, in square brackets, or in round ones if it is in capitals or begins or fills its line.
_NOTE = re.compile(r"\[[^\[\]]*\]|\((?=[^()]*[A-Z])[^()a-z]*\)|(?<![^\n])[ \t]*\([^()]*\)")
_DASH = re.compile(r"[ \t]*(?:[-‐‑–—](?![-‐‑–—])|>{2,3})[ \t\u00a0]*(?=\S)")
_NAME = re.compile(
    r"[ \t]*(?:[A-Z][A-Z0-9.'’&-]*(?:[ \t]+[A-Z0-9(][A-Z0-9.'’&()#-]*){0,4}|[A-Z][a-z]+(?:[ \t]+[A-Z][a-z]+)?)"
    r"(?:[ \t]*\([^()\n]*\))?:(?=\s|$)"
)


def parts_of(visible: str) -> list[Part]:
    """The parts of a cue in order, white space around them left out.

    >>> [visible[part.start:part.end] for visible in ["- [sighs] No.\\n- JOHN: Yes."] for part in parts_of(visible)]
    ['- ', '[sighs]', 'No.', '- ', 'JOHN:', 'Yes.']
    """
    fixed = _fixed_spans(visible)
    parts: list[Part] = []
    turn, begins, start = 0, False, 0
    for line in visible.split("\n"):
        end = start + len(line)
        position = start
        dash = None if _inside(fixed, start) else _DASH.match(visible, position, end)
        if dash is not None:
            turn, begins = turn + bool(parts), True
            lead = len(dash[0]) - len(dash[0].lstrip())
            parts.append(Part(position + lead, dash.end(), False, turn))
            position = dash.end()
        # A note may come before the name of who speaks.
        while (
            note := next((span for span in fixed if _leads(visible, position, span, end)), None)
        ) is not None:
            parts.append(Part(*note, False, turn))
            position = note[1]
        name = None if _inside(fixed, position) else _NAME.match(visible, position, end)
        if name is not None:
            if dash is None and any(part.is_speech for part in parts):
                turn += 1
            begins = True
            parts.append(_stripped(visible, position, name.end(), Part(0, 0, False, turn)))
            position = name.end()
        for low, high in [*((max(low, position), min(high, end)) for low, high in fixed), (end, end)]:
            if high < position or low > end or (low >= high and low != end):
                continue
            speech = _stripped(visible, position, max(position, low), Part(0, 0, True, turn, begins))
            if speech.start < speech.end:
                parts.append(speech)
                begins = False
            if low < high:
                parts.append(_stripped(visible, low, high, Part(0, 0, False, turn)))
            position = max(position, high)
        start = end + 1
    return [part for part in parts if part.start < part.end]


def _fixed_spans(visible: str) -> list[tuple[int, int]]:
    songs = [match.span() for match in _SONG.finditer(visible)]
    notes = [match.span() for match in _NOTE.finditer(visible) if not _inside(songs, match.start())]
    return sorted(songs + notes)


def _inside(spans: list[tuple[int, int]], place: int) -> bool:
    return any(low <= place < high for low, high in spans)


def _leads(visible: str, position: int, span: tuple[int, int], end: int) -> bool:
    """Whether a fixed span comes next, and ends before the line does."""
    low, high = span
    return position <= low and high < end and not visible[position:low].strip()


def _stripped(visible: str, start: int, end: int, like: Part) -> Part:
    while end > start and visible[end - 1].isspace():
        end -= 1
    while start < end and visible[start].isspace():
        start += 1
    return like._replace(start=start, end=end)
