"""The k best derivations out of a table, found lazily: algorithm 3 of Huang and Chiang (2005).

Where yields shall be distinct, every cell passes on the best derivation of each of its own yields, so that no time is
lost on what differs only in derivation. Yields are compared by 64 bits that mix their symbols: two of them are taken
for one by chance less than once in 10¹⁹ comparisons.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64, Int32, Int64, UInt64
from laconic.forest.heap import joined, without_first
from laconic.forest.shape import UNIT, Shape, Table, as_int64, longer
from laconic.kernel import kernel

Codes = UInt64

# The columns of partial derivations: the edge, cells and derivations of its tails, the next found in the same cell.
# -1 is none.
_EDGE, _LEFT_CELL, _RIGHT_CELL, _LEFT, _RIGHT, _NEXT = range(6)
_ROOT_EDGE = -1
# The columns of cells: the heap of candidates, the first and the last found, how many, whether there are no more,
# the derivation whose successors are due, and which of its tails comes next.
_HEAP, _FIRST_FOUND, _LAST_FOUND, _FOUND, _EXHAUSTED, _EXPANDING, _PLACE = range(7)


class Emissions(NamedTuple):
    """What the parts of a shape emit: part p emits template `templates[p]`, a row of `items`.

    Items are symbols, of at least 0, and -1 and -2 for what the left and the right tail emit. Unless yields are
    `ordered`, they are sets: two that emit the same symbols in another order are the same.
    """

    templates: Int32
    item_starts: Int32
    items: Int32
    ordered: bool


NO_EMISSIONS = Emissions(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int32), False)
for _array in NO_EMISSIONS[:3]:
    _array.setflags(write=False)


def k_best_parts(
    shape: Shape, scores: Float64, costs: Int64, table: Table, k: int, emissions: Emissions | None = None
) -> list[tuple[float, Int64]]:
    """The k best derivations of the goal at any cost of the table, best first: their scores and parts in preorder.

    With emissions, no yield comes twice. Equal scores come in the order in which they are found, which is always
    the same. O(k · derivation size · log k) in practice.
    """
    found, starts, parts = _k_best(shape, scores, costs, table, k, emissions or NO_EMISSIONS)
    return [
        (score, parts[begin:end])
        for score, begin, end in zip(found.tolist(), starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]


@kernel
def _k_best(
    shape: Shape, scores: Float64, costs: Int64, table: Table, k: int, emissions: Emissions
) -> tuple[Float64, Int64, Int64]:
    """Find the k best of the goal, and of the cells below as many as that takes.

    Every cell has a heap of candidates, at first each way to make it with the best of both tails, and a list of the
    derivations found, best first. The successors of one that is found become candidates when the next is asked for:
    the same with one tail replaced by the next in its list. To make none twice, the left tail is replaced only while
    the right one is the best; the derivation before a replacement never scores less, since rounded addition is
    monotone. One more cell, the root, joins the goal's.
    """
    values, offset, low, high = table
    root = len(values)
    distinct = len(emissions.templates) > 0
    cells = np.full((root + 1, 7), -1)
    for cell in range(root + 1):
        cells[cell, _FOUND] = cells[cell, _EXHAUSTED] = 0
    rows, links = np.full((256, 6), -1), np.full((256, 2), -1)
    totals = np.empty(256)
    codes = np.empty((256, 2), np.uint64)
    # The unit is derivation 0; there is no other.
    totals[0], codes[0, 0], codes[0, 1] = 0.0, np.uint64(0), np.uint64(1)
    cells[offset[UNIT], _FIRST_FOUND] = cells[offset[UNIT], _LAST_FOUND] = 0
    cells[offset[UNIT], _FOUND] = cells[offset[UNIT], _EXHAUSTED] = 1
    made = as_int64(1)

    # Requests for one more derivation of a cell, with its item; each waits for those above it.
    asked = np.empty(128, np.int64)
    asked[0], asked[1] = root, len(low) - 1
    opened = np.zeros(root + 1, np.bool_)
    depth = 1
    while depth > 0:
        cell, item = asked[2 * depth - 2], asked[2 * depth - 1]
        cost = cell - offset[item] + low[item]
        ask_cell, ask_edge, ask_right = -1, -1, False
        if not opened[cell]:
            opened[cell] = True
            goal = len(low) - 1
            begin = shape.first[item] if cell < root else low[goal]
            end = shape.first[item + 1] if cell < root else high[goal] + 1
            for number in range(begin, end):
                # At the root, the alternatives are the costs of the goal; elsewhere, edges and splits of the cost.
                left, right, rest, score = goal, 0, number, 0.0
                if cell < root:
                    part = shape.part[number]
                    left, right, score = shape.left[number], shape.right[number], scores[part]
                    rest = cost - costs[part]
                for a in range(max(low[left], rest - high[right]), min(high[left], rest - low[right]) + 1):
                    left_cell, right_cell = (
                        offset[left] + a - low[left],
                        offset[right] + rest - a - low[right],
                    )
                    value = score + values[left_cell]
                    value += values[right_cell]
                    if value > -np.inf:
                        if made == len(rows):
                            rows, links, totals, codes = _with_room(rows, links, totals, codes)
                        rows[made, _EDGE] = number if cell < root else _ROOT_EDGE
                        rows[made, _LEFT_CELL], rows[made, _RIGHT_CELL] = left_cell, right_cell
                        totals[made] = value
                        cells[cell, _HEAP] = joined(cells[cell, _HEAP], made, totals, links)
                        made += 1
            continue

        if cells[cell, _EXPANDING] >= 0:
            # The successors of the last one found: another left tail, then another right one.
            before = cells[cell, _EXPANDING]
            place = cells[cell, _PLACE]
            if place == 2:
                cells[cell, _EXPANDING] = -1
                continue
            tail_cell = rows[before, _LEFT_CELL + place]
            successor = rows[rows[before, _LEFT + place], _NEXT]
            if successor < 0 and cells[tail_cell, _EXHAUSTED] == 0:
                ask_cell, ask_edge, ask_right = tail_cell, rows[before, _EDGE], place == 1
            else:
                cells[cell, _PLACE] += 1
                if successor >= 0:
                    if made == len(rows):
                        rows, links, totals, codes = _with_room(rows, links, totals, codes)
                    for column in range(_NEXT):
                        rows[made, column] = rows[before, column]
                    rows[made, _LEFT + place] = successor
                    edge = rows[made, _EDGE]
                    totals[made] = 0.0 if edge < 0 else scores[shape.part[edge]]
                    totals[made] += totals[rows[made, _LEFT]]
                    totals[made] += totals[rows[made, _RIGHT]]
                    cells[cell, _HEAP] = joined(cells[cell, _HEAP], made, totals, links)
                    made += 1
        elif cells[cell, _HEAP] < 0:
            cells[cell, _EXHAUSTED] = 1
            depth -= 1
        else:
            best = cells[cell, _HEAP]
            for place in range(2):
                if rows[best, _LEFT + place] < 0:
                    rows[best, _LEFT + place] = cells[rows[best, _LEFT_CELL + place], _FIRST_FOUND]
                    if rows[best, _LEFT + place] < 0:
                        ask_cell, ask_edge = rows[best, _LEFT_CELL + place], rows[best, _EDGE]
                        ask_right = place == 1
            if ask_cell < 0:
                cells[cell, _HEAP] = without_first(best, totals, links)
                cells[cell, _EXPANDING] = best
                raised = rows[best, _RIGHT] != cells[rows[best, _RIGHT_CELL], _FIRST_FOUND]
                cells[cell, _PLACE] = 1 if raised else 0
                known = False
                if distinct:
                    _encode(best, shape, emissions, rows, codes)
                    other = cells[cell, _FIRST_FOUND]
                    while other >= 0 and not known:
                        known = codes[other, 0] == codes[best, 0] and codes[other, 1] == codes[best, 1]
                        other = rows[other, _NEXT]
                if not known:
                    if cells[cell, _LAST_FOUND] < 0:
                        cells[cell, _FIRST_FOUND] = best
                    else:
                        rows[cells[cell, _LAST_FOUND], _NEXT] = best
                    cells[cell, _LAST_FOUND] = best
                    cells[cell, _FOUND] += 1
                    if cell < root or cells[cell, _FOUND] == k:
                        depth -= 1

        if ask_cell >= 0:
            if 2 * depth + 2 > len(asked):
                asked = longer(asked)
            tail = len(low) - 1
            if ask_edge >= 0:
                tail = shape.right[ask_edge] if ask_right else shape.left[ask_edge]
            asked[2 * depth], asked[2 * depth + 1] = ask_cell, tail
            depth += 1

    count = cells[root, _FOUND]
    found = np.empty(count)
    starts = np.zeros(count + 1, np.int64)
    parts = np.empty(256, np.int64)
    stack = np.empty(256, np.int64)
    size, derivation = 0, cells[root, _FIRST_FOUND]
    for rank in range(count):
        found[rank] = totals[derivation]
        stack[0] = derivation
        height = 1
        while height > 0:
            height -= 1
            below = stack[height]
            if below == 0:
                continue
            if size == len(parts):
                parts = longer(parts)
            if height + 2 > len(stack):
                stack = longer(stack)
            if rows[below, _EDGE] >= 0:
                parts[size] = shape.part[rows[below, _EDGE]]
                size += 1
            stack[height], stack[height + 1] = rows[below, _RIGHT], rows[below, _LEFT]
            height += 2
        starts[rank + 1] = size
        derivation = rows[derivation, _NEXT]
    return found, starts, parts[:size].copy()


@kernel
def _with_room(
    rows: Int64, links: Int64, totals: Float64, codes: Codes
) -> tuple[Int64, Int64, Float64, Codes]:
    """All tables twice as long."""
    size = len(rows)
    more_rows, more_links = np.full((2 * size, 6), -1), np.full((2 * size, 2), -1)
    more_totals, more_codes = np.empty(2 * size), np.empty((2 * size, 2), np.uint64)
    for i in range(size):
        more_totals[i] = totals[i]
        for j in range(6):
            more_rows[i, j] = rows[i, j]
        for j in range(2):
            more_links[i, j] = links[i, j]
            more_codes[i, j] = codes[i, j]
    return more_rows, more_links, more_totals, more_codes


@kernel
def _encode(best: int, shape: Shape, emissions: Emissions, rows: Int64, codes: Codes) -> None:
    """The code of a yield is Σ mix(symbol) · base^(symbols after it), beside base^(symbols); unordered, base is 1."""
    base = np.uint64(0xD1342543DE82EF95) if emissions.ordered else np.uint64(1)
    code, power = np.uint64(0), np.uint64(1)
    edge = rows[best, _EDGE]
    if edge < 0:
        code, power = codes[rows[best, _LEFT], 0], codes[rows[best, _LEFT], 1]
    else:
        template = emissions.templates[shape.part[edge]]
        for i in range(emissions.item_starts[template], emissions.item_starts[template + 1]):
            item = emissions.items[i]
            if item >= 0:
                mixed = np.uint64(item + 1) * np.uint64(0x9E3779B97F4A7C15)
                mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                code, power = code * base + mixed, power * base
            else:
                tail = rows[best, _LEFT - 1 - item]
                code, power = code * codes[tail, 1] + codes[tail, 0], power * codes[tail, 1]
    codes[best, 0], codes[best, 1] = code, power
