"""Elementary trees: the two sides of a synchronous rule, and their bracket notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from laconic.errors import FormatError, LaconicError
from laconic.trees.constituency import Tree

EPSILON = 0
"""The link of a source node whose subtree is deleted; variables count from 1."""

_DEEPEST = 200  # brackets within brackets; trees of sentences come to 50
_TOKEN = re.compile(r"\[|\]|(?:\\.|[^\s\[\]\\])+|\s+", re.DOTALL)
_STEPS = {"[": 1, "]": -1}
_SPECIAL = re.compile(r"([\\\[\]_\s])")
_LINKED = re.compile(r"(?P<label>(?:\\.|[^_\\])+)_(?P<link>[1-9][0-9]*|ε)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A node of an elementary tree with what is below it.

    It is one of four: a phrase with `children`, a preterminal over a `word`, a variable (`link` >= 1) or a
    deleted node (`link` is `EPSILON`), or, in patterns that abstract from both, a bare label.

    >>> str(Fragment("NP", (Fragment("CD", link=EPSILON), Fragment("NNS", word="activists"))))
    '[NP CD_ε [NNS activists]]'
    """

    label: str
    children: tuple[Fragment, ...] = ()
    word: str | None = None
    link: int | None = None

    def __post_init__(self) -> None:
        if not self.label:
            raise LaconicError("a node of an elementary tree needs a label")
        if (bool(self.children) + (self.word is not None) + (self.link is not None)) > 1 or self.word == "":
            raise LaconicError(
                f"node {self.label!r} of an elementary tree has children, or one word, or a link: one of them"
            )

    def __str__(self) -> str:
        if self.children:
            return f"[{_escaped(self.label)} {' '.join(map(str, self.children))}]"
        if self.word is not None:
            return f"[{_escaped(self.label)} {_escaped(self.word)}]"
        if self.link is None:
            return _escaped(self.label)
        return f"{_escaped(self.label)}_{self.link or 'ε'}"

    def nodes(self) -> Iterator[Fragment]:
        """All nodes in preorder, this one first; terminals are part of their preterminal."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def frontier(self) -> Iterator[Fragment]:
        """The nodes without children from left to right: variables, deleted nodes and preterminals."""
        return (node for node in self.nodes() if not node.children)

    @property
    def words(self) -> tuple[str, ...]:
        """The terminals from left to right."""
        return tuple(node.word for node in self.frontier() if node.word is not None)

    @property
    def variables(self) -> tuple[Fragment, ...]:
        """The variables from left to right."""
        return tuple(node for node in self.frontier() if node.link)

    @property
    def size(self) -> int:
        """The number of nodes, terminals included."""
        return sum(1 + (node.word is not None) for node in self.nodes())

    def unlinked(self) -> Fragment:
        """The same tree with bare labels in place of variables and deleted nodes."""
        if self.children:
            return Fragment(self.label, tuple(child.unlinked() for child in self.children))
        return Fragment(self.label, word=self.word)

    def unlexicalised(self) -> Fragment:
        """The same tree with bare labels in place of preterminals and their words."""
        if self.children:
            return Fragment(self.label, tuple(child.unlexicalised() for child in self.children))
        return Fragment(self.label, link=self.link)

    def substituted(self, below: Mapping[int, Fragment]) -> Fragment:
        """The tree with the given fragments in the place of the variables of those links."""
        if self.link:
            return below.get(self.link, self)
        if self.children:
            return Fragment(self.label, tuple(child.substituted(below) for child in self.children))
        return self

    def tree(self) -> Tree:
        """The complete tree; it is an error if a variable or a deleted node is left."""
        return Tree.from_nested(self._nested())

    def _nested(self) -> tuple[Any, ...]:
        if self.children:
            return (self.label, *(child._nested() for child in self.children))
        if self.word is None:
            raise LaconicError(f"the tree is not complete: {self} has no word below it")
        return (self.label, self.word)


EMPTY = Fragment("ε", link=EPSILON)
"""The target side of a rule that leaves nothing of its source."""


def fragment_of(tree: Tree, node: int = 0, links: Mapping[int, int] | None = None) -> Fragment:
    """The tree below a node, cut at the nodes that have a link."""
    cuts = links or {}
    if node in cuts:
        return Fragment(tree.labels[node], link=cuts[node])
    children = tree.children(node)
    if not children:
        return Fragment(tree.labels[node], word=tree.words[tree.starts[node]])
    return Fragment(tree.labels[node], tuple(fragment_of(tree, child, cuts) for child in children))


def parse_fragment(text: str) -> Fragment:
    """The elementary tree that `str` wrote; a frontier node without a link is a word.

    >>> parse_fragment("[S NP_ε [VP VBZ_1 NP_2]]").children[1].children[0].link
    1
    """
    tokens = [token for token in _TOKEN.findall(text) if not token.isspace()]
    if "".join(tokens) != re.sub(r"(?<!\\)\s+", "", text):
        raise FormatError(f"a lone backslash in {text!r:.80}")
    if max(accumulate(_STEPS.get(token, 0) for token in tokens), default=0) > _DEEPEST:
        raise FormatError(f"a tree of more than {_DEEPEST} levels: {text!r:.80}")
    found, end = _parse(tokens, 0, text)
    if end != len(tokens):
        raise FormatError(f"{' '.join(tokens[end:])[:40]!r} follows a complete tree in {text!r:.80}")
    return found


def _parse(tokens: Sequence[str], start: int, text: str) -> tuple[Fragment, int]:
    if start == len(tokens):
        raise FormatError(f"a tree ends too early, ']' is missing: {text!r:.80}")
    if tokens[start] == "]":
        raise FormatError(f"']' without '[' in {text!r:.80}")
    if tokens[start] != "[":
        linked = _LINKED.fullmatch(tokens[start])
        if linked is None:
            raise FormatError(
                f"{tokens[start]!r} is neither a bracketed tree nor a label with a link, such as NP_1 or NP_ε, "
                f"in {text!r:.80}"
            )
        link = linked["link"]
        return Fragment(_plain(linked["label"]), link=EPSILON if link == "ε" else int(link)), start + 1
    if start + 1 >= len(tokens) or tokens[start + 1] in "[]":
        raise FormatError(f"a bracket without a label in {text!r:.80}")
    label = _plain(tokens[start + 1])
    position = start + 2
    is_word = position + 1 < len(tokens) and tokens[position] not in "[]" and tokens[position + 1] == "]"
    if is_word and _LINKED.fullmatch(tokens[position]) is None:
        return Fragment(label, word=_plain(tokens[position])), position + 2
    children = []
    while position < len(tokens) and tokens[position] != "]":
        child, position = _parse(tokens, position, text)
        children.append(child)
    if position == len(tokens):
        raise FormatError(f"a tree ends too early, ']' is missing: {text!r:.80}")
    if not children:
        raise FormatError(f"nothing below {label!r} in {text!r:.80}")
    return Fragment(label, tuple(children)), position + 1


def _escaped(name: str) -> str:
    return _SPECIAL.sub(r"\\\1", name)


def _plain(token: str) -> str:
    return re.sub(r"\\(.)", r"\1", token, flags=re.DOTALL)
