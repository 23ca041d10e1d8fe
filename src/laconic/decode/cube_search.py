"""The search for items: nodes of a forest with the words at both ends of what they emit, best first.

An item's *state* is a row of 2 (n - 1) ids: its first n - 1 words and its last n - 1 words, -1 where there
are fewer. The last words of a yield shorter than n - 1 are not repeated; of others only those stand there
that the model's future scores depend on, so that more items are equal.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from laconic.arrays import Float64, Int32, Int64
from laconic.forest.heap import joined, without_first
from laconic.forest.shape import as_int64
from laconic.kernel import inner_kernel, kernel
from laconic.ngram.tables import Tables, log_probability, state_start
from laconic.ngram.vocabulary import BEGIN, END

Numbers = TypeVar("Numbers", Int64, Float64)


class Scorer(NamedTuple):
    """The language model as the search sees it: `reach` is n - 1, `symbol_ids` are the ids of the symbols."""

    tables: Tables
    reach: int
    weight: float
    symbol_ids: Int64


class Edges(NamedTuple):
    """The arrays of a forest that the search needs; see `Hypergraph`."""

    edge_starts: Int32
    tail_starts: Int32
    tails: Int32
    scores: Float64
    templates: Int32
    item_starts: Int32
    items: Int32


class Items(NamedTuple):
    """What the search found: items by number, those of the forest's root last, and the edges between them.

    Edge i of these makes item rows[i, HEAD] by edge rows[i, EDGE] of the forest out of the items in the columns from
    TAILS on, and scores `scores[i]`. `end_scores` holds what the boundaries of the sentence add to the last items.
    """

    item_count: int
    rows: Int64
    scores: Float64
    end_scores: Float64


HEAD, EDGE, TAILS = 0, 1, 2
_ROOM = 1 << 12  # for items, edges and candidates, at first
_RANKS = 2  # of candidates, whose edge is in column EDGE too: the ranks of its tails' items, then its state


def found_items(scorer: Scorer, forest: Edges, unique: int, total: int, *, whole_root: bool) -> Items:
    """The items of every node, bottom-up, until it has `unique` different ones or `total` candidates.

    With `whole_root`, the root has no such limit.
    """
    return Items(*_find(scorer, forest, unique, total, whole_root))


@kernel
def _find(
    scorer: Scorer, forest: Edges, unique: int, total: int, whole_root: bool
) -> tuple[int, Int64, Float64, Float64]:
    """The number of items, the rows and scores of edges, the scores of ends.

    A node's candidates wait in a heap: at first every edge with the best items of its tails.

    When a candidate is taken, its successors enter: the same edge with one rank raised by one, at the last
    non-zero place or after it, so that each vector of ranks is reached only once.
    """
    edge_starts, tail_starts, tails = forest.edge_starts, forest.tail_starts, forest.tails
    node_count = len(edge_starts) - 1
    width = 2 * scorer.reach
    arity = 0
    for edge in range(len(forest.scores)):
        arity = max(arity, tail_starts[edge + 1] - tail_starts[edge])

    # Items, node by node; `ranked` lists those of a node best first, which a heap finds.
    first_item = np.zeros(node_count + 1, np.int64)
    states, ranked = np.empty((_ROOM, width), np.int64), np.empty(_ROOM, np.int64)
    bests, priorities = np.empty(_ROOM), np.empty(_ROOM)
    item_links = np.empty((_ROOM, 2), np.int64)
    # The edges between them.
    made = 0
    rows, row_scores = np.empty((_ROOM, TAILS + arity), np.int64), np.empty(_ROOM)
    # Candidates, in a heap by their priority: what the edge and the model add to the items of the tails, and the sum.
    candidates, links = np.empty((_ROOM, _RANKS + arity + width), np.int64), np.empty((_ROOM, 2), np.int64)
    gains, sums, keys = np.empty(_ROOM), np.empty(_ROOM), np.empty(_ROOM)
    ranks, chosen = np.empty(arity, np.int64), np.empty(arity, np.int64)
    window, state = np.empty(scorer.reach, np.int64), np.empty(width, np.int64)

    for node in range(node_count):
        first = first_item[node]
        count = first
        slots = np.full(64, -1)  # the items of this node by state: an open hash table
        waiting, taken, heap = as_int64(0), 0, as_int64(-1)
        unlimited = whole_root and node == node_count - 1
        # What enters next: every edge of the node in turn, then, of the candidate last taken, the places to raise.
        entering, stop, place, size = as_int64(edge_starts[node]), edge_starts[node + 1], 0, -1
        while True:
            if entering < stop or place < size:
                edge = entering if entering < stop else edge
                possible = forest.scores[edge] > -np.inf
                begin = tail_starts[edge]
                if entering < stop:
                    entering += 1
                    for i in range(tail_starts[edge + 1] - begin):
                        ranks[i] = 0
                        tail = tails[begin + i]
                        possible &= first_item[tail] < first_item[tail + 1]
                        if possible:
                            chosen[i] = ranked[first_item[tail]]
                    raised = -1
                else:
                    raised = place
                    place += 1
                    tail = tails[begin + raised]
                    possible = ranks[raised] + 1 < first_item[tail + 1] - first_item[tail]
                    if possible:
                        ranks[raised] += 1
                        chosen[raised] = ranked[first_item[tail] + ranks[raised]]
                if possible:
                    if waiting == len(keys):
                        candidates, links = _longer_table(candidates), _longer_table(links)
                        gains, sums, keys = _longer(gains), _longer(sums), _longer(keys)
                    candidates[waiting, EDGE] = edge
                    links[waiting, 0] = links[waiting, 1] = -1
                    gain = _joined(scorer, forest, edge, states, chosen, window, state)
                    gains[waiting] = forest.scores[edge] + gain
                    sums[waiting] = gains[waiting]
                    for i in range(tail_starts[edge + 1] - begin):
                        candidates[waiting, _RANKS + i] = ranks[i]
                        sums[waiting] += bests[chosen[i]]
                    keys[waiting] = sums[waiting]
                    estimate = 0.0
                    for i in range(width):
                        candidates[waiting, _RANKS + arity + i] = state[i]
                    for i in range(scorer.reach):
                        # What the words that still lack context may add: as much as they do with the context they have.
                        if state[i] < 0:
                            break
                        estimate += _weighted(scorer, state, as_int64(0), i, state[i])
                    keys[waiting] += estimate
                    heap = joined(heap, waiting, keys, links)
                    waiting += 1
                    if raised >= 0:
                        ranks[raised] -= 1
                        chosen[raised] = ranked[first_item[tails[begin + raised]] + ranks[raised]]
                continue
            if heap < 0 or not (unlimited or (taken < total and count - first < unique)):
                break
            best = heap
            heap = without_first(heap, keys, links)
            taken += 1
            edge = candidates[best, EDGE]
            size, place = tail_starts[edge + 1] - tail_starts[edge], 0
            for i in range(size):
                ranks[i] = candidates[best, _RANKS + i]
                chosen[i] = ranked[first_item[tails[tail_starts[edge] + i]] + ranks[i]]
                if ranks[i] > 0:
                    place = i
            if sums[best] == -np.inf:
                continue
            if count == len(bests):
                states, item_links = _longer_table(states), _longer_table(item_links)
                ranked, bests, priorities = _longer(ranked), _longer(bests), _longer(priorities)
            if made == len(row_scores):
                rows, row_scores = _longer_table(rows), _longer(row_scores)
            for i in range(width):
                states[count, i] = candidates[best, _RANKS + arity + i]
            item = _find_or_place(slots, states, count)
            if item == count:
                bests[count], priorities[count] = sums[best], keys[best]
                count += 1
                if 2 * (count - first) > len(slots):
                    slots = np.full(2 * len(slots), -1)
                    for other in range(first, count):
                        _find_or_place(slots, states, other)
            elif sums[best] > bests[item]:
                bests[item], priorities[item] = sums[best], keys[best]
            rows[made, HEAD], rows[made, EDGE], row_scores[made] = item, edge, gains[best]
            for i in range(size):
                rows[made, TAILS + i] = chosen[i]
            made += 1

        first_item[node + 1] = count
        heap = as_int64(-1)
        for item in range(first, count):
            item_links[item, 0] = item_links[item, 1] = -1
            heap = joined(heap, item, priorities, item_links)
        for rank in range(first, count):
            ranked[rank] = heap
            heap = without_first(heap, priorities, item_links)

    first, count = first_item[node_count - 1], first_item[node_count]
    end_scores = np.empty(count - first)
    for i in range(count - first):
        end_scores[i] = _ended(scorer, states, first + i, window)
    return count, rows[:made].copy(), row_scores[:made].copy(), end_scores


@inner_kernel
def _longer(values: Numbers) -> Numbers:
    """The values with as much room again behind them."""
    longer = np.empty(2 * len(values), values.dtype)
    longer[: len(values)] = values
    return longer


@inner_kernel
def _longer_table(rows: Numbers) -> Numbers:
    """The rows with as much room again behind them."""
    longer = np.empty((2 * rows.shape[0], rows.shape[1]), rows.dtype)
    longer[: len(rows)] = rows
    return longer


@inner_kernel
def _joined(
    scorer: Scorer, forest: Edges, edge: int, states: Int64, chosen: Int64, window: Int64, state: Int64
) -> float:
    """What the model adds when the template of an edge joins items, and, into `state`, the state of the whole.

    The words are read from left to right: symbols, and of an item its first words; then what follows
    in it was scored before, and reading goes on from its last words. A word is scored if n - 1 words
    were read before it, else it is one of the first words of the whole. `window` holds the last words.
    """
    reach = scorer.reach
    for i in range(2 * reach):
        state[i] = -1
    read = 0  # words read so far, counted up to n - 1
    length = as_int64(0)  # of the window
    gain = 0.0
    template = forest.templates[edge]
    for place in range(forest.item_starts[template], forest.item_starts[template + 1]):
        symbol = forest.items[place]
        for i in range(1 if symbol >= 0 else reach):
            word = scorer.symbol_ids[symbol] if symbol >= 0 else states[chosen[~symbol], i]
            if word < 0:
                break
            if read == reach:
                gain += _weighted(scorer, window, as_int64(0), length, word)
            else:
                state[read] = word
                read += 1
            length = _appended(window, length, word)
        if symbol < 0:
            length = _after(states, chosen[~symbol], window, length)
    if read == reach:
        oldest = state_start(scorer.tables, window, length)
        for i in range(oldest, length):
            state[reach + i - oldest] = window[i]
    return gain


@inner_kernel
def _ended(scorer: Scorer, states: Int64, item: int, window: Int64) -> float:
    """What the model adds for the first words of an item after `<s>`, and for `</s>` after its last."""
    gain = 0.0
    begin = as_int64(0)
    length = _appended(window, begin, as_int64(BEGIN))
    for i in range(scorer.reach):
        word = states[item, i]
        if word < 0:
            break
        gain += _weighted(scorer, window, begin, length, word)
        length = _appended(window, length, word)
    length = _after(states, item, window, length)
    return gain + _weighted(scorer, window, begin, length, as_int64(END))


@inner_kernel
def _weighted(scorer: Scorer, ids: Int64, begin: int, end: int, word: int) -> float:
    """The weighted ln p of a word after ids[begin:end].

    The impossible stays impossible even when the weight is zero or negative.
    """
    logarithm = log_probability(scorer.tables, ids, begin, end, word)
    return scorer.weight * logarithm if logarithm > -np.inf else -np.inf


@inner_kernel
def _after(states: Int64, item: int, window: Int64, length: int) -> int:
    """The length of the window after an item, whose last words go there if it has at least n - 1 words."""
    reach = len(window)
    if reach > 0 and states[item, reach - 1] < 0:
        return length
    length = 0
    while length < reach and states[item, reach + length] >= 0:
        window[length] = states[item, reach + length]
        length += 1
    return length


@inner_kernel
def _appended(window: Int64, length: int, word: int) -> int:
    """Put a word behind the window, the oldest going if it is full; returns the new length."""
    if len(window) == 0:
        return 0
    if length == len(window):
        for i in range(1, length):
            window[i - 1] = window[i]
        length -= 1
    window[length] = word
    return length + 1


@inner_kernel
def _find_or_place(slots: Int64, states: Int64, item: int) -> int:
    """The item in the table with the same state as `item`, which is put there if there is none."""
    width = states.shape[1]
    key = np.uint64(14695981039346656037)  # FNV-1a, a word at a time
    for i in range(width):
        key = (key ^ np.uint64(states[item, i] + 1)) * np.uint64(1099511628211)
    place = np.int64((key ^ (key >> np.uint64(32))) & np.uint64(len(slots) - 1))
    while slots[place] >= 0:
        other = slots[place]
        same = 0
        while same < width and states[other, same] == states[item, same]:
            same += 1
        if same == width:
            return int(other)
        place = (place + 1) & (len(slots) - 1)
    slots[place] = item
    return item
