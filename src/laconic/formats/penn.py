"""Penn Treebank brackets: streaming reader and writer.

What the reader accepts beyond `(S (NP (NNS Stocks)) (VP (VBD fell)))`:

- Trees over many lines, several on one line, blank lines, `#` comment lines between trees.
- An unlabelled outer bracket, `( (S …))`: the root's label is then empty; `transform.with_root` names it.
- An unlabelled bracket inside a tree (one in MASC, and `( )` where QuestionBank lost an empty element):
  it is no constituent; what it holds belongs to the bracket around it.
- A bracket token without its tag, `( -LRB-)`, as in QuestionBank: the token is its own tag.
- Escapes in words become characters: `-LRB- -RRB- -LSB- -RSB- -LCB- -RCB-` and `\\/ \\*`. Tags stay.

A broken tree raises, or is reported and skipped: reading goes on behind it, or, where a bracket never
closes, at the next line that opens one in its first column. A tree that is still open at a comment, at the
end, or at a bracket in the first column behind a blank line, never closes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from laconic.errors import FormatError, LaconicError
from laconic.files import read_lines, write_whole
from laconic.formats import OnError
from laconic.trees.constituency import Tree
from laconic.trees.transform import remove_empty, strip_functions

_ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_CHARACTERS = {escape: character for character, escape in _ESCAPES.items()} | {"\\/": "/", "\\*": "*"}
_ESCAPED = re.compile("|".join(map(re.escape, _CHARACTERS)))
_TOKEN = re.compile(r"[()]|[^\s()]+")
_UNWRITABLE = re.compile(r"[\s()]")

_Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class PennRecord:
    """A tree, the line it opens on, and the comment lines (without `#`) between it and the tree before."""

    tree: Tree
    line: int
    comments: tuple[str, ...] = ()


def read_trees(
    path: Path,
    *,
    traces: bool = True,
    functions: bool = True,
    on_error: OnError = None,
) -> Iterator[Tree]:
    """Stream the trees of a file of Penn brackets, plain or gzip.

    Without `traces`, empty elements are removed, and with them trees that have no word; without
    `functions`, labels are bare categories. A broken tree raises, or goes to `on_error` and is skipped.
    """
    for record in read_records(path, on_error=on_error):
        tree: Tree | None = record.tree
        if not traces:
            tree = remove_empty(record.tree)
        if tree is not None:
            yield tree if functions else strip_functions(tree)


def read_records(path: Path, *, on_error: OnError = None) -> Iterator[PennRecord]:
    """Stream the trees of a file with their lines and comments."""
    yield from parse_records(read_lines(path), source=str(path), on_error=on_error)


def parse_tree(text: str) -> Tree:
    """The one tree that a string holds.

    >>> parse_tree("(S (NP (NNS Stocks)) (VP (VBD fell)))").words
    ('Stocks', 'fell')
    """
    trees = [record.tree for record in parse_records(enumerate(text.splitlines(), start=1), source=None)]
    if len(trees) != 1:
        raise FormatError(f"expected one tree, found {len(trees)} in {text!r:.60}")
    return trees[0]


def format_tree(tree: Tree, *, indent: int | None = None) -> str:
    """The tree in brackets: on one line, or one node a line, each level indented by so many spaces.

    Brackets in words are escaped. White space in words, and white space or parentheses in labels, have
    no escape and raise.

    >>> format_tree(Tree.from_nested(("S", ("VP", ("VB", "Run")), (".", "!"))))
    '(S (VP (VB Run)) (. !))'
    """
    for label in tree.labels:
        if _UNWRITABLE.search(label):
            raise LaconicError(
                f"label {label!r} has white space or parentheses, which Penn brackets cannot hold"
            )
    words = ["".join(_ESCAPES.get(character, character) for character in word) for word in tree.words]
    for word in words:
        if _UNWRITABLE.search(word):
            raise LaconicError(f"word {word!r} has white space: Penn brackets have no escape")
    pieces: list[str] = []
    open_nodes: list[int] = []
    for node, label in enumerate(tree.labels):
        if node:
            pieces.append(" " if indent is None else "\n" + " " * (indent * len(open_nodes)))
        pieces.append("(" + label)
        open_nodes.append(node)
        if tree.is_preterminal(node):
            pieces.append(" " + words[tree.starts[node]])
            while open_nodes and tree.ends[open_nodes[-1]] == tree.ends[node]:
                open_nodes.pop()
                pieces.append(")")
    return "".join(pieces)


def write_trees(path: Path, trees: Iterable[Tree], *, indent: int | None = None) -> None:
    """Write trees to a file: one a line, or indented with a blank line between them."""
    with write_whole(path) as stream:
        for tree in trees:
            end = "\n" if indent is None else "\n\n"
            stream.write((format_tree(tree, indent=indent) + end).encode())


def parse_records(
    lines: Iterable[_Line], *, source: str | None, on_error: OnError = None
) -> Iterator[PennRecord]:
    """Stream the trees in numbered lines; `source` names the lines' origin in errors."""
    upcoming = iter(lines)
    replayed: list[_Line] = []  # lines to read again, last first, after a tree that never closed
    opened: list[_Line] = []  # the lines of the open tree, from its opening bracket on
    depth = 0
    blank = False
    comments: list[str] = []

    def report(message: str, line: int) -> None:
        error = FormatError(message, source=source, line=line)
        if on_error is None:
            raise error
        on_error(error)

    while True:
        # A line read again may start a tree in its first column: that is where reading goes on, and it
        # keeps the work linear, however many trees never close.
        at_margin = blank or bool(replayed)
        entry = replayed.pop() if replayed else next(upcoming, None)
        starts_anew = entry is None or entry[1][:1] == "#" or (at_margin and entry[1][:1] == "(")
        if depth and starts_anew:
            report(f"{depth} unclosed bracket(s) in the tree that opens here", opened[0][0])
            if entry is not None:
                replayed.append(entry)
            rest = opened[1:]
            first = next((index for index, (_, text) in enumerate(rest) if text[:1] == "("), len(rest))
            replayed.extend(reversed(rest[first:]))
            opened, depth, blank, comments = [], 0, False, []
            continue
        if entry is None:
            return
        number, text = entry
        blank = not text.strip()
        if not depth and text[:1] == "#":
            comments.append(text[1:].strip())
            continue
        tree_start = 0  # where the open tree starts on this line
        for match in _TOKEN.finditer(text):
            token = match.group()
            if token == "(":
                if not depth:
                    tree_start = match.start()
                depth += 1
            elif not depth:
                report(f"{token!r:.40} outside a tree", number)
                break
            elif token == ")":
                depth -= 1
                if not depth:
                    opened.append((number, text[tree_start : match.end()]))
                    try:
                        tree = _build(opened, source)
                    except FormatError as error:
                        if on_error is None:
                            raise
                        on_error(error)
                    else:
                        yield PennRecord(tree, opened[0][0], tuple(comments))
                    opened, comments = [], []
        if depth:
            opened.append((number, text[tree_start:]))


def _build(lines: Iterable[_Line], source: str | None) -> Tree:
    """The tree of balanced brackets."""
    labels: list[str] = []
    parents: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    words: list[str] = []
    open_brackets: list[int] = []  # the node of each, or ~node of the one around it if it is none itself
    label_due = False

    def open_node(label: str) -> None:
        parents.append(around(open_brackets))
        open_brackets.append(len(labels))
        labels.append(label)
        starts.append(len(words))
        ends.append(-1)

    def around(brackets: list[int]) -> int:
        return -1 if not brackets else brackets[-1] if brackets[-1] >= 0 else ~brackets[-1]

    for number, text in lines:
        for token in _TOKEN.findall(text):
            if label_due and token in "()":
                if labels:
                    open_brackets.append(~around(open_brackets))
                else:
                    open_node("")
            elif label_due:
                open_node(token)
                label_due = False
                continue
            label_due = token == "("
            node = around(open_brackets)
            if token == "(":
                if node >= 0 and ends[node] > 0:
                    raise FormatError(
                        f"bracket {labels[node]!r} holds a bracket beside a word", source=source, line=number
                    )
            elif token == ")":
                if open_brackets.pop() < 0:
                    continue
                if labels[node] in _CHARACTERS and node == len(labels) - 1 and ends[node] < 0:
                    words.append(_CHARACTERS[labels[node]])
                ends[node] = len(words)
                if starts[node] == ends[node]:
                    raise FormatError(f"bracket {labels[node]!r} holds no word", source=source, line=number)
            elif open_brackets[-1] < 0 or node != len(labels) - 1 or ends[node] > 0:
                raise FormatError(
                    f"{token!r:.40} stands beside another word or bracket in {labels[node]!r}",
                    source=source,
                    line=number,
                )
            else:
                words.append(_ESCAPED.sub(lambda match: _CHARACTERS[match.group()], token))
                ends[node] = len(words)
    return Tree(tuple(labels), tuple(parents), tuple(starts), tuple(ends), tuple(words))
