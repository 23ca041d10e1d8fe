"""Derivations out of a table, from the goal down: the best, a sample, the k best."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator

import numpy as np

from laconic.decode.chart.rules import NONE, Float64, Int64, Rules, Table
from laconic.kernel import kernel


@kernel
def alternatives(
    rules: Rules, weights: Float64, costs: Int64, table: Table, item: int, cost: int
) -> tuple[Int64, Int64, Float64]:
    """All ways to prove an item at a cost: the rule, the cost of its left premise, the value."""
    values, offset, low, high = table
    begin, end = rules.first[item], rules.first[item + 1]
    room = 0
    for rule in range(begin, end):
        left = rules.left[rule]
        room += 1 if left < 0 else max(0, high[left] - low[left] + 1)
    chosen = np.empty(room, np.int64)
    split = np.empty(room, np.int64)
    value = np.empty(room)
    found = 0
    for rule in range(begin, end):
        if weights[rule] == -np.inf:
            continue
        left = rules.left[rule]
        right = rules.right[rule]
        rest = cost - costs[rule]
        # a + b = rest, with a and b in the ranges of the premises; no premise costs 0
        least = max(low[left] if left >= 0 else 0, rest - (high[right] if right >= 0 else 0))
        most = min(high[left] if left >= 0 else 0, rest - (low[right] if right >= 0 else 0))
        for a in range(least, most + 1):
            total = weights[rule]
            if left >= 0:
                total += values[offset[left] + a - low[left]]
            if right >= 0:
                total += values[offset[right] + rest - a - low[right]]
            if total > -np.inf:
                chosen[found] = rule
                split[found] = a
                value[found] = total
                found += 1
    return chosen[:found], split[:found], value[:found]


@kernel
def derive(rules: Rules, weights: Float64, costs: Int64, table: Table, cost: int, uniforms: Float64) -> Int64:
    """The rules of one derivation of the goal at a cost, in preorder.

    Without `uniforms`, the best one, ties to the first rule; with at least one uniform number in [0, 1)
    for each item, and a `soft` table, one drawn in proportion to exp(score).
    """
    count = len(rules.first) - 1
    used = np.empty(count, np.int64)
    size = 0
    items = np.empty(count, np.int64)
    amounts = np.empty(count, np.int64)
    items[0] = count - 1
    amounts[0] = cost
    height = 1
    while height > 0:
        height -= 1
        item = items[height]
        amount = amounts[height]
        chosen, split, value = alternatives(rules, weights, costs, table, item, amount)
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
        used[size] = rule
        size += 1
        if rules.right[rule] >= 0:
            items[height] = rules.right[rule]
            amounts[height] = amount - costs[rule] - split[pick]
            height += 1
        if rules.left[rule] >= 0:
            items[height] = rules.left[rule]
            amounts[height] = split[pick]
            height += 1
    return used[:size]


def best_first(rules: Rules, weights: Float64, costs: Int64, table: Table, within: range) -> Iterator[Int64]:
    """All derivations of the goal at the costs `within`, from the best down, as rules in preorder.

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
            chosen, split, value = alternatives(rules, weights, costs, table, item, cost)
            order = np.argsort(-value, kind="stable")
            known = ranked[item, cost] = (
                chosen[order].tolist(),
                split[order].tolist(),
                value[order].tolist(),
            )
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
        used: list[int] = []
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
            used.append(rule)
            ranks.append(rank)
            if rules.right[rule] != NONE:
                rest = amount - int(costs[rule]) - split[rank]
                stack.append((int(rules.right[rule]), rest))
            if rules.left[rule] != NONE:
                stack.append((int(rules.left[rule]), split[rank]))
        yield np.array(used, np.int64)
