"""Branch and bound over ties: of all compressions, each less the prices of the ties it breaks, one after the other.

What is searched and in which order is told in `laconic.systems.default.tied_decoder`; here it is one kernel, as what
Python would do between two looks at a path takes longer than a look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int8, Int64
from laconic.decode.path_bounds import Paths, Tables, best_on_paths, best_path
from laconic.forest.shape import as_int64
from laconic.kernel import kernel

WIDEST = 50.0
"""A search narrowed to what is worse by more than this is as slow as the whole."""
WORTHWHILE = 1.0
"""What a search narrowed again must gain."""
LATER = 1 << 40
"""Above every age."""

_LOOKS = 200  # at the trees of paths, before the chart is searched
_GONE, _NEW, _PUT_OFF, _BOUNDED, _KNOWN, _CHARGED = range(6)
_SIZE, _AGE, _SEARCHES, _GIVEN = range(4)  # the counters: nodes, ages, searches made, the node given last


class Clauses(NamedTuple):
    """Ties: the words of all, of each first those given and then those needed; how many are given, where each ends."""

    words: Int64
    given: Int64
    ends: Int64
    prices: Float64


class Nodes(NamedTuple):
    """Search spaces by their bounds (negative) and ages; `paid` is the price of the `waived` ties.

    What is bounded has its best compression, if that scores its threshold, on a path that scores what is `promised`;
    what is known has its score and the words it keeps. The last field is the threshold of what is to be found next.
    """

    bounds: Float64
    ages: Int64
    kinds: Int8
    paid: Float64
    thresholds: Float64
    promised: Float64
    scores: Float64
    pins: Int8
    waived: Int8
    kept: Int8
    counters: Int64
    threshold: Float64


def nodes_of(pins: Int8, promised: float, ties: int, searches: int) -> Nodes:
    """Room for all that so many searches find, with one node: what agrees with pins, of which a path is promised."""
    words = len(pins)
    room = searches + words + 2
    bounds, paid, thresholds, promises, scores = np.empty((5, room))
    nodes = Nodes(
        bounds, np.empty(room, np.int64), np.empty(room, np.int8), paid, thresholds, promises, scores,
        np.empty((room, words), np.int8), np.zeros((room, ties), np.int8), np.empty((room, words), np.int8),
        np.array([1, 0, 0, -1]), np.array([-np.inf]),
    )  # fmt: skip
    nodes.pins[0] = pins
    bounds[0], paid[0], thresholds[0], promises[0] = -np.inf, 0.0, -np.inf, promised
    nodes.ages[0], nodes.kinds[0] = 0, _BOUNDED
    return nodes


@kernel
def next_best(paths: Paths, ties: Clauses, nodes: Nodes, tables: Tables, searches: int) -> int:
    """The node of the next best compression; -1 if there is none, -2 if paths say too little to find it."""
    bounds, ages, kinds, paid, thresholds, promised, scores, pins, waived, kept, counters, threshold = nodes
    split, tie = counters[_GIVEN], -1
    fresh = counters[_SIZE]
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
                    fate = 1 if kept[split, word] else -1
                    pins[part, word], pins[split, word] = -fate, fate
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
        node, lowest = fresh, threshold[0]
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
        kind, spent, lost = kinds[node], counters[_SEARCHES] >= searches, False
        if kind == _PUT_OFF:
            kinds[node] = _GONE
            if spent:
                continue
            counters[_SEARCHES] += 1
            counters[_AGE] += 1
            ages[node] = counters[_AGE]
        if kind in (_PUT_OFF, _NEW):
            best, _ = best_path(paths, pins[node], lowest, threshold[0], tables)
            lost = best == -np.inf
            kinds[node], thresholds[node], promised[node] = _BOUNDED, lowest, best
            if not lost:
                bounds[node] = paid[node] - (best + paths.slack)
        is_looked_at = kind == _BOUNDED or (kind == _NEW and lowest == -np.inf and not lost)
        if is_looked_at:
            best, certain = best_on_paths(
                paths, pins[node], thresholds[node], promised[node], as_int64(_LOOKS), tables, kept[node]
            )
            if not certain:
                return -2
            lost = best == -np.inf
        if lost:
            # Nothing here is as good as the threshold; at equal bounds what is known comes first.
            kinds[node] = _GONE if thresholds[node] == -np.inf else _PUT_OFF
            bounds[node] = max(bounds[node], paid[node] - threshold[0])
            ages[node] += LATER
            continue
        if is_looked_at:
            kinds[node], scores[node], bounds[node] = _KNOWN, best, paid[node] - best
        elif kind in (_PUT_OFF, _NEW):
            continue
        price, begin, tie, size = 0.0, 0, -1, 0
        for other in range(len(ties.ends)):
            needed, end, place = begin + ties.given[other], ties.ends[other], begin
            while place < end and (kept[node, ties.words[place]] != 0) == (place < needed):
                place += 1
            if place == end:
                price += ties.prices[other]
                if not waived[node, other] and (tie < 0 or end - begin < size):
                    tie, size = other, end - begin
            begin = end
        if kind == _CHARGED or not (is_looked_at or spent or tie >= 0):
            counters[_GIVEN] = node
            return int(node)
        if spent and not is_looked_at:
            # Too many ties are torn whatever is done: take the best there is.
            kinds[node], paid[node], bounds[node] = _CHARGED, price, price - scores[node]
            continue
        # Look only for what is at least as good as a compression that pays for all it breaks.
        if (
            (not is_looked_at or ages[node] > 0)
            and scores[node] - price > threshold[0] + WORTHWHILE
            and price < WIDEST
        ):
            threshold[0] = scores[node] - price
        if not is_looked_at:
            split = node
