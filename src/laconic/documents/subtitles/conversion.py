"""Subtitles in other formats, by the library `pysubs2`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from laconic.documents.subtitles.cue import Change, SubtitleFile
from laconic.documents.subtitles.markup import MarkedText
from laconic.documents.subtitles.timestamps import write_clock
from laconic.errors import FormatError, LaconicError


def as_subrip(file: SubtitleFile, changes: Mapping[int, Change]) -> str:
    """Cues as a SubRip file: what is visible of them, and italics, bold and underlining where tags say so."""
    blocks = []
    for number, cue in enumerate(file.cues):
        change = changes.get(number, Change())
        start, end = (
            write_clock(time, "00:00:00,000")
            for time in (cue.start, cue.end if change.end is None else change.end)
        )
        text = _simple(file.markup.read(cue.text if change.text is None else change.text))
        blocks.append(f"{number + 1}\n{start} --> {end}\n{text}\n")
    return "\n".join(blocks)


def _simple(text: MarkedText) -> str:
    pieces, position = [], 0
    for tag in text.tags:
        if (tag.opens or tag.closes) in ("i", "b", "u"):
            pieces += [
                text.visible[position : tag.at],
                f"<{'/' * bool(tag.closes)}{tag.opens or tag.closes}>",
            ]
            position = tag.at
    lines = ("".join(pieces) + text.visible[position:]).strip().split("\n")
    return "\n".join(filter(None, map(str.strip, lines)))


def converted(file: SubtitleFile, changes: Mapping[int, Change], *, source: str, target: str) -> str:
    """The changed cues of a file in another format than its own."""
    if source in ("srt", "ass", "ssa"):
        text = file.edited(changes)
    else:
        text, source = as_subrip(file, changes), "srt"
    if source == target:
        return text
    if target == "json":
        raise LaconicError("a transcript with its words cannot be made of subtitles: write another format")
    library = _library()
    try:
        return str(library.SSAFile.from_string(text, format_=source).to_string(target))
    except (library.Pysubs2Error, NotImplementedError) as error:
        raise LaconicError(f"{source!r} subtitles cannot be written as {target!r}: {error!r}") from None


def other_as_subrip(text: str, suffix: str, *, source: str | None = None) -> str:
    """A file that is not edited in place (SAMI, MicroDVD, MPL2, …) as SubRip."""
    library = _library()
    try:
        name = library.formats.get_format_identifier(suffix)
        return str(library.SSAFile.from_string(text, format_=name).to_string("srt"))
    except (library.Pysubs2Error, NotImplementedError) as error:
        raise FormatError(f"no subtitles that can be read ({error!r})", source=source) from None


def format_for(path: Path) -> str:
    """The format that a file is to be written in, by its suffix."""
    from laconic.documents.subtitles.reading import format_named

    known = format_named(path)
    if known is not None:
        return known
    library = _library()
    try:
        return str(library.formats.get_format_identifier(path.suffix.lower()))
    except library.Pysubs2Error:
        raise LaconicError(f"{path}: no format of subtitles has the suffix {path.suffix!r}") from None


def _library() -> ModuleType:
    try:
        import pysubs2
    except ImportError:
        raise LaconicError("this needs the library pysubs2: pip install 'laconic[subtitles]'") from None
    return pysubs2
