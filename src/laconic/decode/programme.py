"""Integer linear programmes, stated variable by variable and constraint by constraint, and solved by HiGHS."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float64
from laconic.errors import InfeasibleBudget, LaconicError

Name = TypeVar("Name", bound=Hashable)
_HOME = os.getpid()
_OPTIMAL, _INFEASIBLE = 0, 2  # what the solver says at the end


@dataclass(frozen=True, slots=True)
class Roughly:
    """When the solver may stop: once it is within a share of the best, or has branched so often.

    Both are the same on every machine, as seconds are not.
    """

    gap: float
    branches: int

    def options(self) -> dict[str, object]:
        """The same in the solver's words."""
        return {"mip_rel_gap": self.gap, "node_limit": self.branches}


class Rows:
    """Linear constraints low <= Σ coefficient · variable <= high, collected one by one."""

    def __init__(self) -> None:
        self.columns: list[int] = []
        self.coefficients: list[float] = []
        self.ends: list[int] = [0]
        self.low: list[float] = []
        self.high: list[float] = []

    def add(
        self, plus: Iterable[int], minus: Iterable[int] = (), *, low: float = 0.0, high: float = 0.0
    ) -> None:
        """low <= Σ plus - Σ minus <= high."""
        self.weigh([*((column, 1.0) for column in plus), *((column, -1.0) for column in minus)], low, high)

    def weigh(self, terms: Iterable[tuple[int, float]], low: float, high: float) -> None:
        """low <= Σ coefficient · variable <= high, of terms (variable, coefficient)."""
        for column, coefficient in terms:
            self.columns.append(column)
            self.coefficients.append(coefficient)
        self.ends.append(len(self.columns))
        self.low.append(low)
        self.high.append(high)

    def matrix(self, variables: int) -> Float64:
        """The coefficients, a row for each constraint and a column for each of so many variables."""
        dense = np.zeros((len(self.low), variables))
        row = np.repeat(np.arange(len(self.low)), np.diff(self.ends))
        np.add.at(dense, (row, np.array(self.columns, dtype=np.int64)), self.coefficients)
        return dense

    def hold(self, chosen: Iterable[int]) -> bool:
        """Whether they do where these indicators are 1 and all others 0."""
        columns = np.array(self.columns, dtype=np.int64)
        values = np.zeros(1 + columns.max(initial=0))
        some = np.fromiter(chosen, np.int64)
        values[some[some < len(values)]] = 1.0
        row = np.repeat(np.arange(len(self.low)), np.diff(self.ends))
        totals = np.bincount(row, self.coefficients * values[columns], len(self.low))
        return bool(((totals >= self.low) & (totals <= self.high)).all())


class Programme:
    """Variables by name, of at least 0, and the constraints that they always keep.

    >>> programme = Programme()
    >>> apples, pears = programme.indicators(["apple", "pear"]).values()
    >>> programme.rows.add([apples, pears], high=1.0)
    >>> programme.maximised(np.array([1.0, 2.0])).round().astype(int).tolist()
    [0, 1]
    """

    def __init__(self) -> None:
        self.rows = Rows()
        self._upper: list[float] = []
        self._whole: list[bool] = []

    def indicators(self, names: Iterable[Name]) -> dict[Name, int]:
        """New variables that are 0 or 1, each with its number."""
        return self._variables(names, 1.0, whole=True)

    def amounts(self, names: Iterable[Name], most: float) -> dict[Name, int]:
        """New variables from 0 to `most`, each with its number."""
        return self._variables(names, most, whole=False)

    def __len__(self) -> int:
        return len(self._upper)

    def maximised(
        self,
        objective: Float64,
        more: Rows | None = None,
        *,
        roughly: Roughly | None = None,
    ) -> NDArray[np.float64]:
        """The values of the variables at which Σ objective · variable is greatest; -inf holds a variable at 0.

        `more` are constraints of this time alone. Where that is asked for, the values are `roughly` the best, and an
        error says whether none were found.
        """
        try:
            from scipy.optimize import Bounds, LinearConstraint, milp
            from scipy.sparse import csr_array
        except ImportError:
            raise LaconicError("the solver comes with SciPy: pip install 'laconic[ilp]'") from None

        possible = objective > -np.inf
        constraints = [
            LinearConstraint(
                csr_array((rows.coefficients, rows.columns, rows.ends), shape=(len(rows.low), len(self))),
                rows.low,
                rows.high,
            )
            for rows in (self.rows, more)
            if rows is not None and rows.low
        ]
        result = _called(
            milp,
            -np.where(possible, objective, 0.0),
            integrality=np.array(self._whole, dtype=np.int64),
            bounds=Bounds(0.0, np.where(possible, self._upper, 0.0)),
            constraints=constraints,
            # Presolving takes some programmes that nothing solves for an error of its own.
            options={"mip_rel_gap": 0.0, "presolve": False} | ({} if roughly is None else roughly.options()),
        )
        if roughly is not None:  # whyever it stopped
            if result.x is None:
                raise InfeasibleBudget("the solver found no compression")
            found: NDArray[np.float64] = result.x
            return found
        if result.status == _INFEASIBLE:
            raise InfeasibleBudget("the scores, prices and limit rule out every compression")
        if result.status != _OPTIMAL:
            raise LaconicError(f"the solver failed: {result.message}")
        values: NDArray[np.float64] = result.x
        return values

    def _variables(self, names: Iterable[Name], most: float, *, whole: bool) -> dict[Name, int]:
        numbers = {name: len(self) + place for place, name in enumerate(names)}
        self._upper += [most] * len(numbers)
        self._whole += [whole] * len(numbers)
        return numbers


def _called(solver: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What the solver says; after a fork it is asked on a new thread, which has threads of its own to help it.

    Those that helped the parent's are not in the child, and would be waited for without end.
    """
    if os.getpid() == _HOME:
        return solver(*arguments, **options)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(solver, *arguments, **options).result()
