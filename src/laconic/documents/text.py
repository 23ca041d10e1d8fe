"""Plain text as people write it: wrapped lines, paragraphs, lists, quotations; headings, tables and code left alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from laconic.documents.structure import Aside, Block, Segment, Unread

_BLANK = re.compile(r"[^\S\n]*\r?\n?")
_FENCE = re.compile(r"[ \t]*(?:>[ \t]?)*(`{3,}|~{3,})")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_ITEM = re.compile(r"[ \t]*(?:[-*+•◦▪‣·–—]|\(?\d{1,3}[.)]|\(?[a-z]\))[ \t]+(?=\S)")
_INDENT = re.compile(r"[ \t]*")
_RULE = re.compile(r"\s*([-=_*~#+.])(?:[ \t]*\1){2,}\s*")
_HASHES = re.compile(r"[ \t]*#{1,6}[ \t]+\S")
_CELLS = re.compile(r"\S\t+\S|\S[ ]{3,}\S|\|.*\|")
_CODE = re.compile(r"[{};=<>\\]|\w\(|^\s*(?:#|//|\$ |>>> )", re.MULTILINE)
_FINAL = re.compile(r"[.!?…:;,。！？][\"'”’»)\]]*\s*\Z")
_CODE_INDENT = 4
_LONGEST_HEADING = 80
_MOST_HEADING_WORDS = 12


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its end: the marks before its text, and the rest."""

    prefix: str
    rest: str

    @property
    def source(self) -> str:
        """The line as it was written."""
        return self.prefix + self.rest


def read_text(text: str) -> list[Segment]:
    """The blocks of a plain text; what is heading, table or code stands between them as it is.

    >>> [each if isinstance(each, str) else each.text for each in read_text("NOTES\\n\\n- It fell\\n  again.\\n")]
    ['NOTES', 'It fell\\nagain.', '\\n']
    """
    return assembled(_groups(text))


def read_lines(text: str) -> list[Segment]:
    """Every line of a text that is not blank as a block of its own."""
    return assembled(
        [Line(indent_of(line), line[len(indent_of(line)) :])] for line in text.splitlines(keepends=True)
    )


def indent_of(line: str) -> str:
    """The white space that a line starts with."""
    found = _INDENT.match(line)
    assert found is not None
    return found[0]


def assembled(
    groups: Iterable[str | Sequence[Line]],
    inline: Callable[[str, tuple[Aside, ...], str], Block] = lambda text, asides, lead: Block(
        lead, text, asides
    ),
) -> list[Segment]:
    """Segments of what is left as it is and of the lines of blocks; white space before a block is part of its lead.

    `inline` makes a block of its text, the marks at the starts of its lines, and its lead.
    """
    segments: list[Segment] = []
    pending = ""  # white space, which goes with what follows
    for group in groups:
        if isinstance(group, str):
            if group.isspace() or not group:
                pending += group
                continue
            kept = group.rstrip()
            append(segments, pending)
            append(segments, type(group)(kept))
            pending = group[len(kept) :]
            continue
        text, asides = "", []
        for number, line in enumerate(group):
            if number and line.prefix:
                asides.append(Aside(len(text), line.prefix))
            text += line.rest
        stripped = text.rstrip()
        if not stripped:
            pending += "".join(line.source for line in group)
            continue
        lead = pending + group[0].prefix
        if not segments and not lead.strip():
            # White space at the start of the text stays where it is.
            if lead:
                append(segments, lead)
            lead = ""
        block = inline(stripped, tuple(aside for aside in asides if aside.at <= len(stripped)), lead)
        if block.text.strip():
            segments.append(block)
        else:
            append(segments, lead)
            append(segments, Unread(block.source))  # marks alone
        pending = text[len(stripped) :]
    if pending:
        append(segments, pending)
    return segments


def append(segments: list[Segment], text: str) -> None:
    """Add what is left as it is, in one segment with what is left so before."""
    kind = type(text)
    if not text:
        return
    if segments and type(segments[-1]) is kind:
        segments[-1] = kind(f"{segments[-1]}{text}")
    else:
        segments.append(text)


def paragraphs(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Runs of lines as ("blank" | "fenced" | "lines", lines)."""
    place = 0
    while place < len(lines):
        start = place
        fence = _FENCE.match(lines[place])
        if fence is not None:
            place += 1
            while place < len(lines) and not _closes(lines[place], fence[1]):
                place += 1
            place += 1
            yield "fenced", list(lines[start:place])
        elif is_blank(lines[place]):
            yield "blank", [lines[place]]
            place += 1
        else:
            while place < len(lines) and not is_blank(lines[place]) and not (_FENCE.match(lines[place])):
                place += 1
            yield "lines", list(lines[start:place])


def is_blank(line: str) -> bool:
    """Whether there is nothing on a line."""
    return _BLANK.fullmatch(line) is not None


def _closes(line: str, fence: str) -> bool:
    found = _FENCE.match(line)
    return found is not None and found[1].startswith(fence) and not line[found.end() :].strip()


def _groups(text: str) -> Iterator[str | list[Line]]:
    runs = list(paragraphs(text.splitlines(keepends=True)))
    several = sum(kind != "blank" for kind, _ in runs) > 1
    for kind, lines in runs:
        if kind != "lines" or (several and _is_heading(lines)) or _is_code(lines):
            yield "".join(lines)
        else:
            yield from tables_and_blocks(lines)


def tables_and_blocks(lines: Sequence[str]) -> Iterator[str | list[Line]]:
    """The rows of tables, rules and headings of a run of lines as they are, the rest as the lines of blocks."""
    place = 0
    while place < len(lines):
        start = place
        while place < len(lines) and _CELLS.search(lines[place].strip()):
            place += 1
        if place - start > 1:
            yield "".join(lines[start:place])
            continue
        place = start
        if _RULE.fullmatch(lines[place]) or _HASHES.match(lines[place]):
            yield lines[place]
            place += 1
            continue
        if place + 1 < len(lines) and re.fullmatch(r"\s*(?:=+|-{3,}|~{3,})\s*", lines[place + 1]):
            yield lines[place] + lines[place + 1]  # a heading and the line under it
            place += 2
            continue
        while place < len(lines) and not (
            place > start
            and (_RULE.fullmatch(lines[place]) or _HASHES.match(lines[place]) or _row(lines, place))
        ):
            place += 1
        yield from blocks_of(lines[start:place])


def _row(lines: Sequence[str], place: int) -> bool:
    pair = lines[place : place + 2]
    return len(pair) == 2 and all(_CELLS.search(line.strip()) for line in pair)


def blocks_of(lines: Sequence[str]) -> Iterator[list[Line]]:
    """The lines of each block of a run: items of lists and quotations begin new ones."""
    current: list[Line] = []
    depth = -1
    for line in lines:
        quote = _QUOTE.match(line)
        marks = quote[0] if quote else ""
        item = _ITEM.match(line, len(marks))
        prefix = marks + (item[0][len(marks) :] if item and not marks else item[0] if item else "")
        if not item:
            prefix = marks + indent_of(line[len(marks) :])
        quoted = marks.count(">")
        if current and (item or quoted != depth or not line[len(prefix) :].strip()):
            yield current
            current = []
        depth = quoted
        current.append(Line(prefix, line[len(prefix) :]))
    if current:
        yield current


def _is_heading(lines: Sequence[str]) -> bool:
    if len(lines) != 1 or _ITEM.match(lines[0]) or _QUOTE.match(lines[0]):
        return False
    text = lines[0].strip()
    return (
        len(text) <= _LONGEST_HEADING and len(text.split()) <= _MOST_HEADING_WORDS and not _FINAL.search(text)
    )


def _is_code(lines: Sequence[str]) -> bool:
    indented = all(len(indent_of(line).expandtabs(_CODE_INDENT)) >= _CODE_INDENT for line in lines)
    return indented and 2 * sum(bool(_CODE.search(line)) for line in lines) >= len(lines)
