"""Markdown: blocks by the rules of its headings, lists and fences; links, code and emphasis kept in their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from laconic.documents.structure import Aside, Block, Segment
from laconic.documents.text import Line, assembled, indent_of, is_blank, paragraphs, tables_and_blocks

_FRONT = re.compile(r"(---|\+\+\+)[ \t]*\r?\n")
_DEFINITION = re.compile(r"[ ]{0,3}\[[^\]]+\]:\s")
_MARKUP = re.compile(r"[ ]{0,3}<(?:[A-Za-z/!?])")
_ROW = re.compile(r"[^|\n]*\|")
_LIST = re.compile(r"[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]")
_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<solid>!\[[^\]]*\](?:\([^()\s]*(?:\s[^)]*)?\)|\[[^\]]*\])|<(?:https?|mailto):[^>\s]+>|\[\^[^\]]+\]"
    r"|https?://[^\s<>)\]]*[^\s<>)\].,;:!?])"
    r"|\[(?P<words>[^\[\]]+)\](?P<target>\([^()\s]*(?:\s[^)]*)?\)|\[[^\]]*\])"
    r"|(?P<tag></?[A-Za-z][^<>]*>)"
    r"|(?P<mark>(?<!\w)(?:\*{1,3}|_{1,3}|~~)(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|~~)(?!\w)|(?<=\w)\*{1,3}(?=\w))",
    re.DOTALL,
)


def read_markdown(text: str) -> list[Segment]:
    """The paragraphs, items and quotations of a Markdown document; everything else as it is.

    >>> [each if isinstance(each, str) else each.text for each in read_markdown("# Notes\\n\\nIt *fell*.\\n")]
    ['# Notes', 'It fell.', '\\n']
    """
    front = _front_matter(text)
    return assembled(_groups(text[:front], text[front:]), _inline)


def _front_matter(text: str) -> int:
    opening = _FRONT.match(text)
    if opening is None:
        return 0
    closing = re.compile(rf"^{re.escape(opening[1])}[ \t]*(?:\r?\n|\Z)", re.MULTILINE).search(
        text, opening.end()
    )
    return closing.end() if closing else 0


def _groups(front: str, text: str) -> Iterator[str | list[Line]]:
    if front:
        yield front
    in_list = False
    after_blank = True
    for kind, lines in paragraphs(text.splitlines(keepends=True)):
        if kind != "lines":
            yield "".join(lines)
            after_blank = after_blank or kind == "blank"
            continue
        indented = all(len(indent_of(line).expandtabs(4)) >= 4 for line in lines)
        if indented and after_blank and not in_list:
            yield "".join(lines)  # code
        elif _MARKUP.match(lines[0]) or _is_table(lines):
            yield "".join(lines)
        else:
            while lines and _DEFINITION.match(lines[0]):
                yield lines.pop(0)
            if not lines:
                continue
            yield from tables_and_blocks(lines)
            in_list = bool(_LIST.match(lines[0])) or (in_list and not is_blank(lines[0][:1]))
        after_blank = False


def _is_table(lines: Sequence[str]) -> bool:
    return (
        len(lines) > 1
        and all(_ROW.match(line) for line in lines)
        and bool(re.fullmatch(r"[\s|:-]+", lines[1]))
    )


def _inline(text: str, asides: tuple[Aside, ...], lead: str) -> Block:
    """The block with its marks set aside: words of links and emphasised ones are text, addresses and marks are not."""
    waiting = list(asides)
    plain, found, solid = "", list[Aside](), list[tuple[int, int]]()
    position = 0

    def take(end: int) -> None:
        nonlocal plain, position
        # Marks at the starts of lines keep their places.
        while waiting and waiting[0].at <= end:
            aside = waiting.pop(0)
            plain += text[position : aside.at]
            position = aside.at
            found.append(Aside(len(plain), aside.source, tied=False))
        plain += text[position:end]
        position = end

    def set_aside(end: int) -> None:
        nonlocal position
        found.append(Aside(len(plain), text[position:end]))
        position = end

    for match in _INLINE.finditer(text):
        if any(match.start() < aside.at < match.end() for aside in waiting):
            continue  # it goes over a line with marks of its own
        if match.start() < position:
            continue
        take(match.start())
        if match["code"] or match["solid"] or (match["words"] and _INLINE.search(match["words"])):
            begin = len(plain)
            take(match.end())
            solid.append((begin, len(plain)))
        elif match["words"]:
            set_aside(match.start("words"))
            take(match.end("words"))
            set_aside(match.end())
        else:
            set_aside(match.end())
    take(len(text))
    return Block(lead, plain, tuple(found), tuple(solid))
