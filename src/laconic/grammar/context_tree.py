"""Distributions over a few outcomes, given contexts of which the more general is used when the exact is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.arrays import Float64, Int32
from laconic.errors import LaconicError
from laconic.kernel import kernel
from laconic.storage import Content, Stored

_MOST_ODDS = 700.0  # logarithms of which exp is a number
_STEP = 2.0**-20  # of log-probabilities that were stored


class ContextArrays(NamedTuple):
    """A context tree for kernels: see `ContextTree`."""

    columns: Int32
    child_starts: Int32
    values: Int32
    log_probabilities: Float64


@dataclass(frozen=True, slots=True, eq=False)
class ContextTree:
    """ln p(outcome | context) for the most detailed part of a context that is known.

    A context is a row of numbers. `columns` says which of them are used, the most general first; node 0
    is the empty context, and below a node with d columns hang the known contexts that add a value for
    column `columns[d]`: node v has the children child_starts[v]:child_starts[v + 1], ascending by `values`.
    Row v of `log_probabilities` is the distribution at node v, which has taken its part from the nodes above.
    """

    columns: tuple[int, ...]
    child_starts: Int32
    values: Int32
    log_probabilities: Float64

    @property
    def node_count(self) -> int:
        """The number of contexts, the empty one included."""
        return len(self.values)

    @property
    def arrays(self) -> ContextArrays:
        """The tree as a kernel wants it."""
        columns = np.array(self.columns, dtype=np.int32)
        return ContextArrays(columns, self.child_starts, self.values, self.log_probabilities)

    def log_distribution(self, context: Sequence[int]) -> Float64:
        """ln p(· | context) at the deepest known part of the context."""
        row = np.asarray(context, dtype=np.int32)
        if row.ndim != 1 or len(row) <= max(self.columns, default=-1):
            raise LaconicError(f"a context has at least {max(self.columns) + 1} values, not {row.shape}")
        found: Float64 = self.log_probabilities[deepest(self.arrays, row)]
        return found

    def without(self, unwanted: ArrayLike) -> ContextTree:
        """The tree less the nodes marked, and all below them; their contexts use the nodes above."""
        parents = self.parents()
        gone = np.array(unwanted, dtype=np.bool_)
        gone[0] = False
        _spread(parents, gone)
        stays = ~gone
        numbers = np.cumsum(stays) - 1
        counts = np.bincount(numbers[parents[1:]][stays[1:]], minlength=int(stays.sum()))
        return ContextTree(
            self.columns,
            np.concatenate(([1], 1 + np.cumsum(counts))).astype(np.int32),
            self.values[stays],
            self.log_probabilities[stays],
        )

    def pruned(self, threshold: float) -> ContextTree:
        """The tree without contexts that say nearly the same as the one above, and below which nothing is left.

        They go if no log-probability differs from that above by `threshold` or more.
        """
        return self.without(_superfluous(self.parents(), self.log_probabilities, threshold))

    def parents(self) -> Int32:
        """The node above each node; -1 for the empty context."""
        above = np.repeat(np.arange(self.node_count, dtype=np.int32), np.diff(self.child_starts))
        return np.concatenate((np.array([-1], dtype=np.int32), above))

    def content(self) -> Content:
        """What a file holds: log-odds against outcome 0 in half precision, the rest as small as it fits.

        The columns are not among it: whoever knows what contexts mean knows them.
        """
        odds = self.log_probabilities[:, 1:] - self.log_probabilities[:, :1]
        odds = odds.clip(-_MOST_ODDS, _MOST_ODDS)
        counts = np.diff(self.child_starts)
        return Content(
            arrays={
                "counts": counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
                "values": self.values.astype(np.min_scalar_type(int(self.values.max(initial=0)))),
                "odds": odds.astype(np.float16),
            }
        )

    @classmethod
    def from_stored(cls, stored: Stored, columns: tuple[int, ...], *, outcomes: int) -> ContextTree:
        """The tree whose `content` was stored; arrays that make no tree are an error."""
        counts = stored.array("counts", np.unsignedinteger, (None,))
        nodes = len(counts)
        values = stored.array("values", np.unsignedinteger, (nodes,), high=np.iinfo(np.int32).max)
        odds = stored.array("odds", np.float16, (nodes, outcomes - 1), low=-_MOST_ODDS, high=_MOST_ODDS)
        child_starts = np.concatenate(([1], 1 + np.cumsum(counts, dtype=np.int64)))
        # Children come behind their parents, and every node but the first is a child.
        if child_starts[-1] != nodes or np.any(child_starts[:-1] <= np.arange(nodes)):
            raise stored.fault("counts", f"the children of each of {nodes} nodes", int(child_starts[-1]) - 1)
        scores = np.concatenate((np.zeros((nodes, 1)), odds.astype(np.float64)), axis=1)
        return cls(
            columns,
            child_starts.astype(np.int32),
            values.astype(np.int32),
            # NumPy's last bits depend on the processor's instructions; multiples of a step also add up exactly.
            np.rint((scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))) / _STEP) * _STEP,
        )


@kernel
def _superfluous(parents: Int32, log_probabilities: Float64, threshold: float) -> NDArray[np.bool_]:
    gone = np.ones(len(parents), dtype=np.bool_)
    for node in range(len(parents) - 1, 0, -1):
        above = parents[node]
        for outcome in range(log_probabilities.shape[1]):
            if abs(log_probabilities[node, outcome] - log_probabilities[above, outcome]) >= threshold:
                gone[node] = False
        # Children come behind their parents, so what is left below is known here.
        if not gone[node]:
            gone[above] = False
    return gone


@kernel
def _spread(parents: Int32, gone: NDArray[np.bool_]) -> None:
    """Mark what hangs below a marked node; parents come first."""
    for node in range(1, len(parents)):
        gone[node] = gone[node] or gone[parents[node]]


@kernel
def deepest(tree: ContextArrays, context: Int32) -> int:
    """The node of the longest known part of the context."""
    node = 0
    for column in tree.columns:
        low, high = tree.child_starts[node], tree.child_starts[node + 1]
        last = high
        wanted = context[column]
        while low < high:
            middle = (low + high) // 2
            if tree.values[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low == last or tree.values[low] != wanted:
            return node
        node = low
    return node
