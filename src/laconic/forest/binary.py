"""Edges of many tails cut into steps of two, without changing derivations, scores or yields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from laconic.forest.assembly import Pools, assemble
from laconic.forest.hypergraph import Floats, Hypergraph, Indices
from laconic.kernel import kernel


def binarised(forest: Hypergraph) -> Hypergraph:
    """The same forest with at most two tails to an edge; the origin of an edge is the given forest's.

    An edge of k > 2 tails becomes k - 1 edges over new nodes, each the yield of a prefix of its
    template, so that reordering needs no more than two tails. The last of them, at the old head, has
    the score, the features and the origin; the others score 0, have no features and the origin -1.
    """
    if np.diff(forest.tail_starts).max(initial=0) <= 2:
        return replace(forest, origins=np.arange(forest.edge_count, dtype=np.int32))
    item_starts, items, first_parts = _split_templates(forest.item_starts, forest.items)
    pools = Pools(
        item_starts=item_starts,
        items=items,
        feature_starts=np.append(forest.feature_starts, forest.feature_starts[-1]),
        feature_indices=forest.feature_indices,
        feature_values=forest.feature_values,
        symbol_words=forest.symbol_words,
    )
    node_count, heads, tail_starts, tails, scores, templates, feature_rows, origins = _split_edges(
        forest.node_count,
        forest.heads,
        forest.tail_starts,
        forest.tails,
        forest.scores,
        forest.templates,
        forest.item_starts,
        forest.items,
        first_parts,
        forest.feature_rows,
        len(forest.feature_starts) - 1,
    )
    return assemble(
        forest.root,
        node_count=node_count,
        heads=heads,
        tail_starts=tail_starts,
        tails=tails,
        scores=scores,
        templates=templates,
        feature_rows=feature_rows,
        origins=origins,
        pools=pools,
    )


@kernel
def _split_templates(item_starts: Indices, items: Indices) -> tuple[Indices, Indices, Indices]:
    """The templates followed by the parts of those with more than two slots, and where these begin.

    The first part ends with the second slot; each further one is what came before, as slot 0, and the
    items up to the next slot, as slot 1; the last one has also the items after the last slot.
    """
    count = len(item_starts) - 1
    slot_counts = np.zeros(count, dtype=np.int32)
    first_parts = np.full(count, -1, dtype=np.int32)
    parts, extra_items = 0, 0
    for template in range(count):
        for i in range(item_starts[template], item_starts[template + 1]):
            slot_counts[template] += items[i] < 0
        if slot_counts[template] > 2:
            first_parts[template] = count + parts
            parts += slot_counts[template] - 1
            extra_items += item_starts[template + 1] - item_starts[template] + slot_counts[template] - 2
    new_starts = np.empty(count + parts + 1, dtype=np.int32)
    new_items = np.empty(len(items) + extra_items, dtype=np.int32)
    new_starts[: count + 1] = item_starts
    new_items[: len(items)] = items
    size, part = len(items), count
    for template in range(count):
        if first_parts[template] < 0:
            continue
        slots = 0
        for i in range(item_starts[template], item_starts[template + 1]):
            new_items[size] = items[i] if items[i] >= 0 else -1 if slots == 0 else -2
            size += 1
            slots += items[i] < 0
            if items[i] < 0 and 2 <= slots < slot_counts[template]:
                part += 1
                new_starts[part] = size
                new_items[size] = -1
                size += 1
        part += 1
        new_starts[part] = size
    return new_starts, new_items, first_parts


@kernel
def _split_edges(
    node_count: int,
    heads: Indices,
    tail_starts: Indices,
    tails: Indices,
    scores: Floats,
    templates: Indices,
    item_starts: Indices,
    items: Indices,
    first_parts: Indices,
    feature_rows: Indices,
    no_features: int,
) -> tuple[int, Indices, Indices, Indices, Floats, Indices, Indices, Indices]:
    count, tail_count = 0, 0
    for edge in range(len(heads)):
        arity = tail_starts[edge + 1] - tail_starts[edge]
        count += max(1, arity - 1)
        tail_count += arity if arity <= 2 else 2 * (arity - 1)
    new_heads = np.empty(count, dtype=np.int32)
    new_tail_starts = np.zeros(count + 1, dtype=np.int32)
    new_tails = np.empty(tail_count, dtype=np.int32)
    new_scores = np.zeros(count)
    new_templates = np.empty(count, dtype=np.int32)
    new_rows = np.full(count, no_features, dtype=np.int32)
    origins = np.full(count, -1, dtype=np.int32)
    made, size = 0, 0
    for edge in range(len(heads)):
        first, arity = tail_starts[edge], tail_starts[edge + 1] - tail_starts[edge]
        if arity <= 2:
            new_templates[made] = templates[edge]
            new_tails[size : size + arity] = tails[first : first + arity]
            size += arity
        else:
            new_templates[made] = first_parts[templates[edge]]
            slots = 0
            for i in range(item_starts[templates[edge]], item_starts[templates[edge] + 1]):
                if items[i] >= 0:
                    continue
                new_tails[size] = tails[first + ~items[i]]
                size += 1
                slots += 1
                if (
                    2 <= slots < arity
                ):  # a new node for what is joined so far, the first tail of the next step
                    new_heads[made] = node_count
                    new_tail_starts[made + 1] = size
                    made += 1
                    new_templates[made] = new_templates[made - 1] + 1
                    new_tails[size] = node_count
                    size += 1
                    node_count += 1
        new_heads[made] = heads[edge]
        new_tail_starts[made + 1] = size
        new_scores[made] = scores[edge]
        new_rows[made] = feature_rows[edge]
        origins[made] = edge
        made += 1
    return node_count, new_heads, new_tail_starts, new_tails, new_scores, new_templates, new_rows, origins
