"""HTML: the text of paragraphs, items and cells of quotations; tags stay where they are."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from laconic.documents.structure import Aside, Block, Segment

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
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_WORD_WITH_REFERENCE = re.compile(r"[^\s<>]*&(?:[A-Za-z][A-Za-z0-9]*|#\d+|#[xX][0-9A-Fa-f]+);[^\s<>]*")


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
        self.text, self.asides, self.solid = "", list[Aside](), list[tuple[int, int]]()
        self.untouched: list[str] = []  # open tags whose content is left alone
        self.solid_from: int | None = None

    def take(self, source: str, kind: str, name: str) -> None:
        if self.untouched:
            if kind == "start" and name == self.untouched[-1] and name not in _VOID:
                self.untouched.append(name)
            elif kind == "end" and name == self.untouched[-1]:
                self.untouched.pop()
            if self.solid_from is None:
                self._fix(source)
            else:
                self.text += source
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
                self._fix(source)
        elif kind == "text":
            self.text += source
        elif kind == "comment" or name in _INLINE:
            self.asides.append(Aside(len(self.text), source))
        else:
            self._close()
            self._fix(source)

    def finish(self) -> list[Segment]:
        if self.solid_from is not None:
            self.solid.append((self.solid_from, len(self.text)))
        self._close()
        return self.segments

    def _fix(self, source: str) -> None:
        if self.segments and isinstance(self.segments[-1], str):
            self.segments[-1] += source
        else:
            self.segments.append(source)

    def _close(self) -> None:
        text, asides, solid = self.text, self.asides, self.solid
        self.text, self.asides, self.solid = "", [], []
        begin = len(text) - len(text.lstrip())
        end = len(text.rstrip())
        if begin >= end:
            if text or asides:
                self._fix(Block("", text, tuple(asides)).source)
            return
        # What stands before the first word and behind the last is left as it is.
        before = [aside for aside in asides if aside.at <= begin]
        behind = [aside for aside in asides if aside.at >= end]
        inner = [aside for aside in asides if begin < aside.at < end]
        head = Block("", text[:begin], tuple(before)).source
        if head:
            self._fix(head)
        moved = tuple(Aside(aside.at - begin, aside.source) for aside in inner)
        words = [match.span() for match in _WORD_WITH_REFERENCE.finditer(text, begin, end)]
        spans = tuple((left - begin, right - begin) for left, right in [*solid, *_apart(words, solid, inner)])
        self.segments.append(Block("", text[begin:end], moved, tuple(sorted(spans))))
        tail = Block("", text[end:], tuple(Aside(aside.at - end, aside.source) for aside in behind)).source
        if tail:
            self._fix(tail)


def _apart(
    words: list[tuple[int, int]], solid: list[tuple[int, int]], asides: list[Aside]
) -> list[tuple[int, int]]:
    """The words with references that are not within other solid spans, nor cut by a tag."""
    return [
        (left, right)
        for left, right in words
        if not any(left < end and begin < right for begin, end in solid)
        and not any(left < aside.at < right for aside in asides)
    ]
