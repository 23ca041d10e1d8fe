"""Sentences with constituency trees, found by the embedded parser where they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.text.detokenise import standing
from laconic.trees.constituency import Tree
from laconic.trees.transform import restrict

_CHUNK = 1024  # pairs whose missing trees are found together, so that corpora can be streamed


def parsed(sentence: Sentence) -> Sentence:
    """The sentence with a tree: its own, or the parser's. Without words there is nothing to parse."""
    return sentence if sentence.tree is not None or not sentence.words else annotated([sentence])[0]


def tree_of(sentence: Sentence) -> Tree:
    """The tree of a sentence of at least one word: its own, or the parser's."""
    tree = parsed(sentence).tree
    if tree is None:
        raise LaconicError("an empty sentence has no tree")
    return tree


def what_stands(sentence: Sentence, kept: Sequence[int], tree: Tree) -> tuple[Sequence[int], Tree | None]:
    """The kept words, and their tree, without marks that are kept in vain: detokenising takes them away again."""
    stays = standing(sentence, tuple(kept))
    if len(stays) == len(kept):
        return kept, tree
    return stays, restrict(tree, [place for place, word in enumerate(kept) if word in stays])


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
