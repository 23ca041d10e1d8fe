"""Edges of many tails cut into steps of two, without changing derivations, scores or yields."""

from __future__ import annotations

import numpy as np

from laconic.arrays import Int32
from laconic.forest.shape import UNIT, Shape, shape_of
from laconic.kernel import kernel


def cut(
    edge_starts: Int32,
    tail_starts: Int32,
    tails: Int32,
    templates: Int32,
    item_starts: Int32,
    items: Int32,
) -> tuple[Shape, Int32, Int32, Int32, bool]:
    """The shape of a forest whose nodes are numbered bottom-up, and what its parts emit.

    Edge e has part e + 1. One of k > 2 tails takes k - 2 steps before, each an item with one edge and a part of its
    own, in the order of its template: so each is the yield of a prefix of the template, and reordering needs no more
    than two tails. Returns the shape; the template of every part; all templates (CSR), those of the steps behind;
    and whether an edge that was cut reorders its tails.
    """
    new_starts, new_items, first_steps, reorders = _split_templates(item_starts, items)
    first, left, right, part, part_templates = _cut(
        edge_starts, tail_starts, tails, templates, item_starts, items, first_steps
    )
    return shape_of(first, left, right, part), part_templates, new_starts, new_items, reorders


@kernel
def _split_templates(item_starts: Int32, items: Int32) -> tuple[Int32, Int32, Int32, bool]:
    """The templates followed by the steps of those with more than two slots; where these begin; if any reorders.

    The first step ends with the second slot; each further one is what came before, as slot 0, and the items up to
    the next slot, as slot 1; the last one has also the items after the last slot.
    """
    count = len(item_starts) - 1
    slot_counts = np.zeros(count, np.int64)
    first_steps = np.full(count, -1, np.int32)
    steps, extra_items = 0, 0
    for template in range(count):
        for i in range(item_starts[template], item_starts[template + 1]):
            slot_counts[template] += items[i] < 0
        if slot_counts[template] > 2:
            first_steps[template] = count + steps
            steps += slot_counts[template] - 1
            extra_items += item_starts[template + 1] - item_starts[template] + slot_counts[template] - 2
    new_starts = np.empty(count + steps + 1, np.int32)
    new_items = np.empty(len(items) + extra_items, np.int32)
    for i in range(count + 1):
        new_starts[i] = item_starts[i]
    for i in range(len(items)):
        new_items[i] = items[i]
    size, step, reorders = len(items), count, False
    for template in range(count):
        if first_steps[template] < 0:
            continue
        slots = 0
        for i in range(item_starts[template], item_starts[template + 1]):
            new_items[size] = items[i] if items[i] >= 0 else -1 if slots == 0 else -2
            size += 1
            if items[i] < 0:
                reorders |= ~items[i] != slots
                slots += 1
                if 2 <= slots < slot_counts[template]:
                    step += 1
                    new_starts[step] = size
                    new_items[size] = -1
                    size += 1
        step += 1
        new_starts[step] = size
    return new_starts, new_items, first_steps, reorders


@kernel
def _cut(
    edge_starts: Int32,
    tail_starts: Int32,
    tails: Int32,
    templates: Int32,
    item_starts: Int32,
    items: Int32,
    first_steps: Int32,
) -> tuple[Int32, Int32, Int32, Int32, Int32]:
    edges, steps = len(tail_starts) - 1, 0
    for edge in range(edges):
        steps += max(0, tail_starts[edge + 1] - tail_starts[edge] - 2)
    nodes = len(edge_starts) - 1
    first = np.zeros(nodes + steps + 2, np.int32)
    left, right = np.full(edges + steps, UNIT, np.int32), np.full(edges + steps, UNIT, np.int32)
    part = np.empty(edges + steps, np.int32)
    part_templates = np.zeros(1 + edges + steps, np.int32)
    node_items = np.empty(nodes, np.int32)
    item, made, next_part = UNIT + 1, 0, edges + 1
    last_steps = np.empty(edges, np.int32)  # the item of what an edge that is cut joins before its last tail
    for node in range(nodes):
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            begin, arity = tail_starts[edge], tail_starts[edge + 1] - tail_starts[edge]
            template = templates[edge]
            slots = 0
            if arity > 2:
                for i in range(item_starts[template], item_starts[template + 1]):
                    if items[i] < 0 and slots < arity - 1:
                        tail = node_items[tails[begin + ~items[i]]]
                        if slots == 0:
                            left[made] = tail
                        else:
                            right[made], part[made] = tail, next_part
                            part_templates[next_part] = first_steps[template] + slots - 1
                            next_part += 1
                            made += 1
                            first[item + 1] = made
                            if slots < arity - 2:
                                left[made] = item
                            else:
                                last_steps[edge] = item
                            item += 1
                        slots += 1
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            begin, arity = tail_starts[edge], tail_starts[edge + 1] - tail_starts[edge]
            template = templates[edge]
            part[made] = edge + 1
            part_templates[edge + 1] = template if arity <= 2 else first_steps[template] + arity - 2
            if arity > 2:
                left[made] = last_steps[edge]
                for i in range(item_starts[template], item_starts[template + 1]):
                    if items[i] < 0:
                        right[made] = node_items[tails[begin + ~items[i]]]  # the last slot stays
            else:
                if arity > 0:
                    left[made] = node_items[tails[begin]]
                if arity > 1:
                    right[made] = node_items[tails[begin + 1]]
            made += 1
        first[item + 1] = made
        node_items[node] = item
        item += 1
    return first, left, right, part, part_templates
