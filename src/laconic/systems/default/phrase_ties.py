"""What holds phrases together: prepositions, articles, coordination, fixed expressions, commas in pairs."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.lexicon import COMPANIES, CONTAINERS, UNITS
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import Kind, Tie, any_of

_BELONGING = frozenset(
    ["det", "amod", "advmod", "nummod", "nmod", "case", "mark", "obl", "obj", "iobj", "compound"]
)
_ATTRIBUTES = frozenset(["amod", "compound"])
_NOT_DESCRIBED = frozenset(["nmod", "nmod:poss"])
_TIMES = frozenset(["obl:tmod", "obl:unmarked", "nmod:tmod", "nmod:unmarked"])
_SAID_OF_NOUNS = frozenset(["appos", "nmod", "acl", "acl:relcl"])
_BESIDE_PHRASES = _SAID_OF_NOUNS | {"conj"}
_SET_OFF = frozenset(["acl", "acl:relcl", "appos", "advcl", "parataxis", "nmod", "obl", "advmod"])


def phrase_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties within the phrases of a sentence, and of their punctuation."""
    for word, head in enumerate(tree.heads):
        if head < 0:
            continue
        relation = tree.relations[word]
        yield from _repetition(tree, word)
        if tree.words[word] == "," and tree.relations[head] in _SAID_OF_NOUNS and head > word:
            yield any_of(word, [head, *tree.nouns(head)], Kind.MARK)  # which sets it off
        if relation == "case" and tree.heads[head] >= 0:
            yield from (
                Tie((part, above), (word,), Kind.PREPOSITION)
                for part in (*tree.bearers(head), *tree.related(head, "appos"))
                for above in tree.heirs(tree.heads[head])
                if above not in tree.subtree(head)
            )
        elif _is_needed(tree, word, head):
            yield any_of(head, [word, *tree.determiners(head)], Kind.DETERMINER)
        elif relation == "amod" and tree.relations[head] in _TIMES and tree.tags[head] == "NN":
            yield any_of(head, [word, *tree.determiners(head)], Kind.DETERMINER)  # (last) month
        elif relation == "appos":
            yield from _apposition(tree, word, head)
        elif relation == "fixed":
            yield Tie((word,), (head,), Kind.FIXED)
            yield Tie((head,), (word,), Kind.FIXED)
        elif relation == "cc":
            yield from _coordinator(tree, word, head)
        elif relation == "conj":
            yield from _list_comma(tree, word, head)
            if tree.relations[head] == "vocative":  # ladies and gentlemen
                yield Tie((head,), (word,), Kind.FIXED)
                yield Tie((word,), (head,), Kind.FIXED)
        elif relation == "cc:preconj":
            yield from _announcement(tree, word, head)
        if relation.partition(":")[0] in _BELONGING:
            yield from _belonging(tree, word, head)
        if relation == "amod":
            yield from _counted_by_article(tree, word, head)
        elif relation in ("compound", "flat"):
            yield from _name(tree, word, head)
        if tree.words[word] == "between":
            yield from _between(tree, word, head)
        if relation in _SET_OFF or (relation == "conj" and _has_coordinator(tree, word)):
            yield from _commas(tree, word)


def _is_needed(tree: SourceTree, word: int, head: int) -> bool:
    """Whether a word is the article of one thing, or its number: within (thirty) days, clause (7)."""
    one = tree.tags[head] == "NN"
    if tree.tags[word] == "PRP$":
        return one
    if tree.tags[word] == "CD":
        return tree.words[head] in UNITS or (one and word == head + 1)
    return one and tree.relations[word] == "det"


def _apposition(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What explains a noun can take its place, but not after a comma."""
    if tree.heads[head] >= 0:
        yield any_of(word, [*tree.bearers(head), tree.heads[head]], Kind.HEAD)
    comma = min(tree.subtree(word)) - (tree.words[min(tree.subtree(word))] != ",")
    if comma > head and tree.words[comma] == ",":
        yield any_of(comma, tree.bearers(head), Kind.MARK)


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
    whole = tree.heads[head] if tree.relations[head] in _ATTRIBUTES else head
    if 0 < word < whole and tree.tags[word - 1].startswith("NNP") and tree.tags[word].startswith("NNP"):
        yield Tie((word - 1, whole), (word,), Kind.FIXED)


def _between(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """Between 20 and 30 of them: both, or neither."""
    for other in tree.conjuncts(head):
        for part in (head, other):
            yield Tie((word,), (part,), Kind.FIXED)
            if tree.tags[part] == "CD":
                yield Tie((part,), (word,), Kind.QUANTITY)


def _belonging(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A word stands with its head, but may take the place of some: (a number of) years."""
    needed = [head, *_instead_of_head(tree, word, head)]
    prepositions = tree.related(word, "case")
    if tree.words[head] in CONTAINERS and tree.relations[word] == "nmod" and prepositions:
        alternatives = any_of(word, needed, Kind.HEAD).needed
        yield from (Tie((word, case), alternatives, Kind.HEAD) for case in prepositions)
    else:
        yield from (any_of(part, [word, *needed], Kind.HEAD) for part in tree.conjuncts(word))
        yield any_of(word, needed, Kind.HEAD)


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
    earlier = [child for child in tree.children[first] if tree.relations[child] == "conj" and child < word]
    others = [part for part in _in_place_of(tree, first) if part not in inside and part < word]
    yield any_of(word, [first, *earlier, *others], Kind.COORDINATION)
    yield from (Tie((first, conjunct), (word,), Kind.CONJUNCTION) for conjunct in (head, *earlier))


def _in_place_of(tree: SourceTree, word: int) -> list[int]:
    """What can take the place of a clause (another one with its subject) or of a phrase (another of its nouns)."""
    return tree.heirs(word) if tree.is_clause(word) else [*tree.nouns(word), *tree.heirs(word)]


def _list_comma(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """The comma before a conjunct needs one before it."""
    first = min(part for part in tree.subtree(word) if not tree.is_mark(part))
    if head < first and tree.words[first - 1] == "," and tree.heads[first - 1] == word:
        earlier = [child for child in tree.children[head] if tree.relations[child] == "conj" and child < word]
        inside = tree.subtree(word)
        others = [part for part in tree.stand_ins(word, head) if part not in inside and part < first]
        yield any_of(first - 1, [head, *earlier, *others], Kind.MARK)


def _announcement(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """Both … and, either … or, neither … nor."""
    for conjunct in tree.children[head]:
        for coordinator in tree.children[conjunct] if tree.relations[conjunct] == "conj" else ():
            if tree.relations[coordinator] == "cc":
                yield Tie((word,), (coordinator,), Kind.COORDINATION)


def _has_coordinator(tree: SourceTree, word: int) -> bool:
    return any(tree.relations[child] == "cc" for child in tree.children[word])


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


def _commas(tree: SourceTree, word: int) -> Iterator[Tie]:
    """Two commas around a phrase stay or go together, and not without the phrase."""
    if commas := tree.between_commas(word):
        before, after = commas
        yield Tie((before, word), (after,), Kind.MARK)
        yield Tie((after, word), (before,), Kind.MARK)
        yield Tie((before,), (word,), Kind.MARK)
        # After other phrases, a comma may be needed all the same: in May(, they say), prices fell.
        if tree.relations[word] in _BESIDE_PHRASES:
            yield Tie((after,), (word,), Kind.MARK)
