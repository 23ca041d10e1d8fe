"""What a viewer sees of a cue's text, where in the text it stands, and writing a part of it with its tags."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple


class Tag(NamedTuple):
    """A tag before the visible character `at`; `closes` names what it ends, `opens` what it begins."""

    at: int
    raw: str
    opens: str = ""
    closes: str = ""


class Piece(NamedTuple):
    """A stretch of visible characters that stays, as it is to be written, and the white space before it."""

    start: int
    end: int
    text: str
    before: str


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text taken apart: the visible characters, the span of the text that each stands for, and the tags.

    A line break is one visible character, "\\n".
    """

    raw: str
    visible: str
    origins: tuple[tuple[int, int], ...]
    tags: tuple[Tag, ...]

    def written(self, pieces: Sequence[Piece], line_break: str) -> str:
        """The text of some pieces, in order, with the tags that still hold something.

        An opening tag goes to the next piece, a closing one to the piece before it; one that is neither stays behind
        what it follows.
        """
        before: list[list[str]] = [[] for _ in pieces]
        after: list[list[str]] = [[] for _ in pieces]
        lead: list[str] = []
        trail: list[str] = []
        for tag in self._needed(pieces):
            if any(piece.start < tag.at < piece.end for piece in pieces):
                continue  # it stands in a piece
            follows = not tag.opens and any(piece.end == tag.at for piece in pieces)
            if tag.closes or follows:
                place = sum(piece.end <= tag.at for piece in pieces) - 1
                (after[place] if place >= 0 else lead).append(tag.raw)
            else:
                place = sum(piece.start < tag.at for piece in pieces)
                (before[place] if place < len(pieces) else trail).append(tag.raw)
        parts = lead
        for piece, opening, closing in zip(pieces, before, after, strict=True):
            gap = line_break if piece.before == "\n" else piece.before
            parts += [gap, *opening, self._raw(piece), *closing]
        return "".join(parts + trail)

    def _raw(self, piece: Piece) -> str:
        raw = self.raw[self.origins[piece.start][0] : self.origins[piece.end - 1][1]]
        if piece.text == self.visible[piece.start : piece.end]:
            return raw
        first = self.origins[piece.start]  # a capital
        return piece.text[0] + raw[first[1] - first[0] :]

    def _needed(self, pieces: Sequence[Piece]) -> list[Tag]:
        """The tags less the pairs between which nothing is left."""
        empty: set[int] = set()
        opened: list[int] = []
        for place, tag in enumerate(self.tags):
            if tag.opens:
                opened.append(place)
            elif tag.closes:
                match = next((at for at in reversed(opened) if self.tags[at].opens == tag.closes), None)
                if match is not None:
                    opened.remove(match)
                    start = self.tags[match].at
                    if not any(piece.start < tag.at and piece.end > start for piece in pieces):
                        empty |= {match, place}
        return [tag for place, tag in enumerate(self.tags) if place not in empty]


@dataclass(frozen=True, slots=True)
class Markup:
    """How a format writes tags, line breaks and characters; `pairs` says that a tag ends where another one says so."""

    pattern: re.Pattern[str]
    line_break: str
    pairs: bool = True

    def read(self, raw: str) -> MarkedText:
        """A text taken apart.

        >>> SUBRIP.read("<i>No</i>").visible
        'No'
        """
        visible: list[str] = []
        origins: list[tuple[int, int]] = []
        tags: list[Tag] = []
        position = 0

        def take(end: int) -> None:
            for place in range(position, end):
                visible.append(raw[place])
                origins.append((place, place + 1))

        for match in self.pattern.finditer(raw):
            take(match.start())
            position = match.end()
            if match.lastgroup == "tag":
                tags.append(self._tag(len(visible), match[0]))
                continue
            char = {"line": "\n", "space": " "}.get(match.lastgroup or "")
            if char is None:
                char = "\u00a0" if match[0] == r"\h" else html.unescape(match[0])
            if len(char) != 1:
                char = "\ufffd"  # one that is no single character; the text itself stays as it is
            visible.append(char)
            origins.append(match.span())
        take(len(raw))
        return MarkedText(raw, "".join(visible), tuple(origins), tuple(tags))

    def _tag(self, at: int, raw: str) -> Tag:
        name = _NAME.match(raw) if self.pairs else None
        if name is None or raw.endswith("/>"):
            return Tag(at, raw)
        return Tag(at, raw, closes=name[2]) if name[1] else Tag(at, raw, opens=name[2])

    def broken_by(self, line_break: str) -> Markup:
        """The same with another line break."""
        return replace(self, line_break=line_break)


_NAME = re.compile(r"<(/?)([A-Za-z][\w:]*)")
_LINE = r"(?P<line>\r\n|\r|\n)"
_ENTITY = r"(?P<entity>&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);)"

SUBRIP = Markup(
    re.compile(
        rf"(?i:(?P<tag></?(?:i|b|u|s|em|strong|font|span|c|v|lang|ruby|rt)(?:[\s.][^<>]*)?>|\{{\\[^{{}}]*\}}))|{_LINE}"
    ),
    "\n",
)
WEBVTT = Markup(re.compile(rf"(?P<tag><[^<>]*>)|{_ENTITY}|{_LINE}"), "\n")
SUBSTATION = Markup(re.compile(r"(?P<tag>\{[^{}]*\})|(?P<line>\\[Nn])|(?P<entity>\\h)"), r"\N", pairs=False)
TTML = Markup(
    re.compile(
        r"(?P<line>\s*<(?:\w+:)?br\b[^<>]*?(?:/>|>\s*</(?:\w+:)?br\s*>)\s*)"
        rf"|(?P<tag><!--.*?-->|<[^<>]*>)|(?P<space>\s+)|{_ENTITY}",
        re.DOTALL,
    ),
    "<br/>",
)
PLAIN = Markup(re.compile(_LINE), "\n")
