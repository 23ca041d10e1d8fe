"""Branch and bound over ties: of all compressions, each less the prices of the ties it breaks, one after the other.

What is searched and in which order is told in `laconic.systems.default.tied_decoder`; here it is one kernel, as what
Python would do between two looks at a path takes longer than a look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int8, Int64
from laconic.decode.compressive.paths import NEARLY, Paths, Tables, best_on_paths, best_path, tables_of
from laconic.kernel import kernel

WIDEST = 50.0
"""A search narrowed to what is worse by more than this is as slow as the whole."""
WORTHWHILE = 1.0
"""What a search narrowed again must gain."""
LATER = 1 << 40
"""Above every age."""

_LOOKS = 1000  # at the trees of paths, before others than paths must be searched
_GONE, _PUT_OFF, _BOUNDED, _KNOWN, _CHARGED = range(5)
# Counters: nodes, ages, searches made, and the node whose compression was given last.
_SIZE, _AGE, _SEARCHES, _GIVEN, _UNSURE = range(5)


class Clauses(NamedTuple):
    """Ties: the words of all, of each first those given and then those needed; how many are given, where each ends."""

    words: Int64
    given: Int64
    ends: Int64
    prices: Float64


class Nodes(NamedTuple):
    """Search spaces by their bounds (negative) and ages; `paid` is the price of the `waived` ties.

    What is bounded has its best compression, if that scores the threshold, on a path that scores what is `promised`;
    what is known has its score and the words it keeps. The last field is the threshold of all that is to be found.
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
    """Room for all that so many searches find, with one node: what agrees with the pins, of which a path is promised."""
    words = len(pins)
    room = searches + words + 2
    numbers, words_of = (np.empty(room) for _ in range(5)), (room, words)
    bounds, paid, thresholds, promises, scores = numbers
    nodes = Nodes(
        bounds, np.empty(room, np.int64), np.empty(room, np.int8), paid, thresholds, promises, scores,
        np.empty(words_of, np.int8), np.zeros((room, ties), np.int8), np.empty(words_of, np.int8),
        np.array([1, 1, 0, -1, 0]), np.array([-np.inf]),
    )  # fmt: skip
    nodes.pins[0] = pins
    bounds[0], paid[0], thresholds[0], promises[0] = -np.inf, 0.0, -np.inf, promised
    nodes.ages[0], nodes.kinds[0] = 0, _BOUNDED
    return nodes


@kernel
def next_best(paths: Paths, ties: Clauses, nodes: Nodes, searches: int) -> int:
    """The node of the next best compression, -1 if there is none."""
    tables, counters = tables_of(paths), nodes.counters
    given = counters[_GIVEN]
    if given >= 0:
        if nodes.kinds[given] == _KNOWN:
            # Lawler's partition: by the first free word on which a compression differs.
            _split(paths, ties, nodes, given, np.arange(nodes.pins.shape[1]), tables)
        nodes.kinds[given] = _GONE
    while counters[_UNSURE] == 0:
        node = -1
        for other in range(counters[_SIZE]):
            if nodes.kinds[other] != _GONE and (
                node < 0
                or nodes.bounds[other] < nodes.bounds[node]
                or (nodes.bounds[other] == nodes.bounds[node] and nodes.ages[other] < nodes.ages[node])
            ):
                node = other
        if node < 0:
            return -1
        spent, kind = counters[_SEARCHES] >= searches, nodes.kinds[node]
        if kind == _CHARGED:
            counters[_GIVEN] = node
            return node
        if kind == _BOUNDED:
            _look(paths, ties, nodes, node, tables)
        elif kind == _PUT_OFF:
            nodes.kinds[node] = _GONE
            if not spent:
                counters[_SEARCHES] += 1
                _bound(paths, nodes, node, -np.inf, tables)
        else:
            price, tie = _broken(ties, nodes, node)
            if spent:
                # Too many ties are torn whatever is done: take the best there is.
                nodes.kinds[node], nodes.paid[node] = _CHARGED, price
                nodes.bounds[node] = price - nodes.scores[node]
            elif tie < 0:
                counters[_GIVEN] = node
                return node
            else:
                _narrow_down(nodes, nodes.scores[node] - price, price)
                begin = ties.ends[tie - 1] if tie > 0 else 0
                _split(paths, ties, nodes, node, ties.words[begin : ties.ends[tie]], tables)
                # The compression at hand lies in this last part, and remains its best.
                nodes.bounds[node] += ties.prices[tie]
                nodes.paid[node] += ties.prices[tie]
                nodes.waived[node, tie] = 1
                nodes.ages[node] = _age(nodes)
    return -1


@kernel
def _split(paths: Paths, ties: Clauses, nodes: Nodes, node: int, words: Int64, tables: Tables) -> None:
    """What differs from a node's compression on the first free word, on the second, …; at last all are pinned."""
    for word in words:
        if nodes.pins[node, word] != 0:
            continue
        fate = 1 if nodes.kept[node, word] else -1
        part = nodes.counters[_SIZE]
        nodes.counters[_SIZE] += 1
        nodes.counters[_SEARCHES] += 1
        nodes.bounds[part], nodes.paid[part] = nodes.bounds[node], nodes.paid[node]
        for other in range(nodes.pins.shape[1]):
            nodes.pins[part, other] = nodes.pins[node, other]
        for tie in range(nodes.waived.shape[1]):
            nodes.waived[part, tie] = nodes.waived[node, tie]
        nodes.pins[part, word], nodes.pins[node, word] = -fate, fate
        threshold = nodes.threshold[0]
        _bound(paths, nodes, part, threshold, tables)
        if threshold == -np.inf and nodes.kinds[part] == _BOUNDED:
            _look(paths, ties, nodes, part, tables)


@kernel
def _bound(paths: Paths, nodes: Nodes, node: int, threshold: float, tables: Tables) -> None:
    """What paths promise of a node, if it reaches the threshold."""
    nodes.ages[node] = _age(nodes)
    lowest = max(threshold, nodes.threshold[0] - NEARLY)
    best = best_path(paths, nodes.pins[node], lowest, tables)
    if best < lowest - paths.slack and lowest > threshold:
        best = best_path(paths, nodes.pins[node], threshold, tables)
    if best == -np.inf or best < threshold - paths.slack:
        _put_off(nodes, node, threshold)
    else:
        nodes.kinds[node] = _BOUNDED
        nodes.thresholds[node], nodes.promised[node] = threshold, best
        nodes.bounds[node] = nodes.paid[node] - (best + paths.slack)


@kernel
def _look(paths: Paths, ties: Clauses, nodes: Nodes, node: int, tables: Tables) -> None:
    """Find the best compression of a node that was only bounded so far."""
    threshold = nodes.thresholds[node]
    score, certain = best_on_paths(
        paths, nodes.pins[node], threshold, nodes.promised[node], np.int64(_LOOKS), tables, nodes.kept[node]
    )
    if not certain:
        nodes.counters[_UNSURE] = 1
    if score == -np.inf:
        _put_off(nodes, node, threshold)
        return
    is_first = nodes.bounds[node] == -np.inf
    nodes.kinds[node], nodes.scores[node] = _KNOWN, score
    nodes.bounds[node] = nodes.paid[node] - score
    if not is_first:
        price, _ = _broken(ties, nodes, node)
        _narrow_down(nodes, score - price, price)


@kernel
def _put_off(nodes: Nodes, node: int, threshold: float) -> None:
    # Nothing here is as good as the threshold; at equal bounds what is known comes first.
    nodes.kinds[node] = _GONE if threshold == -np.inf else _PUT_OFF
    nodes.bounds[node] = max(nodes.bounds[node], nodes.paid[node] - nodes.threshold[0])
    nodes.ages[node] += LATER


@kernel
def _narrow_down(nodes: Nodes, charged: float, price: float) -> None:
    """Look only for what is at least as good as a compression that pays for all it breaks."""
    if charged > nodes.threshold[0] + WORTHWHILE and price < WIDEST:
        nodes.threshold[0] = charged


@kernel
def _broken(ties: Clauses, nodes: Nodes, node: int) -> tuple[float, int]:
    """What a node's compression breaks costs, and the smallest tie of it that is not waived; -1 if there is none."""
    price, begin, chosen, size = 0.0, 0, -1, 0
    for tie in range(len(ties.ends)):
        needed, end = begin + ties.given[tie], ties.ends[tie]
        place = begin
        while place < end and (nodes.kept[node, ties.words[place]] != 0) == (place < needed):
            place += 1
        if place == end:
            price += ties.prices[tie]
            if not nodes.waived[node, tie] and (chosen < 0 or end - begin < size):
                chosen, size = tie, end - begin
        begin = end
    return price, chosen


@kernel
def _age(nodes: Nodes) -> int:
    nodes.counters[_AGE] += 1
    return nodes.counters[_AGE]
