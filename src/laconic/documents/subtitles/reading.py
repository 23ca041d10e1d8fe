"""Which format a file of subtitles has, and its bytes as text and back."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from laconic.documents.subtitles.cue import SubtitleFile
from laconic.documents.subtitles.subrip import read_subrip, read_webvtt
from laconic.documents.subtitles.substation import read_substation
from laconic.documents.subtitles.ttml import read_ttml
from laconic.documents.subtitles.whisper import read_whisper
from laconic.errors import FormatError, LaconicError

READERS: dict[str, Callable[[str], SubtitleFile]] = {
    "srt": read_subrip,
    "vtt": read_webvtt,
    "ass": read_substation,
    "ssa": read_substation,
    "ttml": read_ttml,
    "json": read_whisper,
}
"""What reads each format, to be written again in place; `convert` knows more of them."""

SUFFIXES = {".xml": "ttml", ".dfxp": "ttml", ".webvtt": "vtt"} | {f".{name}": name for name in READERS}

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Encoding:
    """How text stands in a file: the name of its encoding and its byte order mark, if it has one."""

    name: str = "utf-8"
    mark: bytes = b""

    def encode(self, text: str) -> bytes:
        """The bytes of a text."""
        try:
            return self.mark + text.encode(self.name)
        except UnicodeEncodeError as error:
            raise LaconicError(f"{text[error.start]!r} cannot be written as {self.name}") from None


UTF_8 = Encoding()


def decode(content: bytes, *, encoding: str | None = None, source: str | None = None) -> tuple[str, Encoding]:
    """The text of a file: UTF-8, UTF-16 with its byte order mark, or as the caller says."""
    mark = next((mark for mark in _MARKS if content.startswith(mark)), b"")
    found = Encoding(_MARKS.get(mark, encoding or "utf-8"), mark)
    try:
        return content[len(mark) :].decode(found.name), found
    except LookupError:
        raise LaconicError(f"no encoding {found.name!r}") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        remedy = "name its encoding, such as cp1252"
        raise FormatError(f"not {found.name} text: {remedy}", source=source, line=line) from None


def format_of(text: str) -> str:
    """The format of a text by what it looks like.

    >>> format_of("WEBVTT\\n\\n00:01.000 --> 00:02.000\\nHello")
    'vtt'
    """
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("WEBVTT"):
        return "vtt"
    if start.startswith("{") and '"segments"' in text:
        return "json"
    if start.startswith("<") and "<tt" in text.replace("<tt:tt", "<tt"):
        return "ttml"
    if "[Events]" in text or start.lower().startswith("[script info]"):
        return "ass"
    if "-->" in text:
        return "srt"
    raise FormatError(
        "no subtitles that are known by their looks: name the format (srt, vtt, ass, ttml, json)"
    )


def format_named(path: Path) -> str | None:
    """The format that the suffix of a file name stands for; None if it stands for none that is read here."""
    return SUFFIXES.get(path.suffix.lower())


def read_subtitles(
    text: str, name: str | None = None, *, source: str | None = None
) -> tuple[str, SubtitleFile]:
    """The name of a text's format, found by its looks if it is not given, and its cues."""
    try:
        name = name or format_of(text)
        if name not in READERS:
            raise LaconicError(f"no subtitles are edited as {name!r}; known: {', '.join(READERS)}")
        return name, READERS[name](text)
    except FormatError as error:
        if source is None or error.source is not None:
            raise
        raise FormatError(str(error), source=source, line=error.line) from None
