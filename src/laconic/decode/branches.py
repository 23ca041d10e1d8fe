"""Branch and bound over ties: of all paths, each less the prices of the ties it breaks, one after the other.

A search space is the set of compressions that agree with some pins. Its best compression, ties ignored, is one exact
search for a path and bounds all of it from above. Where that compression breaks a tie, the space is split into disjoint
parts: one of the given words is dropped; or all are kept and one of the needed words too; or the tie stays broken, at
its price. Spaces are opened from the highest bound down, so the first compression without an open tie is the best of
all. Then it alone is taken out of its space, and the search goes on to the next best.

Any compression, less the price of all it breaks, bounds the best from below. So most parts need not be searched in
full: the search for a path is narrowed to what can reach that bound, and a part in which nothing does is put off until
nothing better is left. All of that is one kernel, as what Python would do between two looks at a path takes longer than
a look.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int8, Int64, UInt64
from laconic.decode.contract import Solution
from laconic.decode.counted_paths import Paths, PathTables, best_path, tables_of
from laconic.kernel import kernel

_LATER = 1 << 40  # above every age
_GONE, _NEW, _PUT_OFF, _KNOWN, _CHARGED = range(5)
_SIZE, _AGE, _SEARCHES, _GIVEN = range(4)  # the counters: nodes, ages, searches made, the node given last


class TieArrays(NamedTuple):
    """Ties as arrays: of each in turn the `words` given and then those needed, how many are given, where they end."""

    words: Int64
    given: Int64
    ends: Int64
    prices: Float64


class Nodes(NamedTuple):
    """Search spaces by their bounds (negative) and ages; `paid` is the price of the `waived` ties.

    What is known has the score of its best path, the same less the price of all that it breaks, and the words on it.
    """

    bounds: Float64
    ages: Int64
    kinds: Int8
    paid: Float64
    scores: Float64
    charged: Float64
    pins: Int8
    waived: Int8
    kept: Int8
    counters: Int64


class Masks(NamedTuple):
    """Ties as sets of 64 words to a block: the words of each, and those that are given.

    A tie is broken where of all its words just those that are given are kept.
    """

    all: UInt64
    given: UInt64


def branches(paths: Paths, ties: TieArrays, pins: Int8, searches: int) -> Iterator[Solution]:
    """The compressions that agree with pins, from the best down; after so many searches what is known, as it is."""
    words, room = len(pins), searches + len(pins) + 2
    bounds, paid, scores, charged = np.empty((4, room))
    nodes = Nodes(
        bounds, np.empty(room, np.int64), np.empty(room, np.int8), paid, scores, charged,
        np.empty((room, words), np.int8), np.zeros((room, len(ties.ends)), np.int8),
        np.empty((room, words), np.int8), np.array([1, 0, 0, -1]),
    )  # fmt: skip
    nodes.pins[0], nodes.ages[0], nodes.kinds[0] = pins, 0, _NEW
    bounds[0], paid[0] = -paths.through[0].max(), 0.0
    tables, masks = tables_of(paths), Masks(*_masks(ties, words))
    while (node := _next_best(paths, ties, masks, nodes, tables, searches)) >= 0:
        kept = tuple(np.flatnonzero(nodes.kept[node]).tolist())
        yield Solution(float(nodes.scores[node] - nodes.paid[node]), kept)


@kernel
def _masks(ties: TieArrays, words: int) -> tuple[UInt64, UInt64]:
    blocks = (words + 63) >> 6
    everything, given = (
        np.zeros((len(ties.ends), blocks), np.uint64),
        np.zeros((len(ties.ends), blocks), np.uint64),
    )
    begin = 0
    for tie in range(len(ties.ends)):
        for place in range(begin, ties.ends[tie]):
            word = ties.words[place]
            bit = np.uint64(1) << np.uint64(word & 63)
            everything[tie, word >> 6] |= bit
            if place < begin + ties.given[tie]:
                given[tie, word >> 6] |= bit
            else:
                everything[tie, word >> 6] &= ~(given[tie, word >> 6] & bit)  # given and needed: never broken
        begin = ties.ends[tie]
    return everything, given


@kernel
def _next_best(
    paths: Paths, ties: TieArrays, masks: Masks, nodes: Nodes, tables: PathTables, searches: int
) -> int:
    """The node of the next best compression; -1 if there is none."""
    bounds, ages, kinds, paid, scores, charged, pins, waived, kept, counters = nodes
    path, stays = np.empty(pins.shape[1] + 2, np.int64), np.empty(masks.all.shape[1], np.uint64)
    split, tie, fresh = counters[_GIVEN], -1, counters[_SIZE]
    # Look only for what is at least as good as a compression that pays for all it breaks.
    threshold = -np.inf
    for other in range(fresh):
        if other != split and kinds[other] == _KNOWN:
            threshold = max(threshold, charged[other])
    while True:
        if split >= 0:
            # What differs from its compression on the first free word, on the second, …; at last all are pinned.
            # Without a tie, that is Lawler's partition by all words.
            begin = ties.ends[tie - 1] if tie > 0 else 0
            end = ties.ends[tie] if tie >= 0 else pins.shape[1]
            for place in range(begin, end if kinds[split] == _KNOWN else begin):
                word = ties.words[place] if tie >= 0 else place
                if pins[split, word] == 0:
                    part = counters[_SIZE]
                    counters[_SIZE] += 1
                    counters[_AGE] += 1
                    counters[_SEARCHES] += 1
                    kinds[part], ages[part] = _NEW, counters[_AGE]
                    bounds[part], paid[part] = bounds[split], paid[split]
                    for other in range(pins.shape[1]):
                        pins[part, other] = pins[split, other]
                    for other in range(waived.shape[1]):
                        waived[part, other] = waived[split, other]
                    pin = 1 if kept[split, word] else -1
                    pins[part, word], pins[split, word] = -pin, pin
            if tie < 0:
                kinds[split] = _GONE
            else:
                # The compression at hand lies in this last part, and remains its best.
                counters[_AGE] += 1
                ages[split] = counters[_AGE]
                bounds[split] += ties.prices[tie]
                paid[split] += ties.prices[tie]
                waived[split, tie] = 1
            split = -1
        node, lowest = fresh, threshold
        if fresh < counters[_SIZE]:
            fresh += 1
        else:
            node, lowest = -1, -np.inf
            for other in range(counters[_SIZE]):
                if kinds[other] != _GONE and (
                    node < 0
                    or bounds[other] < bounds[node]
                    or (bounds[other] == bounds[node] and ages[other] < ages[node])
                ):
                    node = other
            if node < 0:
                return -1
        kind, spent = kinds[node], counters[_SEARCHES] >= searches
        if kind == _PUT_OFF:
            if spent:
                kinds[node] = _GONE
                continue
            counters[_SEARCHES] += 1
            counters[_AGE] += 1
            ages[node] = counters[_AGE]
        is_searched = kind in (_NEW, _PUT_OFF)
        if is_searched:
            best, _ = best_path(paths, pins[node], lowest, paid[node] - bounds[node], tables, path)
            if best == -np.inf:
                # Nothing here is as good as the threshold; at equal bounds what is known comes first.
                kinds[node] = _GONE if lowest == -np.inf else _PUT_OFF
                bounds[node] = max(bounds[node], paid[node] - lowest)
                ages[node] += _LATER
                continue
            kinds[node], scores[node], bounds[node] = _KNOWN, best, paid[node] - best
            for word in range(pins.shape[1]):
                kept[node, word] = 0
            place = 1
            while path[place] <= pins.shape[1]:
                kept[node, path[place] - 1] = 1
                place += 1
        for block in range(len(stays)):
            stays[block] = 0
        for word in range(pins.shape[1]):
            stays[word >> 6] |= np.uint64(kept[node, word]) << np.uint64(word & 63)
        price, tie, least = 0.0, -1, 0
        for other in range(len(ties.ends)):
            block = 0
            while block < len(stays) and stays[block] & masks.all[other, block] == masks.given[other, block]:
                block += 1
            if block == len(stays):
                price += ties.prices[other]
                if not waived[node, other]:
                    size = ties.ends[other] - (ties.ends[other - 1] if other > 0 else 0)
                    if tie < 0 or size < least:
                        tie, least = other, size
        if is_searched:
            charged[node] = scores[node] - price
            threshold = max(threshold, charged[node])
        elif kind == _CHARGED or (tie < 0 and not spent):
            counters[_GIVEN] = node
            return int(node)
        elif spent:
            # Too many ties are torn whatever is done: take the best there is.
            kinds[node], paid[node], bounds[node] = _CHARGED, price, price - scores[node]
        else:
            split = node
