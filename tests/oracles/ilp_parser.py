"""Compressive parsing as an integer linear programme: the reference for the charts, projective or not.

Indicators are y(i, j): j follows i on the path; z(h, m): h is the head of m; s(h, p, m): the dependent of h
before m, counted from h outwards, is p, or there is none and p = h. A flow f(h, m) leaves the root along the
arcs, and every kept word takes one unit of it, which makes the arcs a tree. After Martins, Smith and Xing
(2009) and Thadani and McKeown (2013); solved by HiGHS.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64
from laconic.decode.contract import Limit, Solution
from laconic.decode.inputs import (
    check_arcs,
    check_bigrams,
    check_costs,
    check_limit,
    check_prices,
    check_siblings,
)
from laconic.decode.programme import Programme, Rows


class IlpParser:
    """The problem of `CompressiveParser`, from the same scores, for a general solver.

    Unless `projective`, arcs may cross, which no chart allows: the optimum is then at least the parser's.
    Exponential in the worst case: it is here to judge the charts and to be compared with them.
    """

    def __init__(
        self,
        arc: ArrayLike,
        bigram: ArrayLike,
        *,
        sibling: ArrayLike | None = None,
        single_root: bool = True,
        projective: bool = True,
    ) -> None:
        self._bigram = check_bigrams(bigram)
        self._words = len(self._bigram) - 2
        self._arc = check_arcs(arc, self._words)
        self._sibling = None if sibling is None else check_siblings(sibling, self._words)
        end = self._words + 1
        # The variables and their columns; the path that keeps no word is not among them.
        follows = [(i, j) for i in range(end) for j in range(i + 1, end + 1) if j - i < end]
        governs = [(h, m) for h in range(end) for m in range(1, end) if h != m]
        chains = [
            (h, p, m)
            for h, m in governs
            for p in (h, *range(min(h, m) + 1, max(h, m)))
            if self._sibling is not None
        ]
        self._programme = Programme()
        self._follows = self._programme.indicators(follows)
        self._governs = self._programme.indicators(governs)
        self._flows = self._programme.amounts(governs, self._words)
        self._chains = self._programme.indicators(chains)
        self._shape_path_and_tree(self._programme.rows, single_root)
        if projective:
            self._forbid_crossings(self._programme.rows)
        if chains:
            self._chain_siblings(self._programme.rows)

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score."""
        values = check_prices(prices, self._words)
        pinned = values == np.inf
        objective = np.zeros(len(self._programme))
        for (i, j), column in self._follows.items():
            paid = 0.0 if i == 0 or pinned[i - 1] else values[i - 1]
            objective[column] = self._bigram[i, j] + paid
        for cell, column in self._governs.items():
            objective[column] = self._arc[cell]
        for chain, column in self._chains.items():
            assert self._sibling is not None
            objective[column] = self._sibling[chain]
        rows = Rows()
        if limit is not None:
            check_limit(limit, counts_gaps=False)
            amounts = check_costs(limit.costs, self._words)
            terms = [(column, float(amounts[i - 1])) for (i, _), column in self._follows.items() if i > 0]
            rows.weigh(terms, limit.least, limit.most)
        for word in np.flatnonzero(pinned).tolist():
            rows.add(self._leaving(word + 1), low=1.0, high=1.0)
        return self._read(self._programme.maximised(objective, rows), objective)

    def _read(self, solution: Float64, objective: Float64) -> Solution:
        chosen = solution > 0.5
        chosen[list(self._flows.values())] = False
        kept = sorted(i - 1 for (i, _), column in self._follows.items() if i > 0 and chosen[column])
        head_of = {m: h for (h, m), column in self._governs.items() if chosen[column]}
        place = {word + 1: index for index, word in enumerate(kept)} | {0: -1}
        heads = tuple(place[head_of[word + 1]] for word in kept)
        return Solution(float(objective[chosen].sum()), tuple(kept), heads)

    def _leaving(self, position: int) -> list[int]:
        return [self._follows[position, j] for j in range(position + 1, self._words + 2)]

    def _shape_path_and_tree(self, rows: Rows, single_root: bool) -> None:
        end = self._words + 1
        # Σ_j y(0, j) = 1
        rows.add([self._follows[0, j] for j in range(1, end)], low=1.0, high=1.0)
        if single_root:
            # Σ_m z(0, m) = 1
            rows.add([self._governs[0, m] for m in range(1, end)], low=1.0, high=1.0)
        for m in range(1, end):
            leaving = self._leaving(m)
            heads = [h for h in range(end) if h != m]
            # Σ_i y(i, m) = Σ_j y(m, j): the path goes on. Σ_h z(h, m) = Σ_j y(m, j): kept words have a head.
            rows.add([self._follows[i, m] for i in range(m)], leaving)
            rows.add([self._governs[h, m] for h in heads], leaving)
            # Σ_h f(h, m) - Σ_k f(m, k) = Σ_j y(m, j): each kept word takes one unit of the flow
            onward = [self._flows[m, k] for k in range(1, end) if k != m]
            rows.add([self._flows[h, m] for h in heads], onward + leaving)
            for h in heads:
                # z(h, m) <= f(h, m) <= n z(h, m)
                rows.add([self._flows[h, m]], [self._governs[h, m]], high=np.inf)
                rows.weigh([(self._governs[h, m], self._words), (self._flows[h, m], -1.0)], 0.0, np.inf)
                if h > 0:
                    # z(h, m) <= Σ_j y(h, j): implied by the flow, but not in the relaxation it starts from
                    rows.add(self._leaving(h), [self._governs[h, m]], high=np.inf)

    def _forbid_crossings(self, rows: Rows) -> None:
        # z(a, b) + z(b, a) + Σ z(g, k) <= 1 for a < k < b and all g outside a … b. Two arcs that cross with
        # both dependents at the far ends escape, but then each head would be an ancestor of the other.
        end = self._words + 1
        for a in range(end):
            for b in range(a + 2, end):
                arcs = [self._governs[a, b]] + ([self._governs[b, a]] if a > 0 else [])
                for k in range(a + 1, b):
                    outside = [self._governs[g, k] for g in range(end) if g < a or g > b]
                    rows.add(arcs + outside, low=-np.inf, high=1.0)

    def _chain_siblings(self, rows: Rows) -> None:
        # Σ_p s(h, p, m) = z(h, m): one predecessor. Σ_m s(h, p, m) <= z(h, p), and <= 1 for p = h on each
        # side: at most one successor. As predecessors lie nearer to the head, each side is one chain.
        before: dict[tuple[int, int], list[int]] = {}
        after: dict[tuple[int, int, bool], list[int]] = {}
        for (h, p, m), column in self._chains.items():
            before.setdefault((h, m), []).append(column)
            after.setdefault((h, p, m > h), []).append(column)
        for arc, columns in before.items():
            rows.add(columns, [self._governs[arc]])
        for (h, p, _), columns in after.items():
            if p == h:
                rows.add(columns, low=-np.inf, high=1.0)
            else:
                rows.add(columns, [self._governs[h, p]], low=-np.inf)
