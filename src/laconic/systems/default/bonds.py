"""The ways to tear a sentence along the arcs of its parse, listed by one kernel."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np

from laconic.arrays import Int64
from laconic.kernel import inner_kernel, kernel
from laconic.systems.default.source_tree import (
    AUXILIARIES,
    LINKS,
    POSSIBLE_HEADS,
    SAME_PART,
    SUBJECTS,
    SourceTree,
)
from laconic.systems.default.tie import MOST_ALTERNATIVES

_SMALL = frozenset(
    [
        *("mark", "cc", "case", "det", "aux", "aux:pass", "cop", "expl", "compound:prt", "nmod:poss"),
        *("fixed", "advmod", "cc:preconj"),
    ]
)
_JOINING = frozenset(["mark", "case", "cc"])
_HIGHEST = 4  # words above a head that are looked at


class Tear(IntEnum):
    """The ways to tear an arc from a head to its dependent, each a column of the learnt weights."""

    PART = 0
    """The head stays, and of the dependent nothing that could stand for it."""
    LINK = 1
    """The head and what a small word links it to stay, and the small word goes: auxiliaries link it to its subject,
    others to its own head, the governor."""
    LONE_LINK = 2
    """The head stays without what a small word links it to, and the small word goes."""
    HEAD = 3
    """The dependent stays, and all goes that could stand for the head, or that is above it."""
    SKIPPED_HEAD = 4
    """The dependent stays and something above its head, and between them goes all that could stand for the head."""
    OWN_HEAD = 5
    """The dependent stays, and something only stands for its head."""
    BARE = 6
    """The dependent takes the place of its head below something, without a word that links it to that."""
    GOVERNOR = 7
    """A small word that links stays, and of the governor nothing."""


class Bond(NamedTuple):
    """A tie that an arc may hold, if `dependent` is worth it.

    What is torn `beside` it, too, is paid by itself; with `at most` it costs no more than the other way to tear it.
    """

    tear: Tear
    given: tuple[int, ...]
    needed: tuple[int, ...]
    dependent: int
    beside: Tear | None
    at_most: Tear | None


class Bonds(NamedTuple):
    """Bonds as arrays: of each in turn the `words` given and then those needed, how many are given, where they end.

    Where nothing is torn beside one, or it has no other way, stands `NO_TEAR`.
    """

    words: Int64
    given: Int64
    ends: Int64
    tears: Int64
    dependents: Int64
    beside: Int64
    at_most: Int64


NO_TEAR = -1
_PART, _LINK, _LONE_LINK, _HEAD, _SKIPPED_HEAD, _OWN_HEAD, _BARE, _GOVERNOR = map(int, Tear)

# What a word is to its head, and what it is itself, each a bit.
_MARK, _IS_SMALL, _AUXILIARY, _SUBJECT, _LINKING, _CAN_HEAD, _SAME, _CONJUNCT, _JOINS, _VERB = (
    1 << bit for bit in range(10)
)


def bonds(tree: SourceTree) -> Iterator[Bond]:
    """What may be torn in a sentence, arc by arc."""
    words, *fields = (column.tolist() for column in listed_bonds(tree))
    begin = 0
    for given, end, tear, dependent, beside, at_most in zip(*fields, strict=True):
        needed, parts = (
            begin + given,
            (None if other == NO_TEAR else Tear(other) for other in (beside, at_most)),
        )
        yield Bond(Tear(tear), tuple(words[begin:needed]), tuple(words[needed:end]), dependent, *parts)
        begin = end


def listed_bonds(tree: SourceTree) -> Bonds:
    """The same as arrays."""
    kinds = [_kind(*each) for each in zip(tree.relations, tree.tags, strict=True)]
    words, fields = _listed(np.array(tree.heads, np.int64), np.array(kinds, np.int64))
    return Bonds(words, *fields)


@cache
def _kind(relation: str, tag: str) -> int:
    plain = relation.partition(":")[0]
    bits = {
        _MARK: relation == "punct",
        _IS_SMALL: relation in _SMALL,
        _AUXILIARY: relation in AUXILIARIES,
        _SUBJECT: relation in SUBJECTS,
        _LINKING: relation in LINKS,
        _CAN_HEAD: plain in POSSIBLE_HEADS,
        _SAME: plain in SAME_PART,
        _CONJUNCT: relation == "conj",
        _JOINS: relation in _JOINING,
        _VERB: tag.startswith(("V", "MD")),
    }
    return sum(bit for bit, holds in bits.items() if holds)


@inner_kernel
def _below(
    top: int, kind: int, but: int, kinds: Int64, child: Int64, sibling: Int64, words: Int64, begin: int
) -> int:
    """`top` and the nearest few below it of a kind, written into `words`; where they end."""
    words[begin] = top
    node, end = begin, begin + 1
    while node < end:
        below = child[words[node]]
        while below >= 0:
            if kinds[below] & kind and below != but and end < begin + MOST_ALTERNATIVES:
                words[end] = below
                end += 1
            below = sibling[below]
        node += 1
    return end


@inner_kernel
def _put(
    fields: Int64, number: int, given: int, end: int, tear: int, dependent: int, beside: int, at_most: int
) -> int:
    """Note a bond whose words are written up to `end`; how many there are now."""
    row = fields[:, number]
    row[0], row[1], row[2], row[3], row[4], row[5] = given, end, tear, dependent, beside, at_most
    return number + 1


@kernel
def _listed(heads: Int64, kinds: Int64) -> tuple[Int64, Int64]:
    # No word stands twice among those that are needed: they are below the head, the head, above it, or small words.
    count, few = len(heads), MOST_ALTERNATIVES
    child, sibling, subjects = np.full(count, -1), np.full(count, -1), np.zeros(count, np.int64)
    for word in range(count - 1, -1, -1):
        if heads[word] >= 0:
            sibling[word], child[heads[word]] = child[heads[word]], word
            if kinds[word] & _SUBJECT:
                subjects[heads[word]] += 1
    room = count * (5 + 2 * _HIGHEST)
    for word in range(count):
        if kinds[word] & _CONJUNCT and heads[word] >= 0:
            room += subjects[heads[word]]
    fields, words = np.empty((6, room), np.int64), np.empty(room * (2 + few), np.int64)
    instead, number, end = np.empty(few, np.int64), 0, 0
    for word in range(count):
        head, kind = heads[word], kinds[word]
        if head < 0 or kind & _MARK:
            continue
        governor = heads[head]
        linked = governor
        if kind & _AUXILIARY:
            subject = child[head]
            while subject >= 0 and (subject == word or not kinds[subject] & _SUBJECT):
                subject = sibling[subject]
            if subject >= 0:
                linked = subject
        small = kind & _IS_SMALL and child[word] < 0
        if small and linked >= 0:
            words[end], words[end + 1], words[end + 2] = head, linked, word
            end += 3
            number = _put(fields, number, 2, end, _LINK, word, _LONE_LINK, NO_TEAR)
            words[end], words[end + 1] = head, word
            end += 2
            number = _put(fields, number, 1, end, _LONE_LINK, word, NO_TEAR, _LINK)
        else:
            words[end] = head
            end = _below(word, _SAME, -1, kinds, child, sibling, words, end + 1)
            number = _put(fields, number, 1, end, _PART, word, NO_TEAR, NO_TEAR)
        if kind & _CONJUNCT and kind & _VERB and not subjects[word]:
            subject = child[head]
            while subject >= 0:  # a man came up and (asked)
                if kinds[subject] & _SUBJECT:
                    words[end] = word
                    end = _below(subject, _SAME, -1, kinds, child, sibling, words, end + 1)
                    number = _put(fields, number, 1, end, _PART, subject, NO_TEAR, NO_TEAR)
                subject = sibling[subject]
        is_linked = False  # the head, by a word that is not this one
        if not kind & _LINKING:
            link = child[head]
            while link >= 0:
                is_linked |= kinds[link] & _LINKING != 0
                link = sibling[link]
        others = _below(head, _CAN_HEAD, word, kinds, child, sibling, instead, 0)
        above = governor
        for between in range(1, _HIGHEST + 1):  # so many words are between the dependent and what is above
            if above < 0:
                break
            for bare in range(2 if is_linked else 1):
                words[end], words[end + 1] = word, above
                begin = end = end + 2
                node = head
                for _ in range(between):
                    words[end] = node
                    node, end = heads[node], end + 1
                if bare:
                    for linking in (head, word):
                        link = child[linking]
                        while link >= 0 and end < begin + few:
                            if kinds[link] & _LINKING:
                                words[end] = link
                                end += 1
                            link = sibling[link]
                    number = _put(fields, number, 2, end, _BARE, word, NO_TEAR, NO_TEAR)
                else:
                    for other in range(1, min(others, 1 + begin + few - end)):
                        words[end] = instead[other]
                        end += 1
                    number = _put(fields, number, 2, end, _SKIPPED_HEAD, word, _HEAD, NO_TEAR)
            above = heads[above]
        words[end] = word
        for other in range(others):
            words[end + 1 + other] = instead[other]
        end += 1 + others
        number = _put(
            fields, number, 1, end, _HEAD, word, NO_TEAR, _SKIPPED_HEAD if governor >= 0 else NO_TEAR
        )
        if others > 1:
            words[end], words[end + 1] = word, head
            end += 2
            number = _put(fields, number, 1, end, _OWN_HEAD, word, NO_TEAR, NO_TEAR)
        if small and governor >= 0 and kind & _JOINS:
            words[end] = word
            end = _below(governor, _CAN_HEAD, head, kinds, child, sibling, words, end + 1)
            number = _put(fields, number, 1, end, _GOVERNOR, word, NO_TEAR, NO_TEAR)
    return words[:end], fields[:, :number]
