"""Edges as arrays, with the pools that they share, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

from laconic.arrays import Float64, Int32
from laconic.errors import LaconicError
from laconic.forest.hypergraph import node_name, slot
from laconic.forest.shape import frozen
from laconic.kernel import inner_kernel, kernel

_NO_FAULT, _HEAD, _TAIL, _TEMPLATE, _ROW, _ITEM, _COPY, _FEATURE, _SLOTS = range(9)


class Pools(NamedTuple):
    """What edges share: templates (CSR), feature rows (CSR) and the source word of each symbol."""

    item_starts: Int32
    items: Int32
    feature_starts: Int32
    feature_indices: Int32
    feature_values: Float64
    symbol_words: Int32

    def owned(self) -> Pools:
        """The same arrays, copied where somebody could change them: all of one type for the kernels."""
        arrays: Iterable[Any] = (array.copy() if array.flags.writeable else array for array in self)
        return Pools(*map(frozen, arrays))

    def with_join(self) -> tuple[Pools, int, int]:
        """Those of a forest with one more template, slot 0 alone, and one more row of no features; their numbers."""
        joined = self._replace(
            item_starts=_behind(self.item_starts, len(self.items) + 1),
            items=_behind(self.items, slot(0)),
            feature_starts=_behind(self.feature_starts, self.feature_starts[-1]),
        )
        return joined, len(self.item_starts) - 1, len(self.feature_starts) - 1


def _behind(numbers: Int32, last: int) -> Int32:
    return frozen(np.concatenate((numbers, [last]), dtype=np.int32))


class EdgeArrays(NamedTuple):
    """Edges by what each has: a head, tails (CSR), a score, a template and a row of the pools, and whence it came."""

    heads: Int32
    tail_starts: Int32
    tails: Int32
    scores: Float64
    templates: Int32
    feature_rows: Int32
    origins: Int32


def check_edges(node_count: int, edges: EdgeArrays, pools: Pools, keys: tuple[Hashable, ...]) -> None:
    """Raise an error that names the first thing in edges or pools that does not exist or does not fit."""
    heads, tail_starts, tails, _, templates, feature_rows, _ = edges

    def edge_text(edge: int) -> str:
        head = int(heads[edge])
        return f"edge {edge} of node {node_name(head, keys) if 0 <= head < node_count else head}"

    fault, place = _first_fault(node_count, heads, tail_starts, tails, templates, feature_rows, pools)
    if fault == _HEAD:
        raise LaconicError(f"{edge_text(place)}: outside a forest of {node_count} nodes")
    if fault == _TAIL:
        edge = int(np.searchsorted(tail_starts, place, side="right")) - 1
        raise LaconicError(
            f"{edge_text(edge)} has tail {tails[place]}: no such node in a forest of {node_count} nodes"
        )
    if fault == _TEMPLATE:
        raise LaconicError(f"{edge_text(place)} has template {templates[place]}, which does not exist")
    if fault == _ROW:
        raise LaconicError(f"{edge_text(place)} has feature row {feature_rows[place]}, which does not exist")
    if fault == _ITEM:
        raise LaconicError(
            f"symbol {pools.items[place]} is emitted, but only {len(pools.symbol_words)} symbols are declared"
        )
    if fault == _COPY:
        raise LaconicError(
            f"symbol {place} copies word {pools.symbol_words[place]}; words count from 0, -1 is none"
        )
    if fault == _FEATURE:
        index, value = pools.feature_indices[place], pools.feature_values[place]
        raise LaconicError(f"feature {index} has value {value}; features count from 0 and have finite values")
    if fault == _SLOTS:
        raise LaconicError(
            f"{edge_text(place)} has {tail_starts[place + 1] - tail_starts[place]} tails; "
            "its template must hold each slot once"
        )


@kernel
def _first_fault(
    node_count: int,
    heads: Int32,
    tail_starts: Int32,
    tails: Int32,
    templates: Int32,
    feature_rows: Int32,
    pools: Pools,
) -> tuple[int, int]:
    """The first kind of fault that there is, and its first place."""
    head, tail = _outside(heads, node_count), _outside(tails, node_count)
    template = _outside(templates, len(pools.item_starts) - 1)
    row = _outside(feature_rows, len(pools.feature_starts) - 1)
    if head >= 0:
        return _HEAD, head
    if tail >= 0:
        return _TAIL, tail
    if template >= 0:
        return _TEMPLATE, template
    if row >= 0:
        return _ROW, row
    for place in range(len(pools.items)):
        if pools.items[place] >= len(pools.symbol_words):
            return _ITEM, place
    for symbol in range(len(pools.symbol_words)):
        if pools.symbol_words[symbol] < -1:
            return _COPY, symbol
    for place in range(len(pools.feature_indices)):
        if pools.feature_indices[place] < 0 or not np.isfinite(pools.feature_values[place]):
            return _FEATURE, place
    for edge in range(len(heads)):
        first, last = pools.item_starts[templates[edge]], pools.item_starts[templates[edge] + 1]
        if not _holds_slots(pools.items, first, last, tail_starts[edge + 1] - tail_starts[edge]):
            return _SLOTS, edge
    return _NO_FAULT, 0


@inner_kernel
def _outside(numbers: Int32, count: int) -> int:
    """The first place of a number that is not below the count; -1 if there is none."""
    for place in range(len(numbers)):
        if not 0 <= numbers[place] < count:
            return place
    return -1


@inner_kernel
def _holds_slots(items: Int32, begin: int, end: int, count: int) -> bool:
    """Whether the slots among the items are 0, 1, … up to a count, each exactly once."""
    held = 0
    for place in range(begin, end):
        if items[place] < 0:
            held += 1
            if ~items[place] >= count:
                return False
            for other in range(begin, place):
                if items[other] == items[place]:
                    return False
    return held == count
