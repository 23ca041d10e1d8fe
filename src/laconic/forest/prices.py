"""Prices for copying source words: added to scores, +inf to demand a word, -inf to forbid it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.arrays import Float64, Int32
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.best import inside_best
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.shape import frozen
from laconic.kernel import kernel


def priced(forest: Hypergraph, prices: ArrayLike) -> Hypergraph:
    """The same forest with `prices[w]` added to the score for every copy of source word w.

    A price of -inf forbids the word; +inf demands it and adds nothing to the score: derivations without
    a demanded word are excluded. That is exact for words that no derivation copies twice, and an error
    for others: then a derivation has all demanded words if and only if it has the most that any can
    have, and it has the most if and only if each of its edges attains the most below its node, so that
    the other edges can go. O(size).
    """
    values = np.asarray(prices, dtype=np.float64)
    words = int(forest.symbol_words.max(initial=-1)) + 1
    if values.ndim != 1 or len(values) < words:
        raise LaconicError(
            f"the forest copies words 0 to {words - 1} but the prices have shape {values.shape}"
        )
    if np.isnan(values).any():
        raise LaconicError(f"the price of word {np.flatnonzero(np.isnan(values))[0]} is not a number")
    demanded = np.isposinf(values)
    scores = forest.scores + forest.edge_sums(_by_symbol(forest, np.where(demanded, 0.0, values)))
    if not demanded.any():
        return forest.rescored(scores)
    check_copied_once(forest, demanded)
    counts = forest.edge_sums(_by_symbol(forest, demanded))
    counted = forest.rescored(np.where(scores > -np.inf, counts, -np.inf)).part_scores
    shape, inside = forest.shape, inside_best(forest.shape, counted)
    if inside[-1] < demanded.sum():
        forbidden = np.flatnonzero(np.isneginf(values)).tolist()
        most = f"at most {int(inside[-1])} of them go together" if inside[-1] >= 0 else "none is left at all"
        raise InfeasibleBudget(
            f"no derivation keeps all of words {np.flatnonzero(demanded).tolist()}"
            + (f" and none of {forbidden}" if forbidden else "")
            + f"; {most}"
        )
    sums = counted[shape.part] + inside[shape.left] + inside[shape.right]
    falls_short = shape.part[sums < np.repeat(inside, np.diff(shape.first))]
    scores[falls_short[falls_short <= forest.edge_count] - 1] = -np.inf
    return forest.rescored(scores)


def check_copied_once(forest: Hypergraph, words: NDArray[np.bool_] | None = None) -> None:
    """Raise an error if some derivation copies one of these words (or of all) twice. O(size · words)."""
    sources = forest.symbol_words
    if words is not None:
        sources = frozen(np.where(_by_symbol(forest, words) > 0, sources, -1).astype(np.int32))
    blocks = int(sources.max(initial=-1)) // 64 + 1
    edge, word = _first_repeat(
        blocks,
        sources,
        forest.edge_starts,
        forest.tail_starts,
        forest.tails,
        forest.templates,
        forest.item_starts,
        forest.items,
    )
    if edge >= 0:
        head = forest.name(int(forest.heads[edge]))
        raise LaconicError(
            f"word {word} can be copied twice, by edge {edge} of node {head}; its price is undefined"
        )


def _by_symbol(forest: Hypergraph, values: NDArray[np.generic]) -> Float64:
    """The value of each symbol: that of its word, 0 for symbols that copy none."""
    by_symbol = np.zeros(forest.symbol_count)
    copies = forest.symbol_words >= 0
    by_symbol[copies] = values[forest.symbol_words[copies]]
    return by_symbol


@kernel
def _first_repeat(
    blocks: int,
    symbol_words: Int32,
    edge_starts: Int32,
    tail_starts: Int32,
    tails: Int32,
    templates: Int32,
    item_starts: Int32,
    items: Int32,
) -> tuple[int, int]:
    """The first edge below which one word can come from two places, and the word; (-1, -1) if there is none.

    Every node has the set of words that some derivation below it copies, as bits. Since every edge
    takes part in a derivation of the root, two places with a word in common mean a derivation with both.
    """
    sets = np.zeros((len(edge_starts) - 1, blocks), np.uint64)
    here = np.empty(blocks, np.uint64)
    one = np.uint64(1)
    for node in range(len(edge_starts) - 1):
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            for block in range(blocks):
                here[block] = 0
            for i in range(item_starts[templates[edge]], item_starts[templates[edge] + 1]):
                if items[i] >= 0:
                    word = symbol_words[items[i]]
                    if word >= 0:
                        bit = one << np.uint64(word % 64)
                        if here[word // 64] & bit:
                            return edge, word
                        here[word // 64] |= bit
                else:
                    tail = tails[tail_starts[edge] + ~items[i]]
                    for block in range(blocks):
                        common = here[block] & sets[tail, block]
                        if common:
                            word = 64 * block
                            while not common & one:
                                common >>= one
                                word += 1
                            return edge, word
                        here[block] |= sets[tail, block]
            for block in range(blocks):
                sets[node, block] |= here[block]
    return -1, -1
