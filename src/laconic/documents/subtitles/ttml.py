"""TTML: paragraphs of a timed text document, wherever they are in its tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from xml.parsers import expat

from laconic.documents.subtitles.cue import Cue, LocatedFile, Place
from laconic.documents.subtitles.markup import TTML
from laconic.documents.subtitles.timestamps import read_clock, write_clock
from laconic.errors import FormatError

_OFFSET = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s|f|t)")
_FRAMES = re.compile(r"(\d+:\d{2}:\d{2}):(\d+)(?:\.\d+)?")
_ATTRIBUTE = r"(?<=[\s])%s\s*=\s*(?:\"([^\"]*)\"|'([^']*)')"
_TIMED = re.compile(r"<[^<>]*\s(?:begin|end|dur)\s*=|<!\[CDATA\[")


@dataclass(frozen=True, slots=True)
class _Rates:
    frames: float = 30.0
    ticks: float = 1.0

    def milliseconds(self, time: str) -> int:
        """The time of an attribute; raises ValueError for what is none."""
        if offset := _OFFSET.fullmatch(time.strip()):
            unit = {"h": 3.6e6, "m": 6e4, "s": 1e3, "ms": 1.0, "f": 1e3 / self.frames, "t": 1e3 / self.ticks}
            return round(float(offset[1]) * unit[offset[2]])
        if clock := _FRAMES.fullmatch(time.strip()):
            return read_clock(clock[1]) + round(1e3 * int(clock[2]) / self.frames)
        return read_clock(time)

    def write(self, milliseconds: int, like: str) -> str:
        """A time in the manner of another, never later."""
        if offset := _OFFSET.fullmatch(like.strip()):
            if offset[2] in "ft":
                rate = self.frames if offset[2] == "f" else self.ticks
                return f"{int(milliseconds * rate / 1e3)}{offset[2]}"
            return f"{milliseconds}ms" if offset[2] == "ms" else f"{milliseconds / 1e3:g}s"
        if clock := _FRAMES.fullmatch(like.strip()):
            whole, rest = divmod(milliseconds, 1000)
            return f"{write_clock(1000 * whole, clock[1])}:{int(rest * self.frames / 1e3):0{len(clock[2])}}"
        return write_clock(milliseconds, like if "." in like else f"{like}.000")


class _Paragraph(NamedTuple):
    """A cue: its times, where its text and the time of its end stand, and what that time counts from."""

    start: int
    end: int
    text: tuple[int, int]
    end_text: tuple[int, int]
    origin: int


class _Reader:
    """The paragraphs as the parser comes across them; places are in bytes."""

    def __init__(self, content: bytes) -> None:
        self.content, self.rates = content, _Rates()
        self.parser = expat.ParserCreate(encoding="utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.begins: list[int] = []
        self.paragraph: tuple[int, dict[str, str], int] | None = None  # depth, attributes, start of its tag
        self.found: list[_Paragraph] = []

    def _doctype(self, *_: object) -> None:
        raise FormatError("a document type declaration, which timed text has none of")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        plain = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        if local == "tt":
            rate = float(plain.get("frameRate", 30))
            multiplier = [float(part) for part in re.findall(r"\d+", plain.get("frameRateMultiplier", "1 1"))]
            ticks = float(plain.get("tickRate", 1))
            if not multiplier or min(rate, ticks, *multiplier) <= 0:
                raise ValueError("the rates of frames and ticks are above 0")
            self.rates = _Rates(rate * multiplier[0] / multiplier[-1], ticks)
        inherited = self.begins[-1] if self.begins else 0
        begin = self.rates.milliseconds(plain["begin"]) if "begin" in plain else 0
        self.begins.append(inherited + begin)
        if local == "p" and self.paragraph is None and ("end" in plain or "dur" in plain):
            self.paragraph = len(self.begins), plain, self.parser.CurrentByteIndex

    def _end(self, *_: object) -> None:
        depth = len(self.begins)
        begin = self.begins.pop()
        if self.paragraph is None or self.paragraph[0] != depth:
            return
        attributes, at = self.paragraph[1:]
        self.paragraph = None
        tag_end = _tag_end(self.content, at)
        name = "end" if "end" in attributes else "dur"
        value = self.rates.milliseconds(attributes[name])
        origin = (self.begins[-1] if self.begins else 0) if name == "end" else begin
        if self.content[tag_end - 2 : tag_end] == b"/>":
            return
        pattern = re.compile((_ATTRIBUTE % name).encode())
        match = pattern.search(self.content, at, tag_end)
        if match is not None:
            group = 1 if match[1] is not None else 2
            text = (tag_end, self.parser.CurrentByteIndex)
            self.found.append(_Paragraph(begin, origin + value, text, match.span(group), origin))


def _tag_end(content: bytes, at: int) -> int:
    """The end of the tag that begins at a place; `>` may stand within quotes."""
    match = re.compile(rb"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>").match(content, at)
    assert match is not None
    return match.end()


def read_ttml(text: str) -> LocatedFile:
    """The timed paragraphs of a TTML document."""
    # The declaration may name another encoding than that of the string.
    content = re.sub(
        r"(<\?xml[^>]*?)\sencoding\s*=\s*(?:\"[^\"]*\"|'[^']*')", _blanked, text, count=1
    ).encode()
    reader = _Reader(content)
    try:
        reader.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise FormatError(
            f"not well-formed XML: {expat.errors.messages[error.code]}", line=error.lineno
        ) from None
    except ValueError as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{error}", line=reader.parser.CurrentLineNumber) from None
    characters = _character_places(content)
    cues, places = [], []
    for start, end, text_bytes, end_bytes, origin in reader.found:
        at, end_at = (_span(characters, span) for span in (text_bytes, end_bytes))
        inner = text[slice(*at)]
        alone = "timed from within, or in a CDATA section" if _TIMED.search(inner) else ""
        cues.append(Cue(start, end, inner, left_alone=alone))
        places.append(Place(at, end_at, _writer(reader.rates, text[slice(*end_at)], origin)))
    prefix = re.search(r"<(\w+:)?br\b[^<>]*>", text)
    prefix = prefix or re.search(r"<(\w+:)?p\b", text)
    line_break = f"<{(prefix[1] or '') if prefix else ''}br/>"
    return LocatedFile(text, tuple(cues), tuple(places), TTML.broken_by(line_break))


def _blanked(match: re.Match[str]) -> str:
    # Of the same length, so that places hold.
    return match[1] + " " * (len(match[0]) - len(match[1]))


def _writer(rates: _Rates, like: str, origin: int) -> Callable[[int], str]:
    return lambda time: rates.write(time - origin, like)


def _character_places(content: bytes) -> list[int]:
    """For each byte how many characters begin before it."""
    places, count = [0], 0
    for byte in content:
        count += byte & 0xC0 != 0x80
        places.append(count)
    return places


def _span(characters: list[int], span: tuple[int, int]) -> tuple[int, int]:
    return characters[span[0]], characters[span[1]]
