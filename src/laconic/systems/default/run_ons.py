"""Where a compression would run on: two neighbours, and the mark that stood between them gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.systems.default.source_tree import SourceTree

_SET_OFF = frozenset(
    [
        "parataxis",
        "conj",
        "ccomp",
        "advcl",
        "advcl:relcl",
        "appos",
        "acl",
        "acl:relcl",
        "obl",
        "vocative",
        "discourse",
    ]
)
_STOPS = frozenset([".", "?", "!", ";"])
_OPENERS = frozenset(["punct", "cc", "mark"])


class _Seam(NamedTuple):
    """A mark that belongs between words of the first range and words of the second, should they meet."""

    left: range
    right: range


def run_ons(tree: SourceTree) -> NDArray[np.bool_]:
    """Whether word j, coming right after word i in a compression, would lack the mark between them: [i, j].

    A phrase or clause that the author set off by a comma or a dash stays set off, on whichever side of its
    head it stands; a stop inside the text stays between what is left of its sentences, and the last stop at
    the end, which is column n.
    """
    count = len(tree)
    found = np.zeros((count, count + 1), np.bool_)
    for left, right in _seams(tree):
        found[left.start : left.stop, right.start : right.stop] = True
    last = count - 1
    while last > 0 and tree.is_mark(last) and tree.words[last] not in _STOPS:
        last -= 1
    if tree.words[last] in _STOPS:  # quotes may follow it
        found[:last, last + 1 :] = True
    # What opens a phrase needs no mark after it: and, that.
    found[[word for word in range(count) if tree.relations[word] in _OPENERS], :count] = False
    return found


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
