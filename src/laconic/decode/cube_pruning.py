"""The forest times an n-gram model: exactly, or within a beam by cube pruning.

The n-gram model sees words that different edges emit, so its score does not decompose over a forest.
It does over the forest whose nodes are *items*: a node of the forest with the first and the last
n - 1 words below it (Cohn and Lapata 2009, algorithm 4). Both ends are needed because templates
reorder. All items make an exact search, at a price exponential in n; cube pruning (Chiang 2007)
keeps only the most promising ones of every node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laconic.decode.ngram_items import Edges, Items, Scorer, find_items
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.assembly import Pools, assemble
from laconic.forest.derivation import Derivation
from laconic.forest.growth import grown
from laconic.forest.hypergraph import Hypergraph, Indices, slot
from laconic.kernel import kernel
from laconic.ngram.model import NgramModel
from laconic.ngram.vocabulary import BEGIN, END

_ALL = np.iinfo(np.int64).max
_IMPOSSIBLE = "no derivation of the forest scores above -inf with the language model"


@dataclass(frozen=True, slots=True)
class Beam:
    """How much of every node is searched: until so many different items, or so many in total, are found.

    Items that differ only in their derivation count once as `unique` and each time in `total`. Items are
    compared by their score and an estimate of what their first words, whose context is not yet known, will
    add: under all the context they have, or, with `unigram_estimate`, under none, as in the paper.
    """

    unique: int = 200
    total: int = 500
    unigram_estimate: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.unique <= self.total:
            raise LaconicError(f"a beam needs 1 <= unique <= total, not {self.unique} and {self.total}")


@dataclass(frozen=True, slots=True, eq=False)
class Intersection:
    """The derivations of `base`, all or those within a beam, scored by their edges and a language model.

    `forest` derives the same yields; its edges have the edge of `base` that they stand for as origin,
    and the edges of its root, which add the sentence's boundaries, have -1.
    """

    base: Hypergraph
    forest: Hypergraph

    def project(self, derivation: Derivation) -> Derivation:
        """A derivation of `forest` as the derivation of `base` that it stands for, with the same score."""
        _, *edges = derivation.edges
        return Derivation(self.base, derivation.score, tuple(self.forest.origins[edges].tolist()))


def intersect(
    forest: Hypergraph,
    model: NgramModel,
    *,
    symbol_ids: ArrayLike,
    weight: float = 1.0,
    beam: Beam | None = None,
    whole_root: bool = False,
) -> Intersection:
    """Score a forest with edge scores + weight · ln p(<s> yield </s>); without a beam, exactly.

    `symbol_ids[s]` is the model's id of symbol s. What the model holds impossible is left out, whatever
    the weight. Within a beam, a node's items are found best first by their score plus, for words whose
    n-gram is not complete yet, weight · ln p(word | the context it has); so the best derivation found
    never scores more than the exact one, and with a wide enough beam it is that one. With `whole_root`
    the root has no beam, so that each of its edges stays: those of strata lead to the possible lengths.
    """
    items = _found(forest, model, symbol_ids, weight, beam, whole_root=whole_root)
    return Intersection(forest, _assembled(forest, items))


def best_with_model(
    forest: Hypergraph,
    model: NgramModel,
    *,
    symbol_ids: ArrayLike,
    weight: float = 1.0,
    beam: Beam | None = None,
) -> Derivation:
    """The best derivation of what `intersect` gives for the same arguments, without building that forest."""
    items = _found(forest, model, symbol_ids, weight, beam)
    score, edges = _best(items)
    if score == -np.inf:
        raise InfeasibleBudget(_IMPOSSIBLE)
    return Derivation(forest, score, tuple(edges.tolist()))


def _found(
    forest: Hypergraph,
    model: NgramModel,
    symbol_ids: ArrayLike,
    weight: float,
    beam: Beam | None,
    *,
    whole_root: bool = False,
) -> Items:
    ids = np.asarray(symbol_ids)
    if ids.shape != (forest.symbol_count,) or (ids.dtype.kind not in "iu" and len(ids)):
        raise LaconicError(
            f"the forest has {forest.symbol_count} symbols, so symbol_ids must be as many integers, "
            f"not {ids.dtype} of shape {ids.shape}"
        )
    words = len(model.vocabulary)
    improper = np.flatnonzero((ids < 0) | (ids >= words) | (ids == BEGIN) | (ids == END))
    if len(improper):
        symbol = int(improper[0])
        raise LaconicError(
            f"symbol {symbol} has id {ids[symbol]}, which is no word of a model of {words} words"
        )
    if not math.isfinite(weight):
        raise LaconicError(f"the weight of the language model must be a finite number, not {weight}")
    return find_items(
        Scorer(
            model.tables,
            model.order - 1,
            float(weight),
            ids.astype(np.int32),
            0 if beam is not None and beam.unigram_estimate else model.order - 1,
        ),
        Edges(
            forest.edge_starts,
            forest.tail_starts,
            forest.tails,
            forest.scores,
            forest.templates,
            forest.item_starts,
            forest.items,
        ),
        _ALL if beam is None else beam.unique,
        _ALL if beam is None else beam.total,
        whole_root,
    )


def _assembled(forest: Hypergraph, items: Items) -> Hypergraph:
    """The forest of the items, joined by a root of its own."""
    ends = np.flatnonzero(items.end_scores > -np.inf).astype(np.int32)
    if not len(ends):
        raise InfeasibleBudget(_IMPOSSIBLE)
    root = items.item_count
    joins = np.ones(len(ends), dtype=np.int32)
    root_template, root_row = len(forest.item_starts) - 1, len(forest.feature_starts) - 1
    return assemble(
        root,
        node_count=root + 1,
        heads=np.concatenate((items.heads, root * joins)),
        tail_starts=np.concatenate((items.tail_starts, len(items.tails) + np.cumsum(joins, dtype=np.int32))),
        tails=np.concatenate((items.tails, items.first_end + ends)),
        scores=np.concatenate((items.scores, items.end_scores[ends])),
        templates=np.concatenate((forest.templates[items.edges], root_template * joins)),
        feature_rows=np.concatenate((forest.feature_rows[items.edges], root_row * joins)),
        origins=np.concatenate((items.edges, -joins)),
        pools=Pools(
            item_starts=np.append(forest.item_starts, np.int32(len(forest.items) + 1)),
            items=np.append(forest.items, np.int32(slot(0))),
            feature_starts=np.append(forest.feature_starts, forest.feature_starts[-1]),
            feature_indices=forest.feature_indices,
            feature_values=forest.feature_values,
            symbol_words=forest.symbol_words,
        ),
    )


@kernel
def _best(items: Items) -> tuple[float, Indices]:
    """The highest score of a whole derivation, and its edges in preorder; -inf and none if there is none.

    best(item) = max over its edges of score(edge) + Σ best(tail); edges come bottom-up.
    """
    bests = np.full(items.item_count, -np.inf)
    chosen = np.full(items.item_count, -1)
    for i in range(len(items.heads)):
        score = items.scores[i]
        for tail in items.tails[items.tail_starts[i] : items.tail_starts[i + 1]]:
            score += bests[tail]
        if score > bests[items.heads[i]]:
            bests[items.heads[i]], chosen[items.heads[i]] = score, i
    highest, root = -np.inf, -1
    for i in range(len(items.end_scores)):
        score = bests[items.first_end + i] + items.end_scores[i]
        if score > highest:
            highest, root = score, items.first_end + i
    edges = np.empty(64, dtype=np.int32)
    stack = np.empty(64, dtype=np.int64)
    stack[0] = root
    depth, size = (0 if root < 0 else 1), 0
    while depth:
        depth -= 1
        i = chosen[stack[depth]]
        edges = grown(edges, size)
        edges[size] = items.edges[i]
        size += 1
        for tail in items.tails[items.tail_starts[i] : items.tail_starts[i + 1]][::-1]:
            stack = grown(stack, depth)
            stack[depth] = tail
            depth += 1
    return highest, edges[:size].copy()
