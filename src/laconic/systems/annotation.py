"""Sentences with the tags and trees that a system needs, found by the embedded parser where they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.trees.constituency import Tree

if TYPE_CHECKING:
    from laconic.annotate import Annotator

_CHUNK = 1024  # pairs whose missing trees are found together, so that corpora can be streamed


def annotated(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences in order, each with tags, tree, heads and relations; what is complete is left as it is."""
    wanted = list(sentences)
    missing = [place for place, sentence in enumerate(wanted) if sentence.words and not _complete(sentence)]
    if missing:
        found = _annotator().annotate([wanted[place] for place in missing])
        for place, sentence in zip(missing, found, strict=True):
            wanted[place] = sentence
    return wanted


def parsed(sentence: Sentence) -> Sentence:
    """The sentence with a tree: its own, or the parser's. Without words there is nothing to parse."""
    return sentence if sentence.tree is not None or not sentence.words else annotated([sentence])[0]


def tree_of(sentence: Sentence) -> Tree:
    """The tree of a sentence of at least one word: its own, or the parser's."""
    tree = parsed(sentence).tree
    if tree is None:
        raise LaconicError("an empty sentence has no tree")
    return tree


def parsed_pairs(pairs: Iterable[Pair], *, references: bool = False) -> Iterator[Pair]:
    """The pairs that have words, with the trees of their sources and, if asked for, of their references."""
    remaining = (pair for pair in pairs if pair.source.words and all(pair.references))
    while chunk := list(islice(remaining, _CHUNK)):
        bare = [pair.source for pair in chunk if pair.source.tree is None]
        if references:
            bare += [
                Sentence.from_words(reference)
                for pair in chunk
                if pair.reference_trees is None
                for reference in pair.references
            ]
        trees = {sentence.words: sentence.tree for sentence in annotated(bare)}
        for pair in chunk:
            if pair.source.tree is None:
                pair = replace(pair, source=pair.source.annotated(tree=trees[pair.source.words]))
            if references and pair.reference_trees is None:
                found = (trees[reference] for reference in pair.references)
                pair = replace(pair, reference_trees=tuple(tree for tree in found if tree is not None))
            yield pair


def _complete(sentence: Sentence) -> bool:
    parts = (sentence.tags, sentence.tree, sentence.heads, sentence.relations)
    return all(part is not None for part in parts)


@cache
def _annotator() -> Annotator:
    from laconic.annotate import load_annotator

    return load_annotator()
