"""Trees as text for a terminal, one node or word a line, with box-drawing characters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from laconic.errors import LaconicError
from laconic.trees.constituency import Tree
from laconic.trees.dependency import check_heads, dependents, is_projective


def draw_tree(tree: Tree, *, kept: Collection[int] | None = None) -> str:
    """A constituency tree, one node a line; with `kept`, words that are not in it stand between tildes.

    >>> tree = Tree.from_nested(("S", ("NP", ("NNS", "Stars")), ("VP", ("VBP", "shine"))))
    >>> print(draw_tree(tree, kept=[1]))
    S
    ├─ NP
    │  └─ NNS ~Stars~
    └─ VP
       └─ VBP shine
    """
    shown = show_words(tree.words, kept)
    prefixes = [""] * len(tree.labels)  # what stands before the connectors of a node's children
    lines: list[str] = []
    for node, label in enumerate(tree.labels):
        parent = tree.parents[node]
        connector = ""
        if parent >= 0:
            last = tree.ends[node] == tree.ends[parent]
            connector = prefixes[parent] + ("└─ " if last else "├─ ")
            prefixes[node] = prefixes[parent] + ("   " if last else "│  ")
        word = f" {shown[tree.starts[node]]}" if tree.is_preterminal(node) else ""
        lines.append(connector + (label or "·") + word)
    return "\n".join(lines)


def draw_dependencies(
    words: Sequence[str],
    heads: Sequence[int],
    *,
    relations: Sequence[str] | None = None,
    kept: Collection[int] | None = None,
) -> str:
    """A dependency tree on its side: dependents indented, above or below their head as in the text.

    A projective tree reads from top to bottom in the order of its words; in one that is not, words carry
    their numbers, from 1. With `kept`, words that are not in it stand between tildes.

    >>> print(draw_dependencies(["The", "star", "fell"], [1, 2, -1], relations=["det", "nsubj", "root"]))
       ┌─ The   det
    ┌─ star     nsubj
    fell        root
    """
    check_heads(heads)
    check_lengths(words, heads, relations)
    shown = show_words(words, kept)
    if not is_projective(heads):
        shown = [f"{number} {word}" for number, word in enumerate(shown, start=1)]
    below = dependents(heads)
    # A word to draw, with what stands before it and before the words drawn above and below it in its subtree.
    pending: list[tuple[int, str, str, str, bool]] = [
        (word, "", "", "", False) for word, head in enumerate(heads) if head == -1
    ]
    rows: list[tuple[int, str]] = []
    while pending:
        word, here, over, under, opened = pending.pop()
        if opened:
            rows.append((word, here + shown[word]))
            continue
        left = [dependent for dependent in below[word] if dependent < word]
        right = [dependent for dependent in below[word] if dependent > word]
        # A vertical line runs from the first to the last dependent; outside it there is nothing to continue.
        for position in reversed(range(len(right))):
            last = position == len(right) - 1
            connector, beyond = ("└─ ", "   ") if last else ("├─ ", "│  ")
            pending.append((right[position], under + connector, under + "│  ", under + beyond, False))
        pending.append((word, here, over, under, True))
        for position in reversed(range(len(left))):
            connector, beyond = ("┌─ ", "   ") if position == 0 else ("├─ ", "│  ")
            pending.append((left[position], over + connector, over + beyond, over + "│  ", False))
    if relations is None:
        return "\n".join(text for _, text in rows)
    width = max(len(text) for _, text in rows) + 3 if rows else 0
    return "\n".join(f"{text:<{width}}{relations[word]}" for word, text in rows)


def show_words(words: Sequence[str], kept: Collection[int] | None) -> list[str]:
    """The words, those that are not kept between tildes."""
    if kept is None:
        return list(words)
    stays = set(kept)
    return [word if index in stays else f"~{word}~" for index, word in enumerate(words)]


def check_lengths(words: Sequence[str], heads: Sequence[int], relations: Sequence[str] | None) -> None:
    """Raise an error unless there is one head, and one relation if any, for every word."""
    for name, values in (("heads", heads), ("relations", relations)):
        if values is not None and len(values) != len(words):
            raise LaconicError(f"{len(words)} words but {len(values)} {name}")
