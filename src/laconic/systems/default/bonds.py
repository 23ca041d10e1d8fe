"""The ways to tear a sentence along the arcs of its parse."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from laconic.arrays import Int64
from laconic.systems.default.source_tree import AUXILIARIES, SourceTree
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
    Where nothing is torn beside it, or it has no other way, stands `NO_TEAR`.
    """

    tear: int
    given: tuple[int, ...]
    needed: tuple[int, ...]
    dependent: int
    beside: int
    at_most: int


class Bonds(NamedTuple):
    """Bonds as arrays: of each in turn the `words` given and then those needed, how many are given, where they end."""

    words: Int64
    given: Int64
    ends: Int64
    tears: Int64
    dependents: Int64
    beside: Int64
    at_most: Int64


NO_TEAR = -1
_Fields = tuple[int, tuple[int, ...], tuple[int, ...], int, int, int]
# Members of enumerations are slow to make arrays of.
_PART, _LINK, _LONE_LINK, _HEAD, _SKIPPED_HEAD, _OWN_HEAD, _BARE, _GOVERNOR = map(int, Tear)


def bonds(tree: SourceTree) -> Iterator[Bond]:
    """What may be torn in a sentence, arc by arc."""
    return map(Bond._make, _bonds(tree))


def listed_bonds(tree: SourceTree) -> Bonds:
    """The same as arrays."""
    fields: Any = [*zip(*_bonds(tree), strict=True)] or [()] * 6
    tears, given, needed, dependents, beside, at_most = fields
    parts = [*chain.from_iterable(zip(given, needed, strict=True))]
    sizes = np.array([*map(len, parts)], np.int64)
    columns = np.array([tears, dependents, beside, at_most], np.int64)
    return Bonds(
        np.array([*chain.from_iterable(parts)], np.int64), sizes[::2], sizes.cumsum()[1::2], *columns
    )


def _bonds(tree: SourceTree) -> Iterator[_Fields]:
    # No word stands twice among those that are needed: they are below the head, the head, above it, or small words.
    few = MOST_ALTERNATIVES
    for word, head in enumerate(tree.heads):
        if head < 0 or tree.is_mark(word):
            continue
        relation, governor = tree.relations[word], tree.heads[head]
        small = relation in _SMALL and not tree.children[word]
        linked = governor
        if relation in AUXILIARIES:
            linked = next((subject for subject in tree.subjects(head) if subject != word), governor)
        if small and linked >= 0:
            yield _LINK, (head, linked), (word,), word, _LONE_LINK, NO_TEAR
            yield _LONE_LINK, (head,), (word,), word, NO_TEAR, _LINK
        else:
            yield _PART, (head,), tuple(tree.stand_ins(word)[:few]), word, NO_TEAR, NO_TEAR
        if relation == "conj" and tree.is_clause(word) and not tree.subjects(word):
            for subject in tree.subjects(head):  # a man came up and (asked)
                yield _PART, (word,), tuple(tree.stand_ins(subject)[:few]), subject, NO_TEAR, NO_TEAR
        instead = tuple(tree.possible_heads(head, but=word)[:few])
        links = (*tree.links[head], *tree.links[word])
        bare = tree.links[head] and word not in links
        between: tuple[int, ...] = (head,)
        above = governor
        while above >= 0 and len(between) <= _HIGHEST:
            yield _SKIPPED_HEAD, (word, above), (between + instead[1:])[:few], word, _HEAD, NO_TEAR
            if bare:
                yield _BARE, (word, above), (between + links)[:few], word, NO_TEAR, NO_TEAR
            between, above = (*between, above), tree.heads[above]
        yield _HEAD, (word,), instead, word, NO_TEAR, _SKIPPED_HEAD if governor >= 0 else NO_TEAR
        if len(instead) > 1:
            yield _OWN_HEAD, (word,), (head,), word, NO_TEAR, NO_TEAR
        if small and governor >= 0 and relation in _JOINING:
            needed = tuple(tree.possible_heads(governor, but=head)[:few])
            yield _GOVERNOR, (word,), needed, word, NO_TEAR, NO_TEAR
