"""The sentences that are spoken, each with the cues that its words stand in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from laconic.documents.subtitles.cue import Cue
from laconic.documents.subtitles.markup import MarkedText
from laconic.documents.subtitles.speech import Part
from laconic.sentence import Sentence
from laconic.text.split import sentence_spans
from laconic.text.tokenise import token_spans, tokenise

PAUSE = 3000
"""Milliseconds without a cue after which nothing goes on."""

MOST_WORDS = 60
"""Of a sentence, after which the end of a cue ends it: transcripts without stops have no other ends."""


_SONG = frozenset("♪♫♬♩#")


class WordPlace(NamedTuple):
    """Where a word stands: the number of the cue, the speaker in it, and its visible characters there."""

    cue: int
    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """A sentence, cut into words, and the place of each."""

    sentence: Sentence
    places: tuple[WordPlace, ...]

    @property
    def cues(self) -> tuple[int, ...]:
        """The cues it spans, in order."""
        return tuple(dict.fromkeys(place.cue for place in self.places))


class _Stretch(NamedTuple):
    """Some of the running text: where it starts there, and where in a cue."""

    at: int
    cue: int
    part: Part


def spoken_sentences(
    cues: Sequence[Cue], texts: Sequence[MarkedText], parts: Sequence[Sequence[Part]]
) -> list[SpokenSentence]:
    """The sentences of all cues, in the order in which they are spoken."""
    found: list[SpokenSentence] = []
    for voice in dict.fromkeys(cue.voice for cue in cues):
        order = sorted(
            (number for number, cue in enumerate(cues) if cue.voice == voice and not cue.left_alone),
            key=lambda number: (cues[number].start, number),
        )
        found += _spoken_by_one(cues, texts, parts, order)
    return found


def _spoken_by_one(
    cues: Sequence[Cue], texts: Sequence[MarkedText], parts: Sequence[Sequence[Part]], order: Sequence[int]
) -> Iterator[SpokenSentence]:
    """What one voice says in its cues, which are numbered by when they begin."""
    running: list[str] = []
    stretches: list[_Stretch] = []
    length = 0
    before: int | None = None
    ends = False
    for number in order:
        visible = texts[number].visible
        pause = before is not None and cues[number].start - cues[before].end > PAUSE
        overlaps = before is not None and cues[number].start < cues[before].start + cues[before].duration // 2
        ends = ends or pause or overlaps
        for part in parts[number]:
            if not part.is_speech:
                ends = ends or not _SONG.isdisjoint(visible[part.start : part.end])
                continue
            gap = "" if not running else "\n\n" if ends or part.begins else " "
            spoken = visible[part.start : part.end].replace("\n", " ")
            running += [gap, spoken]
            stretches.append(_Stretch(length + len(gap), number, part))
            length += len(gap) + len(spoken)
            ends = False
        before = number
    text = "".join(running)
    for start, end in sentence_spans(text):
        yield from _sentences(text, start, end, stretches)


def _sentences(text: str, start: int, end: int, stretches: Sequence[_Stretch]) -> Iterator[SpokenSentence]:
    """The sentence of a span; several where it would be too long."""
    words = token_spans(text[start:end])
    if not words:
        return
    if len(words) > MOST_WORDS:
        # At the last cue that begins within the most words.
        limit = start + words[MOST_WORDS][0]
        inner = [each.at for each in stretches if start < each.at < end]
        cut = max((at for at in inner if at <= limit), default=min(inner, default=end))
        if cut < end:
            yield from _sentences(text, start, cut, stretches)
            yield from _sentences(text, cut, end, stretches)
            return
    places = []
    current = bisect_right(stretches, start + words[0][0], key=lambda each: each.at) - 1
    for low, high in words:
        while current + 1 < len(stretches) and stretches[current + 1].at <= start + low:
            current += 1
        at, cue, part = stretches[current]
        offset = part.start + start - at
        places.append(WordPlace(cue, part.turn, offset + low, offset + high))
    yield SpokenSentence(tokenise(_in_small_letters(text[start:end])), tuple(places))


def _in_small_letters(text: str) -> str:
    """What is written in capitals as it is elsewhere, so that it is read as words, not as names; of equal length."""
    small = text.lower()
    if not (text.isupper() and len(text.split()) > 2 and len(small) == len(text)):
        return text
    first = len(small) - len(small.lstrip())
    small = small[:first] + small[first].upper() + small[first + 1 :]
    return small if len(token_spans(small)) == len(token_spans(text)) else text
