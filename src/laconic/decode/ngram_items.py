"""The search for items: nodes of a forest with the words at both ends of what they emit, best first.

An item's *state* is a row of 2 (n - 1) ids: its first n - 1 words and its last n - 1 words, -1 where there
are fewer. The last words of a yield shorter than n - 1 are not repeated; of others only those stand there
that the model's future scores depend on, so that more items are equal.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.forest.growth import grown
from laconic.forest.hypergraph import Floats, Indices, Integers
from laconic.kernel import kernel
from laconic.ngram.tables import Tables, log_probability, state_start
from laconic.ngram.vocabulary import BEGIN, END


class Scorer(NamedTuple):
    """The language model as the search sees it: `reach` is n - 1, `symbol_ids` are the ids of the symbols.

    `estimate_reach` is how many words of context the estimate of words with too little context may use.
    """

    tables: Tables
    reach: int
    weight: float
    symbol_ids: Indices
    estimate_reach: int


class Edges(NamedTuple):
    """The arrays of a forest that the search needs; see `Hypergraph`."""

    edge_starts: Indices
    tail_starts: Indices
    tails: Indices
    scores: Floats
    templates: Indices
    item_starts: Indices
    items: Indices


class Items(NamedTuple):
    """What the search found: items by number and, in arrays of one entry each, the edges between them.

    Edge i of these makes item `heads[i]` by edge `edges[i]` of the forest out of the items
    `tails[tail_starts[i]:tail_starts[i + 1]]` and scores `scores[i]`. The items of the forest's root are
    the last ones, from `first_end` on; `end_scores` holds what the boundaries of the sentence add to each.
    """

    item_count: int
    heads: Indices
    edges: Indices
    tail_starts: Indices
    tails: Indices
    scores: Floats
    first_end: int
    end_scores: Floats


class Candidates(NamedTuple):
    """Ways to make an item of the node at hand: an edge, and for each tail one of its items, by rank.

    `gains` is what the edge and the model add to the items of the tails, `scores` the sum of all.
    """

    edges: Indices
    ranks: NDArray[np.int64]  # one row each, as wide as the largest number of tails
    states: NDArray[np.int32]  # one row each
    gains: Floats
    scores: Floats


@kernel
def find_items(scorer: Scorer, forest: Edges, unique: int, total: int, whole_root: bool) -> Items:
    """Find the items of every node, bottom-up, until it has `unique` different ones or `total` candidates.

    With `whole_root`, the root has no such limit.

    A node's candidates wait in a heap: at first every edge with the best items of its tails. When a
    candidate is taken, its successors enter: the same edge with one rank raised by one, at the last
    non-zero place or after it, so that each vector of ranks is reached only once.
    """
    edge_starts, tail_starts, tails = forest.edge_starts, forest.tail_starts, forest.tails
    node_count = len(edge_starts) - 1
    width = 2 * scorer.reach
    arity = 0
    for edge in range(len(forest.scores)):
        arity = max(arity, tail_starts[edge + 1] - tail_starts[edge])

    # Items, node by node; `ranked` lists those of a node best first.
    first_item = np.zeros(node_count + 1, dtype=np.int64)
    states = np.empty((256, width), dtype=np.int32)
    bests = np.empty(256)
    priorities = np.empty(256)
    ranked = np.empty(256, dtype=np.int64)
    # The edges between them.
    made, made_tails = 0, 0
    new_heads = np.empty(1024, dtype=np.int32)
    new_edges = np.empty(1024, dtype=np.int32)
    new_tail_starts = np.zeros(1024, dtype=np.int32)
    new_tails = np.empty(2048, dtype=np.int32)
    new_scores = np.empty(1024)

    candidates = Candidates(
        np.empty(256, dtype=np.int32),
        np.empty((256, arity), dtype=np.int64),
        np.empty((256, width), dtype=np.int32),
        np.empty(256),
        np.empty(256),
    )
    heap = [(0.0, 0)]  # (-priority, candidate)
    ranks = np.empty(arity, dtype=np.int64)
    chosen = np.empty(arity, dtype=np.int64)
    window = np.empty(scorer.reach, dtype=np.int32)

    for node in range(node_count):
        count = first_item[node]
        slots = np.full(64, np.int64(-1))  # the items of this node by state: an open hash table
        heap.clear()
        waiting, taken = len(heap), 0
        ranks[:] = 0
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            possible = forest.scores[edge] > -np.inf
            for i in range(tail_starts[edge], tail_starts[edge + 1]):
                possible &= first_item[tails[i]] < first_item[tails[i] + 1]
                if possible:
                    chosen[i - tail_starts[edge]] = ranked[first_item[tails[i]]]
            if possible:
                candidates = _with_room(candidates, waiting)
                priority = _enter(
                    scorer, forest, edge, ranks, chosen, states, bests, window, candidates, waiting
                )
                heapq.heappush(heap, (-priority, waiting))
                waiting += 1

        unlimited = whole_root and node == node_count - 1
        while len(heap) > 0 and (unlimited or (taken < total and count - first_item[node] < unique)):
            priority, best = heapq.heappop(heap)
            taken += 1
            edge = candidates.edges[best]
            size = tail_starts[edge + 1] - tail_starts[edge]
            last_raised = 0
            for i in range(size):
                ranks[i] = candidates.ranks[best, i]
                chosen[i] = ranked[first_item[tails[tail_starts[edge] + i]] + ranks[i]]
                if ranks[i] > 0:
                    last_raised = i

            score = candidates.scores[best]
            if score > -np.inf:
                states = _with_rows(states, count)
                for i in range(width):
                    states[count, i] = candidates.states[best, i]
                item = _find_or_place(slots, states, count)
                if item == count:
                    bests, priorities = grown(bests, count), grown(priorities, count)
                    bests[count], priorities[count] = score, -priority
                    count += 1
                    if 2 * (count - first_item[node]) > len(slots):
                        slots = np.full(2 * len(slots), np.int64(-1))
                        for other in range(first_item[node], count):
                            _find_or_place(slots, states, other)
                elif score > bests[item]:
                    bests[item], priorities[item] = score, -priority
                new_heads, new_edges = grown(new_heads, made), grown(new_edges, made)
                new_scores, new_tails = grown(new_scores, made), grown(new_tails, made_tails + size)
                new_tail_starts = grown(new_tail_starts, made + 1)
                new_heads[made], new_edges[made], new_scores[made] = item, edge, candidates.gains[best]
                for i in range(size):
                    new_tails[made_tails + i] = chosen[i]
                made += 1
                made_tails += size
                new_tail_starts[made] = made_tails

            for i in range(last_raised, size):
                tail = tails[tail_starts[edge] + i]
                if ranks[i] + 1 < first_item[tail + 1] - first_item[tail]:
                    ranks[i] += 1
                    chosen[i] = ranked[first_item[tail] + ranks[i]]
                    candidates = _with_room(candidates, waiting)
                    priority = _enter(
                        scorer, forest, edge, ranks, chosen, states, bests, window, candidates, waiting
                    )
                    heapq.heappush(heap, (-priority, waiting))
                    waiting += 1
                    ranks[i] -= 1
                    chosen[i] = ranked[first_item[tail] + ranks[i]]

        first = first_item[node]
        first_item[node + 1] = count
        ranked = grown(ranked, count)
        ranked[first:count] = first + np.argsort(-priorities[first:count], kind="mergesort")

    first, count = first_item[node_count - 1], first_item[node_count]
    end_scores = np.empty(count - first)
    for i in range(count - first):
        end_scores[i] = _ended(scorer, states[first + i], window)
    return Items(
        count,
        new_heads[:made],
        new_edges[:made],
        new_tail_starts[: made + 1],
        new_tails[:made_tails],
        new_scores[:made],
        first,
        end_scores,
    )


@kernel
def _enter(
    scorer: Scorer,
    forest: Edges,
    edge: int,
    ranks: Integers,
    chosen: Integers,
    states: NDArray[np.int32],
    bests: Floats,
    window: Indices,
    candidates: Candidates,
    place: int,
) -> float:
    """Write down the candidate that joins the chosen items by an edge; returns its priority."""
    template = forest.templates[edge]
    emitted = forest.items[forest.item_starts[template] : forest.item_starts[template + 1]]
    gain = forest.scores[edge] + _joined(scorer, emitted, states, chosen, window, candidates.states[place])
    score = gain
    for i in range(forest.tail_starts[edge + 1] - forest.tail_starts[edge]):
        candidates.ranks[place, i] = ranks[i]
        score += bests[chosen[i]]
    candidates.edges[place] = edge
    candidates.gains[place] = gain
    candidates.scores[place] = score
    return float(score + _estimate(scorer, candidates.states[place]))


@kernel
def _joined(
    scorer: Scorer,
    emitted: Indices,
    states: NDArray[np.int32],
    chosen: Integers,
    window: Indices,
    state: Indices,
) -> float:
    """What the model adds when a template joins items, and, into `state`, the state of the whole.

    The words are read from left to right: symbols, and of an item its first words; then what follows
    in it was scored before, and reading goes on from its last words. A word is scored if n - 1 words
    were read before it, else it is one of the first words of the whole. `window` holds the last words.
    """
    reach = scorer.reach
    state[:] = -1
    read = 0  # words read so far, counted up to n - 1
    length = 0  # of the window
    gain = 0.0
    for symbol in emitted:
        for i in range(1 if symbol >= 0 else reach):
            word = scorer.symbol_ids[symbol] if symbol >= 0 else states[chosen[~symbol], i]
            if word < 0:
                break
            if read == reach:
                gain += _weighted(scorer, log_probability(scorer.tables, window[:length], word))
            else:
                state[read] = word
                read += 1
            length = _appended(window, length, word)
        if symbol < 0 and _has_last_words(states[chosen[~symbol]], reach):
            length = _last_words(states[chosen[~symbol]], window)
    if read == reach:
        oldest = state_start(scorer.tables, window[:length])
        for i in range(oldest, length):
            state[reach + i - oldest] = window[i]
    return gain


@kernel
def _ended(scorer: Scorer, state: Indices, window: Indices) -> float:
    """What the model adds for the first words of an item after `<s>`, and for `</s>` after its last."""
    gain = 0.0
    length = _appended(window, 0, BEGIN)
    for word in state[: scorer.reach]:
        if word < 0:
            break
        gain += _weighted(scorer, log_probability(scorer.tables, window[:length], word))
        length = _appended(window, length, word)
    if _has_last_words(state, scorer.reach):
        length = _last_words(state, window)
    return gain + _weighted(scorer, log_probability(scorer.tables, window[:length], END))


@kernel
def _estimate(scorer: Scorer, state: Indices) -> float:
    """What the words that still lack context may add: as much as they do with the context they have.

    With an `estimate_reach` of 0 they are estimated by their unigrams, as in Cohn and Lapata (2009); that is
    a little faster but lets narrow beams err much more often, above all under a limit of length.
    """
    estimate = 0.0
    for i in range(scorer.reach):
        if state[i] < 0:
            break
        estimate += _weighted(
            scorer, log_probability(scorer.tables, state[max(0, i - scorer.estimate_reach) : i], state[i])
        )
    return estimate


@kernel
def _weighted(scorer: Scorer, logarithm: float) -> float:
    """The impossible stays impossible even when the weight is zero or negative."""
    return scorer.weight * logarithm if logarithm > -np.inf else -np.inf


@kernel
def _has_last_words(state: Indices, reach: int) -> bool:
    """Whether the yield has at least n - 1 words, so that its last ones are kept apart from its first."""
    return reach == 0 or state[reach - 1] >= 0


@kernel
def _last_words(state: Indices, window: Indices) -> int:
    """Copy the last words of a state into the window; returns how many."""
    reach = len(window)
    length = 0
    while length < reach and state[reach + length] >= 0:
        window[length] = state[reach + length]
        length += 1
    return length


@kernel
def _appended(window: Indices, length: int, word: int) -> int:
    """Put a word behind the window, the oldest going if it is full; returns the new length."""
    if len(window) == 0:
        return 0
    if length == len(window):
        for i in range(1, length):
            window[i - 1] = window[i]
        length -= 1
    window[length] = word
    return length + 1


@kernel
def _find_or_place(slots: Integers, states: NDArray[np.int32], item: int) -> int:
    """The item in the table with the same state as `item`, which is put there if there is none."""
    key = np.uint64(14695981039346656037)  # FNV-1a, a word at a time
    for word in states[item]:
        key = (key ^ np.uint64(word + 1)) * np.uint64(1099511628211)
    place = np.int64((key ^ (key >> np.uint64(32))) & np.uint64(len(slots) - 1))
    while slots[place] >= 0:
        if np.array_equal(states[slots[place]], states[item]):
            return int(slots[place])
        place = (place + 1) & (len(slots) - 1)
    slots[place] = item
    return item


@kernel
def _with_room(candidates: Candidates, place: int) -> Candidates:
    """The candidates with room for one more."""
    if place < len(candidates.edges):
        return candidates
    return Candidates(
        grown(candidates.edges, place),
        _with_rows(candidates.ranks, place),
        _with_rows(candidates.states, place),
        grown(candidates.gains, place),
        grown(candidates.scores, place),
    )


@kernel
def _with_rows(table: NDArray[Any], row: int) -> NDArray[Any]:
    """The table itself if it has this row, otherwise a copy twice as long."""
    if row < len(table):
        return table
    longer = np.empty((2 * len(table), table.shape[1]), dtype=table.dtype)
    for i in range(len(table)):
        for j in range(table.shape[1]):  # compiles six times faster than one assignment of slices
            longer[i, j] = table[i, j]
    return longer
