"""Derivations out of a table, from the goal down: the best, a sample, the k best."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator

import numpy as np

from laconic.decode.chart.rules import UNIT, Float64, Int64, Rules, Table
from laconic.kernel import kernel


@kernel
def alternatives(
    rules: Rules, scores: Float64, costs: Int64, table: Table, item: int, cost: int
) -> tuple[Int64, Int64, Float64]:
    """All ways to prove an item at a cost: the rule, the cost of its left premise, the value."""
    values, offset, low, high = table
    first, left, right, part = rules
    room = 0
    for rule in range(first[item], first[item + 1]):
        room += max(0, high[left[rule]] - low[left[rule]] + 1)
    chosen = np.empty(room, np.int64)
    split = np.empty(room, np.int64)
    value = np.empty(room)
    found = 0
    for rule in range(first[item], first[item + 1]):
        one, other = left[rule], right[rule]
        rest = cost - costs[part[rule]]
        for a in range(max(low[one], rest - high[other]), min(high[one], rest - low[other]) + 1):
            total = scores[part[rule]] + values[offset[one] + a - low[one]]
            total += values[offset[other] + rest - a - low[other]]
            if total > -np.inf:
                chosen[found] = rule
                split[found] = a
                value[found] = total
                found += 1
    return chosen[:found], split[:found], value[:found]


@kernel
def derive(rules: Rules, scores: Float64, costs: Int64, table: Table, cost: int, uniforms: Float64) -> Int64:
    """The parts of one derivation of the goal at a cost.

    Without `uniforms`, the best one, ties to the first rule; with a uniform number in [0, 1) for each item,
    and a table of log sums, one drawn in proportion to exp(score).
    """
    count = len(rules.first) - 1
    parts = np.empty(count, np.int64)
    items = np.empty(count, np.int64)
    amounts = np.empty(count, np.int64)
    items[0] = count - 1
    amounts[0] = cost
    height = 1
    size = 0
    while height > 0:
        height -= 1
        item, amount = items[height], amounts[height]
        chosen, split, value = alternatives(rules, scores, costs, table, item, amount)
        pick = len(value) - 1
        if len(uniforms) == 0:
            pick = int(np.argmax(value))
        else:
            whole = table.values[table.offset[item] + amount - table.low[item]]
            passed = 0.0
            for option in range(len(value)):
                passed += np.exp(value[option] - whole)
                if passed > uniforms[size]:
                    pick = option
                    break
        rule = chosen[pick]
        parts[size] = rules.part[rule]
        size += 1
        if rules.right[rule] != UNIT:
            items[height] = rules.right[rule]
            amounts[height] = amount - costs[rules.part[rule]] - split[pick]
            height += 1
        if rules.left[rule] != UNIT:
            items[height] = rules.left[rule]
            amounts[height] = split[pick]
            height += 1
    return parts[:size]


def best_first(rules: Rules, scores: Float64, costs: Int64, table: Table, within: range) -> Iterator[Int64]:
    """All derivations of the goal at the costs `within`, from the best down, as their parts.

    A derivation is the list, in preorder, of the ranks of its choices among the alternatives of each
    item. The one that follows from another by taking the next alternative at some place, and the best
    ones after it, scores as much less as the two alternatives differ: each derivation has exactly one
    such predecessor, none scores more than it, and so a heap yields all of them in order. A derivation
    of s items costs O(s) pushes.
    """
    ranked: dict[tuple[int, int], tuple[list[int], list[int], list[float]]] = {}

    def ranking(item: int, cost: int) -> tuple[list[int], list[int], list[float]]:
        known = ranked.get((item, cost))
        if known is None:
            chosen, split, value = alternatives(rules, scores, costs, table, item, cost)
            order = np.argsort(-value, kind="stable")
            known = (chosen[order].tolist(), split[order].tolist(), value[order].tolist())
            ranked[item, cost] = known
        return known

    goal = len(rules.first) - 2
    # (minus the score, order of discovery, cost, ranks of the predecessor, the place that differs, its rank)
    heap: list[tuple[float, int, int, list[int], int, int]] = []
    discovered = itertools.count()
    for cost in within:
        values = ranking(goal, cost)[2]
        if values:
            heapq.heappush(heap, (-values[0], next(discovered), cost, [], 0, 0))
    while heap:
        negative, _, cost, before, change, changed_rank = heapq.heappop(heap)
        parts: list[int] = []
        ranks: list[int] = []
        stack = [(goal, cost)]
        while stack:
            item, amount = stack.pop()
            place = len(ranks)
            rank = before[place] if place < change else changed_rank if place == change else 0
            chosen, split, values = ranking(item, amount)
            if place >= change and rank + 1 < len(values):
                lower = negative + values[rank] - values[rank + 1]
                heapq.heappush(heap, (lower, next(discovered), cost, ranks, place, rank + 1))
            rule = chosen[rank]
            ranks.append(rank)
            part, left, right = int(rules.part[rule]), int(rules.left[rule]), int(rules.right[rule])
            parts.append(part)
            if right != UNIT:
                stack.append((right, amount - int(costs[part]) - split[rank]))
            if left != UNIT:
                stack.append((left, split[rank]))
        yield np.array(parts, np.int64)
