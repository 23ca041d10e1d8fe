"""Punctuation: what holds a mark to the words around it, and where a compression would run on without one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from laconic.arrays import Bool
from laconic.systems.default.protections import protections
from laconic.systems.default.source_tree import AUXILIARIES, SourceTree
from laconic.systems.default.tie import Tie, first_few
from laconic.text.detokenise import paired_marks

_SAID_OF_NOUNS = frozenset(["appos", "nmod", "acl", "acl:relcl"])
_BESIDE_PHRASES = _SAID_OF_NOUNS | {"conj"}
_BETWEEN_COMMAS = frozenset(["acl", "acl:relcl", "appos", "advcl", "parataxis", "nmod", "obl", "advmod"])
_BY_ITSELF = frozenset(["conj", "parataxis"])
_IN_FRONT = frozenset(["obl", "advcl", "advmod"])
_SET_OFF = frozenset(
    [
        *("parataxis", "conj", "ccomp", "advcl", "advcl:relcl", "appos", "acl", "acl:relcl", "obl"),
        *("vocative", "discourse"),
    ]
)
_STOPS = frozenset([".", "?", "!", ";"])
_OPENERS = frozenset(["punct", "cc", "mark"])

TORN = "a quote, bracket or comma stands without its partner"
UNASKED = "a question mark stands without its question"


def mark_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties of the punctuation of a sentence."""
    for word, head in enumerate(tree.heads):
        if head < 0:
            continue
        relation = tree.relations[word]
        if tree.words[word] == "," and tree.relations[head] in _SAID_OF_NOUNS and head > word:
            yield _tie(word, tree.stand_ins(head))  # which sets it off
        if relation == "appos":
            yield from _comma_of_apposition(tree, word, head)
        elif relation == "conj":
            yield from _list_comma(tree, word, head)
        if relation in _BETWEEN_COMMAS or (relation == "conj" and tree.related(word, "cc")):
            yield from _commas(tree, word)
    for opening, closing in paired_marks(tree.sentence):
        yield Tie((opening,), (closing,), TORN)
        yield Tie((closing,), (opening,), TORN)
    words, spaces = tree.sentence.words, tree.sentence.spaces
    for stop in range(1, len(tree) - 1):  # in the name of a host or of a file
        if words[stop] == "." and spaces[stop - 1] == spaces[stop] == "" and words[stop + 1][0].islower():
            for beside in (stop - 1, stop + 1):
                yield Tie((stop,), (beside,), torn_name())
                yield Tie((beside,), (stop,), torn_name())
    last = len(tree) - 1
    if last > 0 and tree.is_mark(last) and tree.words[last - 1] in (".", "?", "!"):
        yield Tie((last,), (last - 1,), TORN)  # a quote after the stop does not stay without it
    yield from _question(tree)


@cache
def torn_name() -> str:
    """What is lost with half of a name, as the table of protections says it."""
    return next(row.torn for row in protections() if row.name == "name of a firm")


def _question(tree: SourceTree) -> Iterator[Tie]:
    """Who says something and then asks ends with the mark of the question: it rained, so could you call him?"""
    stop = last_stop(tree)
    if stop is not None and tree.words[stop] == "?":
        asking = [word for word in range(len(tree)) if _asks(tree, word)]
        if asking and not all(verb in asking for verb in tree.main_verbs()):
            yield Tie((stop,), first_few(asking), UNASKED)


def _asks(tree: SourceTree, verb: int) -> bool:
    """Whether an auxiliary stands before the subject of a verb, or what asks in a clause of its own does, or is it."""
    subjects = tree.subjects(verb)
    first = min(subjects, default=verb)
    before = [child for child in tree.children[verb] if child < first]
    inverted = bool(subjects) and any(tree.relations[child] in AUXILIARIES for child in before)
    by_itself = tree.heads[verb] < 0 or tree.relations[verb] in _BY_ITSELF
    return inverted or (by_itself and any(tree.tags[word].startswith("W") for word in (first, *before)))


def _comma_of_apposition(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What explains a noun can take its place, but not after a comma."""
    first = min(tree.subtree(word))
    comma = first if tree.words[first] == "," else first - 1
    if comma > head and tree.words[comma] == ",":
        yield _tie(comma, [head, *tree.related(head, "flat", "conj")])


def _list_comma(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """The comma before a conjunct needs one before it."""
    first = min(part for part in tree.subtree(word) if not tree.is_mark(part))
    if head < first and tree.words[first - 1] == "," and tree.heads[first - 1] == word:
        yield _tie(first - 1, [part for part in tree.possible_heads(head, but=word) if part < first])


def _commas(tree: SourceTree, word: int) -> Iterator[Tie]:
    """Two commas around a phrase stay or go together, and not without the phrase."""
    if commas := tree.between_commas(word):
        before, after = commas
        yield Tie((before, word), (after,), TORN)
        yield Tie((after, word), (before,), TORN)
        yield Tie((before,), (word,), TORN)
        # After other phrases, a comma may be needed all the same: in May(, they say), prices fell. So it is after
        # these, where they end what stands in front: after the storm(, which was fierce), the power failed. Behind a
        # conjunction nothing else needs it: it rained and(, they say,) it snowed.
        beside = tree.relations[word] in _BESIDE_PHRASES and not _ends_front(tree, word, after)
        if beside or tree.relations[before - 1] == "cc":
            yield Tie((after,), (word,), TORN)


def _ends_front(tree: SourceTree, word: int, comma: int) -> bool:
    """Whether a phrase that stands before what it says something of ends where the comma stands that ends `word`."""
    return any(
        tree.plain_relations[part] in _IN_FRONT and tree.spans[part][1] <= comma < tree.heads[part]
        for part in tree.above(word)
    )


def _tie(mark: int, needed: list[int]) -> Tie:
    return Tie((mark,), first_few(word for word in needed if word != mark), TORN)


class _Seam(NamedTuple):
    """A mark that belongs between words of the first range and words of the second, should they meet."""

    left: range
    right: range


def run_ons(tree: SourceTree) -> Bool:
    """Whether word j, coming right after word i in a compression, would lack the mark between them: [i, j].

    A phrase or clause that the author set off by a comma or a dash stays set off, on whichever side of its
    head it stands; a stop inside the text stays between what is left of its sentences, and the last stop at
    the end, which is column n.
    """
    count = len(tree)
    found = np.zeros((count, count + 1), np.bool_)
    for left, right in _seams(tree):
        found[left.start : left.stop, right.start : right.stop] = True
    last = last_stop(tree)
    if last is not None:
        found[:last, last + 1 :] = True
    # What opens a phrase needs no mark after it: and, that.
    found[[word for word in range(count) if tree.relations[word] in _OPENERS], :count] = False
    return found


def last_stop(tree: SourceTree) -> int | None:
    """The stop at the end of a sentence, which quotes and brackets may follow."""
    last = len(tree) - 1
    while last > 0 and tree.is_mark(last) and tree.words[last] not in _STOPS:
        last -= 1
    return last if tree.words[last] in _STOPS else None


def _seams(tree: SourceTree) -> Iterator[_Seam]:
    count = len(tree)
    for word, head in enumerate(tree.heads):
        if tree.is_mark(word):
            if tree.words[word] in _STOPS and 0 < word < count - 1:
                yield _Seam(range(word), range(word + 1, count - 1))
        elif head >= 0 and tree.relations[word] in _SET_OFF:
            inside = tree.subtree(word)
            spoken = [part for part in inside if not tree.is_mark(part)]
            first, last = min(spoken), max(spoken)
            # A mark beside the phrase that hangs on another one closes that.
            if first > head and first - 1 in inside:
                yield _Seam(range(_first_mark(tree, first - 1)), range(first, last + 1))
            elif last < head and last + 1 in inside:
                yield _Seam(range(first, last + 1), range(_last_mark(tree, last + 1) + 1, count))


def _first_mark(tree: SourceTree, mark: int) -> int:
    while mark > 0 and tree.is_mark(mark - 1):
        mark -= 1
    return mark


def _last_mark(tree: SourceTree, mark: int) -> int:
    while mark + 1 < len(tree) and tree.is_mark(mark + 1):
        mark += 1
    return mark
