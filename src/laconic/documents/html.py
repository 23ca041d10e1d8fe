"""HTML: the text of paragraphs, items and quotations; tags within it are markup, all others stay where they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html.parser import HTMLParser

from laconic.documents.references import references
from laconic.documents.structure import Aside, Block, Referring, Segment, Unread, trimmed
from laconic.documents.text import append

_UNTOUCHED = frozenset(
    [
        "script",
        "style",
        "pre",
        "code",
        "kbd",
        "samp",
        "textarea",
        "svg",
        "math",
        "title",
        "table",
        "button",
        "select",
        "option",
        "label",
        "nav",
        "template",
        "noscript",
        "iframe",
        "object",
        "canvas",
        "audio",
        "video",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    ]
)
_INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
        "mark",
        "q",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
_SOLID = frozenset(["code", "kbd", "samp"])
_READ = frozenset(["pre", "table", "button", "label", "nav", "h1", "h2", "h3", "h4", "h5", "h6"])
"""What is left alone, but people read it."""
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)


class _Events(HTMLParser):
    """Where each tag, text, comment of a page starts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self.found: dict[int, tuple[str, str]] = {}  # by offset: kind and name
        self._starts = [0]
        for line in page.split("\n"):  # by which alone the parser counts them
            self._starts.append(self._starts[-1] + len(line) + 1)
        self.feed(page)
        self.close()

    def _add(self, kind: str, name: str = "") -> None:
        line, column = self.getpos()
        self.found[self._starts[line - 1] + column] = kind, name

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self._add("start", tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self._add("void", tag)

    def handle_endtag(self, tag: str) -> None:
        self._add("end", tag)

    def handle_data(self, data: str) -> None:  # noqa: ARG002
        self._add("text")

    def handle_entityref(self, name: str) -> None:  # noqa: ARG002
        self._add("text")

    def handle_charref(self, name: str) -> None:  # noqa: ARG002
        self._add("text")

    def handle_comment(self, data: str) -> None:  # noqa: ARG002
        self._add("comment")

    def handle_decl(self, decl: str) -> None:  # noqa: ARG002
        self._add("comment")

    def handle_pi(self, data: str) -> None:  # noqa: ARG002
        self._add("comment")

    def unknown_decl(self, data: str) -> None:  # noqa: ARG002
        self._add("comment")


def read_html(page: str) -> list[Segment]:
    """The text of a page's paragraphs, items and quotations; its tags, headings, tables and code as they are.

    >>> [each if isinstance(each, str) else each.text for each in read_html("<p>It <b>fell</b> again.</p>")]
    ['<p>', 'It fell again.', '</p>']
    """
    reader = _Reader()
    events = sorted({0: ("text", ""), **_Events(page).found}.items())
    ends = [*(start for start, _ in events[1:]), len(page)]
    for (start, (kind, name)), end in zip(events, ends, strict=True):
        reader.take(page[start:end], kind, name)
    return reader.finish()


class _Reader:
    """Puts blocks together, event by event."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.text, self.tags, self.solid = "", list[_Tag](), list[tuple[int, int]]()
        self.untouched: list[str] = []  # open tags whose content is left alone
        self.solid_from: int | None = None

    def take(self, source: str, kind: str, name: str) -> None:
        if self.untouched:
            if kind == "start" and name == self.untouched[-1] and name not in _VOID:
                self.untouched.append(name)
            elif kind == "end" and name == self.untouched[-1]:
                self.untouched.pop()
            if self.solid_from is None:
                is_read = kind == "text" and self.untouched and self.untouched[0] in _READ
                append(self.segments, Referring(source) if is_read else Unread(source))
            else:
                self._read(source)
                if not self.untouched:
                    self.solid.append((self.solid_from, len(self.text)))
                    self.solid_from = None
        elif kind == "start" and name in _UNTOUCHED:
            self.untouched.append(name)
            if name in _SOLID:
                self.solid_from = len(self.text)
                self.text += source
            else:
                self._close()
                append(self.segments, Unread(source))
        elif kind == "text":
            self._read(source)
        elif kind == "comment" or name in _INLINE:
            self.tags.append(_Tag(len(self.text), source, kind, name))
        else:
            self._close()
            append(self.segments, Unread(source))

    def finish(self) -> list[Segment]:
        if self.solid_from is not None:
            self.solid.append((self.solid_from, len(self.text)))
        self._close()
        return self.segments

    def _read(self, source: str) -> None:
        position = 0
        for start, end, read in references(source):
            self.text += source[position:start]
            self.tags.append(_Tag(len(self.text), source[start:end], "reference", read))
            self.text += read
            position = end
        self.text += source[position:]

    def _close(self) -> None:
        text, tags, solid = self.text, self.tags, self.solid
        self.text, self.tags, self.solid = "", [], []
        asides, links = _paired(tags)
        head, block, tail = trimmed(Block("", text, tuple(asides), tuple(solid), tuple(links)))
        append(self.segments, Unread(head))
        if block is not None:
            self.segments.append(block)
        append(self.segments, Unread(tail))


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag within text, or a comment, or a reference to a character, and where it stands."""

    at: int
    source: str
    kind: str
    name: str


def _paired(tags: list[_Tag]) -> tuple[list[Aside], list[tuple[int, int]]]:
    """Tags with the numbers of their pairs, and the spans of links; what has no partner stands by itself."""
    asides = [
        Aside(tag.at, tag.source, "spells", read=tag.name)
        if tag.kind == "reference"
        else Aside(tag.at, tag.source, "stands")
        for tag in tags
    ]
    links: list[tuple[int, int]] = []
    waiting: list[int] = []
    for number, tag in enumerate(tags):
        if tag.kind == "start" and tag.name not in _VOID:
            waiting.append(number)
        elif tag.kind == "end":
            at = next((n for n in range(len(waiting) - 1, -1, -1) if tags[waiting[n]].name == tag.name), None)
            if at is not None:
                opened = waiting[at]
                del waiting[at:]
                asides[opened] = replace(asides[opened], role="opens", pair=opened)
                asides[number] = replace(asides[number], role="closes", pair=opened)
                if tag.name == "a":
                    links.append((tags[opened].at, tag.at))
    return asides, links
