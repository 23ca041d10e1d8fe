"""A cue, what may be changed of it, and the file it stands in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from laconic.documents.subtitles.markup import Markup


@dataclass(frozen=True, slots=True)
class Cue:
    """A subtitle: from when to when it is shown, in milliseconds, and its text as it stands in the file.

    Sentences go on from one cue to the next only where their `voice` is the same. `left_alone` says why a cue is not to
    be touched.
    """

    start: int
    end: int
    text: str
    voice: str = ""
    left_alone: str = ""

    @property
    def duration(self) -> int:
        """How long it is shown, in milliseconds."""
        return max(0, self.end - self.start)


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a cue: its new text or its new end, None where that stays.

    `kept` are the stretches of its visible characters that are left, each with how it is written now.
    """

    text: str | None = None
    end: int | None = None
    kept: tuple[tuple[int, int, str], ...] = ()


class SubtitleFile(Protocol):
    """A file of cues that can be written again with some of them changed, and all else as it was."""

    @property
    def cues(self) -> tuple[Cue, ...]:
        """The cues in the order of the file."""
        ...

    @property
    def markup(self) -> Markup:
        """How the text of a cue is marked up."""
        ...

    def edited(self, changes: Mapping[int, Change]) -> str:
        """The text of the file with these cues changed."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where the text and the end of a cue stand in a file, and how an end is written there."""

    text: tuple[int, int]
    end: tuple[int, int]
    write_end: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class LocatedFile:
    """A file in which every cue has its place, so that all that lies between them is never touched."""

    text: str
    cues: tuple[Cue, ...]
    places: tuple[Place, ...]
    markup: Markup

    def edited(self, changes: Mapping[int, Change]) -> str:
        """The text of the file with these cues changed."""
        splices: list[tuple[int, int, str]] = []
        for number, change in changes.items():
            place = self.places[number]
            if change.text is not None:
                splices.append((*place.text, change.text))
            if change.end is not None:
                splices.append((*place.end, place.write_end(change.end)))
        pieces, position = [], 0
        for start, end, new in sorted(splices):
            pieces += [self.text[position:start], new]
            position = end
        return "".join(pieces) + self.text[position:]
