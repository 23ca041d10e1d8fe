"""What must not be torn apart: negations and quantities first, then what the grammar asks for."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.clause_ties import clause_ties
from laconic.systems.default.fixed_ties import fixed_ties
from laconic.systems.default.lexicon import (
    DENIALS,
    EXCEPTIONS,
    EXTENTS,
    MAGNITUDES,
    MONTHS,
    NEGATIONS,
    PORTIONS,
    QUALIFIERS,
    ROUNDINGS,
)
from laconic.systems.default.link_ties import link_ties
from laconic.systems.default.mark_ties import mark_ties
from laconic.systems.default.phrase_ties import phrase_ties
from laconic.systems.default.source_tree import AUXILIARIES, SUBJECTS, SourceTree
from laconic.systems.default.tie import MOST_ALTERNATIVES, Kind, Tie

_CLIPPED = frozenset(["n't", "n’t", "nʼt"])
_COMPLEMENTS = frozenset(["xcomp", "ccomp", "csubj", "csubj:pass", "obj", "nsubj:pass", "advcl", "acl"])
_TRANSPARENT = frozenset(["xcomp", "ccomp", "csubj", "acl"])
_QUALIFIED = {"amod": ("NN",), "compound": ("NN",), "advmod": ("V", "JJ")}
_COUNTERS = frozenset(["nummod", "nmod", "nmod:unmarked", "nmod:tmod", "compound", "flat", "advmod"])
_ORDER = {kind: place for place, kind in enumerate(Kind)}


def ties(tree: SourceTree) -> tuple[Tie, ...]:
    """The ties of an annotated sentence, the gravest kinds first.

    >>> from laconic.text.tokenise import tokenise
    >>> plain = tokenise("It did not fall.")
    >>> fall = plain.annotated(tags=("PRP", "VBD", "RB", "VB", "."), heads=(3, 3, 3, -1, 3),
    ...     relations=("nsubj", "aux", "advmod", "root", "punct"))
    >>> [(tie.given, tie.needed, tie.kind.name) for tie in ties(SourceTree(fall))][:2]
    [((3,), (2,), 'NEGATION'), ((0,), (3,), 'PREDICATE')]
    """
    found = dict.fromkeys(
        (
            *_meaning_ties(tree),
            *clause_ties(tree),
            *link_ties(tree),
            *phrase_ties(tree),
            *fixed_ties(tree),
            *mark_ties(tree),
        )
    )
    return tuple(sorted(found, key=lambda tie: _ORDER[tie.kind]))


def _meaning_ties(tree: SourceTree) -> Iterator[Tie]:
    for word, head in enumerate(tree.heads):
        yield from _negation(tree, word, head)
        yield from _exception(tree, word, head)
        yield from _qualification(tree, word, head)
        if head >= 0 and tree.relations[word] == "nmod" and _is_portion(tree, head):
            yield Tie((word,), (head,), Kind.QUANTITY)  # two of them, half of the staff, none of it
            yield Tie((head,), (word,), Kind.HEAD)
            if determiners := tree.determiners(word):  # two of (the) men
                yield Tie((word, head), tuple(determiners[:MOST_ALTERNATIVES]), Kind.DETERMINER)
        if tree.tags[word] == "CD" or tree.words[word] in MAGNITUDES:
            yield from _quantity(tree, word, head)


def _qualification(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What without one of its words says something else."""
    if head < 0:
        return
    text = tree.words[word]
    if text in EXTENTS and any(tree.words[part] in NEGATIONS for part in tree.children[head] if part < word):
        yield Tie((head,), (word,), Kind.RESTRICTION)  # not always
    elif _qualifies(tree, word, head):
        yield Tie((head,), (word,), Kind.QUALIFIER)


def _qualifies(tree: SourceTree, word: int, head: int) -> bool:
    """Whether a word changes what its head says: (more) dangerous, to rely (less) on it, the (former) mayor."""
    if tree.words[word] == "less" and tree.tags[head].startswith("V"):
        return tree.relations[word] == "advmod"
    if tree.words[word] in ("more", "less"):
        return word == head - 1 and tree.tags[head] in ("JJ", "RB")
    return tree.words[word] in QUALIFIERS and tree.tags[head].startswith(
        _QUALIFIED.get(tree.relations[word], ())
    )


def _negation(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    if tree.words[word] in _CLIPPED and word > 0:
        yield Tie((word - 1,), (word,), Kind.NEGATION)
        yield Tie((word,), (word - 1,), Kind.NEGATION)  # one word to its readers
    elif tree.words[word] == "not" and word > 0 and tree.relations[word - 1] in AUXILIARIES:
        yield Tie((word,), (word - 1,), Kind.AUXILIARY)
    if head >= 0 and tree.words[word] in NEGATIONS and tree.relations[word] != "conj":
        yield Tie((head,), (word,), Kind.NEGATION)
        if tree.relations[head] in SUBJECTS:  # no one came, neither of them did
            yield Tie((tree.heads[head],), (word,), Kind.NEGATION)
        # What follows in the same form is denied too: they can not come and (expect) a seat.
        same = (
            part
            for part in tree.partners(head)[1:]
            if tree.tags[part] == tree.tags[head] and not _contrasts(tree, part)
        )
        yield from (Tie((part,), (word,), Kind.NEGATION) for part in same)
    if head >= 0 and tree.relations[word] in _COMPLEMENTS:
        yield from (Tie((word,), (denier,), Kind.NEGATION) for denier in _deniers(tree, word))


def _contrasts(tree: SourceTree, conjunct: int) -> bool:
    """Not this but that."""
    return any(tree.words[child] in ("but", "yet") for child in tree.children[conjunct])


def _exception(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What is denied only without something, or unless something is so."""
    limits = any(tree.words[child] in EXCEPTIONS for child in tree.children[word])
    if limits and head >= 0 and _negated(tree, head):
        yield Tie((head,), (word,), Kind.EXCEPTION)


def _deniers(tree: SourceTree, word: int) -> Iterator[int]:
    """What denies a complement from above, through the clauses between: I do not think (it right (to go))."""
    head = tree.heads[word]
    while head >= 0:
        if _denies(tree, head):
            yield head
        if tree.relations[head] not in _TRANSPARENT:
            return
        head = tree.heads[head]


def _denies(tree: SourceTree, word: int) -> bool:
    return tree.words[word] in DENIALS or _negated(tree, word)


def _negated(tree: SourceTree, word: int) -> bool:
    """Whether a word or its subject is denied: no sign, hardly anyone thinks."""
    parts = (word, *tree.subjects(word))
    return any(tree.words[child] in NEGATIONS for part in parts for child in tree.children[part])


def _quantity(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    following = word + 1
    if following < len(tree) and (tree.tags[following] == "CD" or tree.words[following] in MAGNITUDES):
        # Parts of one number: $ 5 million, 12 percent.
        yield Tie((word,), (following,), Kind.QUANTITY)
        yield Tie((following,), (word,), Kind.QUANTITY)
    if tree.tags[word] != "CD":
        return
    yield from _clock(tree, word)
    if len(tree.words[word]) <= 2:  # a day, not a year
        beside = (place for place in (word - 1, following) if 0 <= place < len(tree))
        yield from (Tie((word,), (place,), Kind.QUANTITY) for place in beside if tree.words[place] in MONTHS)
    if head >= 0 and tree.relations[word] in _COUNTERS and not _stands_alone(tree, word):
        yield Tie((word,), (head,), Kind.QUANTITY)
    for child in tree.children[word]:
        bounds = child < word and tree.relations[child] == "advmod" and tree.words[child] not in ROUNDINGS
        if bounds:  # more than 20, up to 20, but not: about 20
            yield from (Tie((word,), (part,), Kind.QUANTITY) for part in tree.subtree(child))


def _clock(tree: SourceTree, hour: int) -> Iterator[Tie]:
    """Half past seven, quarter to five."""
    minutes, between = hour - 2, tree.words[hour - 1]
    if minutes < 0 or between not in ("past", "to"):
        return
    if tree.words[minutes] in ("half", "quarter") or (between == "past" and tree.tags[minutes] == "CD"):
        yield Tie((hour,), (minutes,), Kind.QUANTITY)
        yield Tie((minutes,), (hour,), Kind.QUANTITY)
        yield Tie((minutes, hour), (hour - 1,), Kind.QUANTITY)


def _is_portion(tree: SourceTree, word: int) -> bool:
    return tree.tags[word] == "CD" or tree.words[word] in PORTIONS


def _stands_alone(tree: SourceTree, number: int) -> bool:
    """Whether a number counts nothing: the year in October 1986, or one with a preposition of its own."""
    word, dated = tree.words[number], tree.tags[tree.heads[number]].startswith("NNP")
    year = dated and len(word) == 4 and word.isdecimal() and "1000" <= word < "2200"
    return year or bool(tree.related(number, "case"))
