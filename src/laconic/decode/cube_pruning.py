"""The forest times an n-gram model: exactly, or within a beam by cube pruning.

The n-gram model sees words that different edges emit, so its score does not decompose over a forest.
It does over the forest whose nodes are *items*: a node of the forest with the first and the last
n - 1 words below it (Cohn and Lapata 2009, algorithm 4). Both ends are needed because templates
reorder. All items make an exact search, at a price exponential in n; cube pruning (Chiang 2007)
keeps only the most promising ones of every node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from laconic.decode.cube_search import EDGE, HEAD, TAILS, Edges, Items, Scorer, found_items
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.assembly import ordered_forest
from laconic.forest.derivation import Derivation
from laconic.forest.edges import EdgeArrays, Pools
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.shape import frozen, row_lengths
from laconic.ngram.model import NgramModel
from laconic.ngram.vocabulary import BEGIN, END

_ALL = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Beam:
    """How much of every node is searched: until so many different items, or so many in total, are found.

    Items that differ only in their derivation count once as `unique` and each time in `total`. Items are
    compared by their score and an estimate of what their first words, whose context is not yet known, will
    add: under all the context they have; under none, as in the paper, narrow beams err much more often.
    """

    unique: int = 200
    total: int = 500

    def __post_init__(self) -> None:
        if not 1 <= self.unique <= self.total:
            raise LaconicError(f"a beam needs 1 <= unique <= total, not {self.unique} and {self.total}")

    def within(self, unique: int) -> Beam:
        """The same beam, or one of the same proportions for no more than so many different items, at least one."""
        if unique >= self.unique:
            return self
        narrow = max(1, unique)
        return replace(self, unique=narrow, total=max(narrow, self.total * narrow // self.unique))


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
    the root has no beam, so that each of its edges stays: those of a limited forest lead to the possible costs.
    """
    items = _found(forest, model, symbol_ids, weight, beam, whole_root=whole_root)
    ends = np.flatnonzero(items.end_scores > -np.inf).astype(np.int32)
    if not len(ends):
        raise InfeasibleBudget("the scores and the language model rule out all derivations")
    root, joins = items.item_count, np.ones(len(ends), dtype=np.int32)
    rows = items.rows[order := np.argsort(items.rows[:, HEAD], kind="stable")]  # items are numbered bottom-up
    edges = rows[:, EDGE].astype(np.int32)
    arities = row_lengths(forest.tail_starts)[edges]
    tails = rows[:, TAILS:][np.arange(rows.shape[1] - TAILS) < arities[:, None]]
    pools, join_template, no_row = Pools(*(getattr(forest, name) for name in Pools._fields)).with_join()
    crossed = ordered_forest(
        node_count=root + 1,
        edges=EdgeArrays(
            heads=np.concatenate((rows[:, HEAD], root * joins)).astype(np.int32),
            tail_starts=np.cumsum(np.concatenate(([0], arities, joins)), dtype=np.int32),
            tails=np.concatenate((tails, root - len(items.end_scores) + ends)).astype(np.int32),
            scores=np.concatenate((items.scores[order], items.end_scores[ends])),
            templates=np.concatenate((forest.templates[edges], join_template * joins)),
            feature_rows=np.concatenate((forest.feature_rows[edges], no_row * joins)),
            origins=np.concatenate((edges, -joins)),
        ),
        pools=pools,
    )
    return Intersection(forest, crossed)


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
    return found_items(
        Scorer(
            model.tables,
            model.order - 1,
            float(weight),
            frozen(ids.astype(np.int64)),
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
        whole_root=whole_root,
    )
