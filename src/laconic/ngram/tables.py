"""A back-off model as flat arrays, and the compiled lookups over them.

An n-gram is a path in a trie from its first word to its last; the nodes of order 1 come first, then
those of order 2, and so on, each order sorted by (parent, word). So node v below the unigrams is
found among the children of its parent by bisection, and the id of a unigram's node is its word's id.

All logarithms are natural. The model assigns

    ln p(w | h) = probabilities[h w]                       if the n-gram h w is listed,
                = backoffs[h] + ln p(w | h without its oldest word)   otherwise,

where backoffs[h] counts as 0 if h itself is not listed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float64, Int32
from laconic.kernel import kernel


class Tables(NamedTuple):
    """The arrays of a model; kernels take them as one argument.

    `words[v]` is the last word of node v and `probabilities[v]` its ln p(last word | the words before).
    A node v of less than the highest order also has `backoffs[v]`, and its children are the nodes
    `children[v]` to `children[v + 1]`. All arrays are read-only, so that a model may lie in a mapped file.
    """

    words: NDArray[np.unsignedinteger[Any]]
    children: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    backoffs: NDArray[np.float32]


@kernel
def find_child(tables: Tables, node: int, word: int) -> int:
    """The node that extends `node` by `word`, or -1; O(log children)."""
    if node >= len(tables.backoffs):
        return -1
    low = tables.children[node]
    high = end = tables.children[node + 1]
    while low < high:
        middle = (low + high) >> 1
        if tables.words[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < end and tables.words[low] == word else -1


@kernel
def find_node(tables: Tables, ids: NDArray[np.integer[Any]], begin: int, end: int) -> int:
    """The node of a listed n-gram of at least one word, ids[begin:end], or -1."""
    node = int(ids[begin])
    for position in range(begin + 1, end):
        node = find_child(tables, node, ids[position])
        if node < 0:
            break
    return node


@kernel
def log_probability(tables: Tables, ids: NDArray[np.integer[Any]], begin: int, end: int, word: int) -> float:
    """ln p(word | ids[begin:end]), the context's oldest word first; words too old for the model do no harm."""
    total = 0.0
    for start in range(begin, end):
        # total = the back-off weights of all contexts longer than h = ids[start:end]
        node = find_node(tables, ids, start, end)
        if node < 0:
            continue
        extended = find_child(tables, node, word)
        if extended >= 0:
            return float(total + tables.probabilities[extended])
        if node < len(tables.backoffs):
            total += tables.backoffs[node]
    return float(total + tables.probabilities[word])


@kernel
def pair_log_probabilities(tables: Tables, ids: Int32) -> tuple[Float64, Float64]:
    """ln p(word j) and ln p(word j | word i) for i < j, of the ids of a sentence with its boundaries."""
    count = len(ids)
    alone, pairs = np.zeros(count), np.zeros((count, count))
    for j in range(1, count):
        alone[j] = log_probability(tables, ids, j, j, ids[j])
        for i in range(j):
            pairs[i, j] = log_probability(tables, ids, i, i + 1, ids[j])
    return alone, pairs


@kernel
def state_start(tables: Tables, history: NDArray[np.integer[Any]], end: int) -> int:
    """The least i such that every future probability depends on `history[i:end]` alone.

    A context matters while the model lists an n-gram that extends it or a back-off weight for it.
    """
    for start in range(end):
        node = find_node(tables, history, start, end)
        if 0 <= node < len(tables.backoffs) and (
            tables.children[node] < tables.children[node + 1] or tables.backoffs[node] != 0.0
        ):
            return start
    return end


@kernel
def score_tokens(tables: Tables, order: int, begin: int, tokens: NDArray[np.int32]) -> NDArray[np.float64]:
    """ln p of each token given those before it in its sentence; 0 for `begin`, which opens a sentence."""
    scores = np.zeros(len(tokens))
    sentence = 0
    for position in range(len(tokens)):
        if tokens[position] == begin:
            sentence = position
        else:
            oldest = max(sentence, position - order + 1)
            scores[position] = log_probability(tables, tokens, oldest, position, tokens[position])
    return scores
