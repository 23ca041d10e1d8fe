"""Objects with what the adapter uses of spaCy's, so that it is tested where spaCy is not installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace


@dataclass(eq=False)
class Token:
    i: int
    text: str
    whitespace_: str = " "
    tag_: str = ""
    dep_: str = ""
    head: Token = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.head = self

    @property
    def is_space(self) -> bool:
        return self.text.isspace()


class Doc:
    """A document of (text, white space behind, tag, head, relation); sentences end before the given tokens."""

    def __init__(
        self,
        rows: Sequence[tuple[str, str, str, int, str]],
        *,
        sentences: Sequence[int] | None = None,
        trees: Sequence[str] | None = None,
    ) -> None:
        self.tokens = [Token(i, text, space, tag, dep) for i, (text, space, tag, _, dep) in enumerate(rows)]
        for token, row in zip(self.tokens, rows, strict=True):
            token.head = self.tokens[row[3]]
        self.bounds = sentences
        self.trees = trees
        self._ = SimpleNamespace()

    def has_annotation(self, name: str) -> bool:
        if name == "SENT_START":
            return self.bounds is not None
        assert name == "DEP"
        return any(token.dep_ for token in self.tokens)

    @property
    def sents(self) -> Iterator[Span]:
        assert self.bounds is not None
        ends = [*self.bounds, len(self.tokens)]
        for number, (start, end) in enumerate(zip([0, *self.bounds], ends, strict=True)):
            yield Span(self, start, end, self.trees[number] if self.trees else None)

    def __getitem__(self, part: slice) -> Span:
        start, end, _ = part.indices(len(self.tokens))
        return Span(self, start, end, None)


class Span:
    def __init__(self, doc: Doc, start: int, end: int, tree: str | None) -> None:
        self.doc, self.start, self.end = doc, start, end
        self._ = SimpleNamespace(parse_string=tree)

    def has_extension(self, name: str) -> bool:
        assert name == "parse_string"
        return self.doc.trees is not None

    def __iter__(self) -> Iterator[Token]:
        return iter(self.doc.tokens[self.start : self.end])
