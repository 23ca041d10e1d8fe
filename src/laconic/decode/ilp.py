"""Compressive parsing as an integer linear programme: the reference for the charts, projective or not.

Indicators are y(i, j): j follows i on the path; z(h, m): h is the head of m; s(h, p, m): the dependent of h
before m, counted from h outwards, is p, or there is none and p = h. A flow f(h, m) leaves the root along the
arcs, and every kept word takes one unit of it, which makes the arcs a tree. After Martins, Smith and Xing
(2009) and Thadani and McKeown (2013); solved by HiGHS.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from laconic.decode.chart.inputs import (
    check_arcs,
    check_bigrams,
    check_costs,
    check_limit,
    check_prices,
    check_siblings,
)
from laconic.decode.chart.rules import Float64
from laconic.decode.contract import Limit, Solution
from laconic.errors import InfeasibleBudget, LaconicError

try:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array
except ImportError:
    raise LaconicError("the solver comes with SciPy: pip install 'laconic[ilp]'") from None

_OPTIMAL, _STOPPED, _INFEASIBLE = 0, 1, 2  # what scipy's solver says at the end


class _Rows:
    """Linear constraints low <= Σ coefficient · variable <= high, collected one by one."""

    def __init__(self) -> None:
        self._columns: list[int] = []
        self._coefficients: list[float] = []
        self._ends: list[int] = [0]
        self._low: list[float] = []
        self._high: list[float] = []

    def add(
        self, plus: Iterable[int], minus: Iterable[int] = (), *, low: float = 0.0, high: float = 0.0
    ) -> None:
        """low <= Σ plus - Σ minus <= high."""
        for columns, sign in ((plus, 1.0), (minus, -1.0)):
            for column in columns:
                self.extend(column, sign)
        self.close(low, high)

    def extend(self, column: int, coefficient: float) -> None:
        """One more term of the constraint that `close` ends."""
        self._columns.append(column)
        self._coefficients.append(coefficient)

    def close(self, low: float, high: float) -> None:
        """The bounds of the terms given since the last constraint."""
        self._ends.append(len(self._columns))
        self._low.append(low)
        self._high.append(high)

    def constraint(self, variables: int) -> LinearConstraint:
        """All of them, as the solver wants them."""
        shape = (len(self._low), variables)
        matrix = csr_array((self._coefficients, self._columns, self._ends), shape=shape)
        return LinearConstraint(matrix, self._low, self._high)


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
        self._follows = {cell: column for column, cell in enumerate(follows)}
        self._governs = {cell: len(follows) + column for column, cell in enumerate(governs)}
        self._flows = {cell: len(governs) + column for cell, column in self._governs.items()}
        begin = len(follows) + 2 * len(governs)
        self._chains = {cell: begin + column for column, cell in enumerate(chains)}
        self._variables = begin + len(chains)
        rows = _Rows()
        self._shape_path_and_tree(rows, single_root)
        if projective:
            self._forbid_crossings(rows)
        if chains:
            self._chain_siblings(rows)
        self._constraint = rows.constraint(self._variables)

    def best(
        self, *, prices: ArrayLike | None = None, limit: Limit | None = None, seconds: float | None = None
    ) -> Solution:
        """The compression of highest score; an error if the solver has no proof of it within `seconds`."""
        values = check_prices(prices, self._words)
        pinned = values == np.inf
        objective = np.zeros(self._variables)
        upper = np.ones(self._variables)
        for (i, j), column in self._follows.items():
            paid = 0.0 if i == 0 or pinned[i - 1] else values[i - 1]
            objective[column] = self._bigram[i, j] + paid
        for cell, column in self._governs.items():
            objective[column] = self._arc[cell]
            upper[self._flows[cell]] = self._words
        for chain, column in self._chains.items():
            assert self._sibling is not None
            objective[column] = self._sibling[chain]
        upper[objective == -np.inf] = 0.0
        objective[objective == -np.inf] = 0.0

        constraints = [self._constraint]
        if limit is not None:
            check_limit(limit)
            amounts = check_costs(limit.costs, self._words)
            rows = _Rows()
            for (i, _), column in self._follows.items():
                if i > 0:
                    rows.extend(column, float(amounts[i - 1]))
            rows.close(limit.least, limit.most)
            constraints.append(rows.constraint(self._variables))
        if pinned.any():
            rows = _Rows()
            for word in np.flatnonzero(pinned):
                rows.add(self._leaving(int(word) + 1), low=1.0, high=1.0)
            constraints.append(rows.constraint(self._variables))
        integral = np.ones(self._variables)
        integral[list(self._flows.values())] = 0
        options = {"mip_rel_gap": 0.0} | ({} if seconds is None else {"time_limit": seconds})
        result = milp(
            -objective,
            integrality=integral,
            bounds=Bounds(0.0, upper),
            constraints=constraints,
            options=options,
        )
        if result.status == _INFEASIBLE:
            raise InfeasibleBudget("the scores, prices and limit rule out every compression")
        if result.status == _STOPPED:
            raise LaconicError(
                f"the solver found no proof within {seconds} seconds: allow more, or use the parser"
            )
        if result.status != _OPTIMAL:
            raise LaconicError(f"the solver failed: {result.message}")
        return self._read(result.x, objective)

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

    def _shape_path_and_tree(self, rows: _Rows, single_root: bool) -> None:
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
                rows.extend(self._governs[h, m], float(self._words))
                rows.extend(self._flows[h, m], -1.0)
                rows.close(0.0, np.inf)
                if h > 0:
                    # z(h, m) <= Σ_j y(h, j): implied by the flow, but not in the relaxation it starts from
                    rows.add(self._leaving(h), [self._governs[h, m]], high=np.inf)

    def _forbid_crossings(self, rows: _Rows) -> None:
        # z(a, b) + z(b, a) + Σ z(g, k) <= 1 for a < k < b and all g outside a … b. Two arcs that cross with
        # both dependents at the far ends escape, but then each head would be an ancestor of the other.
        end = self._words + 1
        for a in range(end):
            for b in range(a + 2, end):
                arcs = [self._governs[a, b]] + ([self._governs[b, a]] if a > 0 else [])
                for k in range(a + 1, b):
                    outside = [self._governs[g, k] for g in range(end) if g < a or g > b]
                    rows.add(arcs + outside, low=-np.inf, high=1.0)

    def _chain_siblings(self, rows: _Rows) -> None:
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
