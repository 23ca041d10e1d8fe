"""What is said in one piece: fixed expressions, names, ranges."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.lexicon import COMPANIES, DISTANCES
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import Kind, Tie

_MEASURES = frozenset(["obl:unmarked", "obl:npmod", "obl:tmod"])


def fixed_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties within the fixed expressions of a sentence."""
    for word, head in enumerate(tree.heads):
        yield from _repetition(tree, word)
        if head < 0:
            continue
        relation = tree.relations[word]
        vocatives = relation == "conj" and tree.relations[head] == "vocative"  # ladies and gentlemen
        if relation == "fixed" or vocatives:
            yield Tie((word,), (head,), Kind.FIXED)
            yield Tie((head,), (word,), Kind.FIXED)
        elif relation == "amod":
            yield from _counted_by_article(tree, word, head)
        elif relation in ("compound", "flat"):
            yield from _name(tree, word, head)
        elif relation in _MEASURES and tree.words[head] in DISTANCES:  # thirty miles away
            yield Tie((head,), (word,), Kind.FIXED)
        if tree.words[word] == "between":
            yield from _between(tree, word, head)


def _repetition(tree: SourceTree, word: int) -> Iterator[Tie]:
    """From time to time, step by step."""
    again = word + 2
    if (
        again < len(tree)
        and tree.words[word] == tree.words[again]
        and tree.words[word + 1] in ("to", "by", "after")
    ):
        yield Tie((word,), (again,), Kind.FIXED)
        yield Tie((again,), (word,), Kind.FIXED)
        yield Tie((word, again), (word + 1,), Kind.FIXED)


def _counted_by_article(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A few weeks, an easy one: not "a weeks", nor "an one"."""
    if tree.tags[head] == "NNS" or tree.words[head] in ("one", "ones"):
        for article in tree.children[head]:
            if tree.words[article] in ("a", "an") and article < word:
                yield Tie((article, head), (word,), Kind.FIXED)


def _name(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A firm is not called "Corp.", nor a place "New Zealand Islands" without "Zealand"."""
    if tree.words[head] in COMPANIES and head == word + 1:
        yield Tie((head,), (word,), Kind.FIXED)
    whole = tree.heads[head] if tree.relations[head] in ("amod", "compound") else head
    if 0 < word < whole and tree.tags[word - 1].startswith("NNP") and tree.tags[word].startswith("NNP"):
        yield Tie((word - 1, whole), (word,), Kind.FIXED)


def _between(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """Between 20 and 30 of them: both, or neither."""
    for other in tree.conjuncts(head):
        for part in (head, other):
            yield Tie((word,), (part,), Kind.FIXED)
            if tree.tags[part] == "CD":
                yield Tie((part,), (word,), Kind.QUANTITY)
