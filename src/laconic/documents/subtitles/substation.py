"""SubStation Alpha, plain and advanced: a line for each cue, with the fields that a line before them names."""

from __future__ import annotations

import re

from laconic.documents.subtitles.cue import Cue, LocatedFile, Place
from laconic.documents.subtitles.markup import SUBSTATION
from laconic.documents.subtitles.timestamps import read_clock, write_clock
from laconic.errors import FormatError

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_DRAWING = re.compile(r"\{[^{}]*\\p[1-9]")
_KARAOKE = re.compile(r"\{[^{}]*\\[kK][fo]?\d")


def read_substation(text: str) -> LocatedFile:
    """The dialogue of a SubStation Alpha file; comments, styles and all else are no part of it."""
    cues, places = [], []
    fields: list[str] = []
    in_events = False
    position = number = 0
    while position < len(text):
        match = _LINE.match(text, position)
        assert match is not None
        line, start = match[0].rstrip("\r\n"), position
        position, number = match.end(), number + 1
        kind, colon, content = line.partition(":")
        kind = kind.strip().lower()
        if line.strip().startswith("["):
            in_events = line.strip().lower() == "[events]"
        elif not (in_events and colon):
            continue
        elif kind == "format":
            fields = [name.strip().lower() for name in content.split(",")]
            if fields[-1:] != ["text"] or not {"start", "end"} <= set(fields):
                raise FormatError("the fields of events are Start, End, … and at last Text", line=number)
        elif kind == "dialogue":
            if not fields:
                raise FormatError(
                    "a dialogue before the line that names its fields, 'Format: …'", line=number
                )
            spans = _fields(line, start, len(fields))
            if len(spans) < len(fields):
                raise FormatError(f"{len(spans)} fields of {len(fields)} in a dialogue", line=number)
            places_of = dict(zip(fields, spans, strict=True))
            value = {name: text[slice(*span)] for name, span in places_of.items()}
            try:
                times = read_clock(value["start"]), read_clock(value["end"])
            except ValueError as error:
                raise FormatError(str(error), line=number) from None
            end = places_of["end"]
            padding = len(value["end"]) - len(value["end"].lstrip())
            end = (end[0] + padding, end[0] + len(value["end"].rstrip()))
            like = text[slice(*end)]
            cues.append(Cue(*times, value["text"], _voice(value), _left_alone(value["text"])))
            places.append(Place(places_of["text"], end, lambda time, like=like: write_clock(time, like)))  # type: ignore[misc]
    return LocatedFile(text, tuple(cues), tuple(places), SUBSTATION)


def _fields(line: str, offset: int, count: int) -> list[tuple[int, int]]:
    """The spans of the fields of a dialogue in the file; the last one has the rest of the line."""
    start = line.index(":") + 1
    start += len(line[start:]) - len(line[start:].lstrip())
    spans: list[tuple[int, int]] = []
    while len(spans) < count - 1 and (comma := line.find(",", start)) >= 0:
        spans.append((offset + start, offset + comma))
        start = comma + 1
    return [*spans, (offset + start, offset + len(line))]


def _voice(value: dict[str, str]) -> str:
    return "\0".join(value.get(name, "").strip() for name in ("layer", "style", "name", "actor"))


def _left_alone(text: str) -> str:
    if _DRAWING.search(text):
        return "a drawing"
    return "karaoke" if _KARAOKE.search(text) else ""
