"""Markdown: blocks by the rules of its headings, lists and fences; links, code and emphasis found in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from laconic.documents.references import REFERENCE, references
from laconic.documents.structure import Aside, Block, Referring, Role, Segment, Unread, trimmed
from laconic.documents.text import Line, assembled, indent_of, is_blank, paragraphs, tables_and_blocks

_FRONT = re.compile(r"(---|\+\+\+)[ \t]*\r?\n")
_DEFINITION = re.compile(r"[ ]{0,3}\[[^\]]+\]:\s")
_MARKUP = re.compile(r"[ ]{0,3}<(?:[A-Za-z/!?])")
_ROW = re.compile(r"[^|\n]*\|")
_LIST = re.compile(r"[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]")
_TARGET = r"(?:\([^()\s]*(?:\s[^)]*)?\)|\[[^\]]*\])"
_PICTURE = rf"!\[[^\]]*\]{_TARGET}"
_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    rf"|(?P<picture>{_PICTURE})"
    r"|(?P<solid><(?:https?|mailto):[^>\s]+>|\[\^[^\]]+\]|https?://[^\s<>)\]]*[^\s<>)\].,;:!?])"
    rf"|\[(?P<words>(?:[^\[\]]|{_PICTURE})+)\](?P<target>{_TARGET})"
    rf"|(?<!\\)(?P<reference>{REFERENCE})"
    r"|(?P<tag></?[A-Za-z][^<>]*>)"
    r"|(?P<mark>(?<!\*)\*{1,3}(?!\*)|(?<!_)_{1,3}(?!_)|(?<!~)~~(?!~))",
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
        yield Unread(front)
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
            yield Referring("".join(lines))
        else:
            while lines and _DEFINITION.match(lines[0]):
                yield Unread(lines.pop(0))
            if not lines:
                continue
            for group in tables_and_blocks(lines):
                yield Referring(group) if isinstance(group, str) else group
            in_list = bool(_LIST.match(lines[0])) or (in_list and not is_blank(lines[0][:1]))
        after_blank = False


def _is_table(lines: Sequence[str]) -> bool:
    return (
        len(lines) > 1
        and all(_ROW.match(line) for line in lines)
        and bool(re.fullmatch(r"[\s|:-]+", lines[1]))
    )


def _inline(text: str, asides: tuple[Aside, ...], lead: str) -> Block:
    """The block with its markup set aside: words of links and emphasised ones are text, addresses, pictures and marks
    are not."""
    found = _Markup(text, [aside.at for aside in asides])
    found.read(0, len(text))
    found.emphasis()
    prefixes = [_Cut(aside.at, aside.at, "prefix", source=aside.source) for aside in asides]
    plain, set_aside, position = "", list[Aside](), 0
    moved: list[tuple[int, int]] = []  # places in the text, and there
    for cut in sorted([*prefixes, *found.cuts], key=lambda cut: (cut.start, cut.end)):
        plain += text[position : cut.start]
        source = cut.source or text[cut.start : cut.end]
        set_aside.append(Aside(len(plain), source, cut.role, cut.pair, cut.read))
        plain += cut.read
        position = cut.end
        moved.append((position, len(plain)))
    plain += text[position:]

    def there(at: int) -> int:
        before = [(start, new) for start, new in moved if start <= at]
        return before[-1][1] + at - before[-1][0] if before else at

    solid, links = (
        tuple((there(left), there(right)) for left, right in each) for each in (found.solid, found.links)
    )
    block = Block(lead, plain, tuple(set_aside), solid, links=links)
    head, inner, tail = trimmed(block)
    if inner is None:  # what is no text but markup is left as it is
        return block
    # Lines have no white space around them, but may have characters that are in no word.
    asides = Aside(0, head, "stands"), *inner.asides, Aside(len(inner.text), tail, "stands")
    return replace(inner, asides=tuple(aside for aside in asides if aside.source))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A stretch of the source that is no text, or other text than what is read."""

    start: int
    end: int
    role: Role
    pair: int = -1
    source: str = ""
    read: str = ""


@dataclass(slots=True)
class _Run:
    """Marks of emphasis side by side, those of them that are not yet paired."""

    mark: str
    start: int
    end: int
    opens: bool
    closes: bool
    within: int  # the number of the link that it stands in


class _Markup:
    """What in a text is markup, and how it is paired."""

    def __init__(self, text: str, lines: Sequence[int]) -> None:
        self.text, self.lines = text, lines
        self.cuts: list[_Cut] = []
        self.solid: list[tuple[int, int]] = []
        self.links: list[tuple[int, int]] = []
        self._runs: list[_Run] = []
        self._pairs = count()

    def read(self, start: int, end: int, within: int = -1) -> None:
        """Find links, code, tags and marks between two places."""
        tags: list[tuple[str, int, int]] = []
        for match in _INLINE.finditer(self.text, start, end):
            if any(match.start() < line < match.end() for line in self.lines):
                continue  # it goes over a line with marks of its own
            if match["code"] or match["solid"]:
                self.solid.append(match.span())
                if match["solid"]:
                    self._references(match.start(), match[0])
            elif match["picture"]:
                self.cuts.append(_Cut(*match.span(), "stands"))
            elif match["reference"]:
                self._references(match.start(), match[0])
            elif match["words"]:
                left, right = match.span("words")
                number = self._pair((match.start(), left), (right, match.end()))
                self.links.append((left, right))
                self.read(left, right, number)
            elif match["tag"]:
                self._tag(match, tags)
            else:
                self._runs.append(self._run(match, within))
        self.cuts += (_Cut(left, right, "stands") for _, left, right in tags)

    def emphasis(self) -> None:
        """Pair the marks of emphasis, inner ones first; those without a partner are text."""
        waiting: list[_Run] = []
        for run in self._runs:
            while run.closes and run.start < run.end:
                at = next((n for n in range(len(waiting) - 1, -1, -1) if _meet(waiting[n], run)), None)
                if at is None:
                    break
                opener = waiting[at]
                width = min(opener.end - opener.start, run.end - run.start)
                self._pair((opener.end - width, opener.end), (run.start, run.start + width))
                opener.end -= width
                run.start += width
                del waiting[at + (opener.start < opener.end) :]
            if run.opens and run.start < run.end:
                waiting.append(run)

    def _references(self, start: int, source: str) -> None:
        self.cuts += (
            _Cut(start + left, start + right, "spells", read=read) for left, right, read in references(source)
        )

    def _pair(self, opening: tuple[int, int], closing: tuple[int, int]) -> int:
        number = next(self._pairs)
        self.cuts += [_Cut(*opening, "opens", number), _Cut(*closing, "closes", number)]
        return number

    def _tag(self, match: re.Match[str], tags: list[tuple[str, int, int]]) -> None:
        source = match["tag"]
        found = re.match(r"</?([A-Za-z][\w-]*)", source)
        assert found is not None
        name = found[1].lower()
        if not source.startswith("</"):
            tags.append((name, *match.span()))
            return
        at = next((n for n in range(len(tags) - 1, -1, -1) if tags[n][0] == name), None)
        if at is None:
            self.cuts.append(_Cut(*match.span(), "stands"))
            return
        _, left, right = tags.pop(at)
        self._pair((left, right), match.span())
        if name == "a":
            self.links.append((right, match.start()))

    def _run(self, match: re.Match[str], within: int) -> _Run:
        before, after = self.text[match.start() - 1 : match.start()], self.text[match.end() : match.end() + 1]
        inner = match[0][0] == "*" and before.isalnum() and after.isalnum()
        return _Run(
            match[0][0],
            *match.span(),
            opens=bool(after.strip()) and (inner or not before.isalnum()),
            closes=bool(before.strip()) and (inner or not after.isalnum()),
            within=within,
        )


def _meet(opener: _Run, closer: _Run) -> bool:
    return opener.mark == closer.mark and opener.within == closer.within and opener.end < closer.start
