"""What holds phrases together: prepositions, articles, attributes, coordination."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.lexicon import CONTAINERS, UNITS
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import Kind, Tie, any_of

_BELONGING = frozenset(
    ["det", "amod", "advmod", "nummod", "nmod", "case", "mark", "obl", "obj", "iobj", "compound"]
)
_ATTRIBUTES = frozenset(["amod", "compound"])
_NOT_DESCRIBED = frozenset(["nmod", "nmod:poss"])
_TIMES = frozenset(["obl:tmod", "obl:unmarked", "nmod:tmod", "nmod:unmarked"])


def phrase_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties within the phrases of a sentence."""
    for word, head in enumerate(tree.heads):
        if head < 0:
            continue
        relation = tree.relations[word]
        if relation == "case" and tree.heads[head] >= 0:
            yield from (
                Tie((part, above), (word,), Kind.PREPOSITION)
                for part in (*tree.standing_for(head), *tree.related(head, "appos"))
                for above in tree.sharing_subject(tree.heads[head])
                if above not in tree.subtree(head)
            )
        elif _is_needed(tree, word, head):
            yield any_of(head, [word, *tree.determiners(head)], Kind.DETERMINER)
        elif relation == "amod" and tree.relations[head] in _TIMES and tree.tags[head] == "NN":
            yield any_of(head, [word, *tree.determiners(head)], Kind.DETERMINER)  # (last) month
        elif relation == "appos" and tree.heads[head] >= 0:  # instead of what it explains, or beside it
            yield any_of(word, [*tree.standing_for(head), tree.heads[head]], Kind.HEAD)
        elif relation == "cc":
            yield from _coordinator(tree, word, head)
        elif relation == "cc:preconj":
            yield from _announcement(tree, word, head)
        if relation.partition(":")[0] in _BELONGING:
            yield from _belonging(tree, word, head)


def _is_needed(tree: SourceTree, word: int, head: int) -> bool:
    """Whether a word is the article of one thing, or its number: within (thirty) days, clause (7)."""
    one = tree.tags[head] == "NN"
    if tree.tags[word] == "PRP$":
        return one
    if tree.tags[word] == "CD":
        return tree.words[head] in UNITS or (one and word == head + 1)
    return one and tree.relations[word] == "det"


def _belonging(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A word stands with its head, but may take the place of some: (a number of) years."""
    needed = [head, *_instead_of_head(tree, word, head)]
    prepositions = tree.related(word, "case")
    if tree.words[head] in CONTAINERS and tree.relations[word] == "nmod" and prepositions:
        alternatives = any_of(word, needed, Kind.HEAD).needed
        yield from (Tie((word, case), alternatives, Kind.HEAD) for case in prepositions)
    else:
        yield from (any_of(part, [word, *needed], Kind.HEAD) for part in tree.conjuncts(word))
        yield any_of(word, needed, _torn_from_head(tree, word))


def _torn_from_head(tree: SourceTree, word: int) -> Kind:
    if tree.relations[word] == "case":
        return Kind.STRANDED
    return Kind.DETERMINER if tree.words[word] in ("a", "an", "the") else Kind.HEAD


def _instead_of_head(tree: SourceTree, word: int, head: int) -> list[int]:
    """What a word can belong to where its head is gone."""
    instead, relation = tree.stand_ins(word, head), tree.relations[word]
    if relation in ("det", "nmod:poss"):  # of what follows it, and has none of its own
        several = ("NNS", "NNPS") if tree.words[word] in ("a", "an") else ()
        return [
            part
            for part in instead
            if part > word and not tree.determiners(part) and tree.tags[part] not in several
        ]
    if word < head and relation in _ATTRIBUTES:  # not of what hangs on it: a storage fee of £2
        attached = [child for child in tree.children[head] if tree.relations[child] in _NOT_DESCRIBED]
        below = {part for child in attached for part in tree.subtree(child)}
        return [part for part in instead if part > word and part not in below and not tree.determiners(part)]
    if relation == "advmod" and word == head - 1 and tree.tags[head][:2] in ("JJ", "RB"):
        return []  # very (good)
    if relation in ("obj", "iobj"):  # of a verb before it: not "we you and explain"
        return [part for part in instead if part < word]
    return instead


def _coordinator(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A conjunction needs something on both sides, and two conjuncts need it."""
    yield any_of(word, [head, *_in_place_of(tree, head)], Kind.COORDINATION)
    if tree.relations[head] != "conj":
        return  # it opens the sentence
    first = tree.heads[head]
    inside = {part for other in (head, *tree.subjects(first)) for part in tree.subtree(other)}
    earlier = [other for other in tree.conjuncts(first) if other < word]
    others = [part for part in _in_place_of(tree, first) if part not in inside and part < word]
    yield any_of(word, [first, *earlier, *others], Kind.COORDINATION)
    yield from (Tie((first, conjunct), (word,), Kind.CONJUNCTION) for conjunct in (head, *earlier))


def _in_place_of(tree: SourceTree, word: int) -> list[int]:
    """What can take the place of a clause (another one with its subject) or of a phrase (another of its nouns)."""
    return (
        tree.sharing_subject(word)
        if tree.is_clause(word)
        else [*tree.nouns(word), *tree.sharing_subject(word)]
    )


def _announcement(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """Both … and, either … or, neither … nor."""
    for conjunct in tree.conjuncts(head):
        yield from (Tie((word,), (cc,), Kind.COORDINATION) for cc in tree.related(conjunct, "cc"))
