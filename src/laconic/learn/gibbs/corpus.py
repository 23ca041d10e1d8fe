"""Pairs of aligned trees as flat arrays: all that a sampler knows of its data.

The nodes of all pairs stand one behind the other, sources and targets apart, each tree in preorder. What a source
node may be aligned to follows from the words. With W(v) the links of the words below v, a node without links may be
aligned to ε; one with links to any target node w with W(w) = W(v). These form a chain, from `tops` down to `bottoms`.
A node above v may have the same links, and then the tree constrains the two: what is aligned to the lower one stands
no higher than what is aligned to the upper one. Nodes of fewer links find lower partners of their own accord.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float64, Int32, UInt64
from laconic.errors import LaconicError
from laconic.grammar.grammar import AlignedTrees
from laconic.grammar.word_pcfg import Production, WordPcfg
from laconic.kernel import kernel
from laconic.learn.gibbs.hashing import mix_first, mix_second
from laconic.trees.alignment.constituents import Link, align_constituents, unlinked_nodes
from laconic.trees.constituency import Tree

Nodes = Int32
Hashes = UInt64

UNALIGNED, EPSILON, LINKED = np.int32(-2), np.int32(-1), np.int32(0)
"""What a source node is aligned to if to no target node; and any target node, where it does not matter which.

They have the type of nodes: kernels are compiled once for these, but for every plain number anew.
"""

_GRAIN = 2.0**-32


class Side(NamedTuple):
    """The nodes of all source trees or of all target trees: parents (-1 for roots), labels, and productions.

    A production is its logarithm and its two hashes; `factors` multiply what a node adds to the hashes of its parent.
    """

    parents: Nodes
    labels: Nodes
    logs: Float64
    first: Hashes
    second: Hashes
    factors: Hashes


class FlatPairs(NamedTuple):
    """Both sides, the choices of every source node, and the nodes that have any, with the numbers of their pairs.

    `linked_children` holds the child that has all the links of a node, `roots` the root of its target for the root of a
    source; elsewhere they are -1.
    """

    source: Side
    target: Side
    deletable: NDArray[np.bool_]
    tops: Nodes
    bottoms: Nodes
    linked_children: Nodes
    sites: Nodes
    site_pairs: Nodes
    roots: Nodes


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """The pairs of a sampler, where each begins among the nodes, and their arrays."""

    pairs: tuple[AlignedTrees, ...]
    grammar: WordPcfg
    labels: tuple[str, ...]
    source_starts: tuple[int, ...]
    target_starts: tuple[int, ...]
    arrays: FlatPairs

    @classmethod
    def of(
        cls, pairs: Iterable[AlignedTrees], *, on_error: Callable[[LaconicError], None] | None = None
    ) -> SampledPairs:
        """The pairs as arrays; one that has no derivation goes to `on_error`, or is an error."""
        usable = []
        for pair in pairs:
            try:
                _check(*pair)
            except LaconicError as error:
                if on_error is None:
                    raise
                on_error(error)
            else:
                usable.append(pair)
        if not usable:
            raise LaconicError("there is no pair of trees to sample derivations of")
        grammar = WordPcfg.from_trees(tree for source, target, _ in usable for tree in (source, target))
        labels = {label: None for source, target, _ in usable for label in source.labels + target.labels}
        numbers = {label: number for number, label in enumerate(labels)}
        source_starts = _starts([source for source, _, _ in usable])
        target_starts = _starts([target for _, target, _ in usable])
        arrays = FlatPairs(
            _side([source for source, _, _ in usable], grammar, numbers),
            _side([target for _, target, _ in usable], grammar, numbers),
            *_choices(usable, source_starts, target_starts),
        )
        return cls(tuple(usable), grammar, tuple(labels), source_starts, target_starts, arrays)

    @property
    def root_count(self) -> int:
        """The number of pairs of root labels, ε included on the target side."""
        return len(self.labels) * (len(self.labels) + 1)

    @property
    def fingerprint(self) -> str:
        """A digest of all that is sampled from."""
        digest = sha256()
        for array in (*self.arrays.source, *self.arrays.target, *self.arrays[2:]):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def exact(logarithms: Float64) -> Float64:
    """Logarithms to the nearest multiple of 2⁻³².

    Sums of these are exact while they stay below 2²⁰: they are the same in any order, and what is added can be
    taken away again without a trace.
    """
    rounded: Float64 = np.round(logarithms / _GRAIN) * _GRAIN
    return rounded


def _check(source: Tree, target: Tree, links: tuple[Link, ...]) -> None:
    """Raise an error if a pair has no derivation, or none whose frontiers are in the same order."""
    place = f"the pair {' '.join(source.words)[:60]!r} / {' '.join(target.words)[:60]!r}"
    if not links:
        raise LaconicError(f"{place} has no derivation: no word of the one is aligned to one of the other")
    ordered = sorted(set(links))
    for (_, before), (_, after) in pairwise(ordered):
        if after < before:
            raise LaconicError(
                f"{place} changes the order of words: derivations are sampled of pairs that only delete"
            )


def _starts(trees: list[Tree]) -> tuple[int, ...]:
    sizes = [len(tree.labels) for tree in trees]
    return tuple(int(start) for start in np.cumsum([0, *sizes]))


def _side(trees: list[Tree], grammar: WordPcfg, numbers: dict[str, int]) -> Side:
    productions = {production: number for number, production in enumerate(grammar.log_probabilities)}
    parents: list[int] = []
    labels: list[int] = []
    used: list[int] = []
    places: list[int] = []
    for tree in trees:
        before = len(parents)
        children_seen = [0] * len(tree.labels)
        for node, parent in enumerate(tree.parents):
            parents.append(parent if parent < 0 else before + parent)
            places.append(children_seen[parent] if node else 0)
            if node:
                children_seen[parent] += 1
            labels.append(numbers[tree.labels[node]])
            used.append(productions[Production.at(tree, node)])
    logs = exact(np.array(list(grammar.log_probabilities.values())))
    first, second, factors = _scattered(np.array(used, np.int64), np.array(places, np.int64))
    return Side(np.array(parents, np.int32), np.array(labels, np.int32), logs[used], first, second, factors)


@kernel
def _scattered(productions: NDArray[np.int64], places: NDArray[np.int64]) -> tuple[Hashes, Hashes, Hashes]:
    """The hashes of productions and, for a node's place among its siblings, an odd factor."""
    first = np.empty(len(productions), np.uint64)
    second = np.empty(len(productions), np.uint64)
    factors = np.empty(len(productions), np.uint64)
    for node in range(len(productions)):
        first[node] = mix_first(np.uint64(2 * productions[node] + 1))
        second[node] = mix_second(np.uint64(2 * productions[node] + 1))
        factors[node] = mix_first(mix_second(np.uint64(places[node] + 1))) | np.uint64(1)
    return first, second, factors


def _choices(
    pairs: list[AlignedTrees], source_starts: tuple[int, ...], target_starts: tuple[int, ...]
) -> tuple[NDArray[np.bool_], Nodes, Nodes, Nodes, Nodes, Nodes, Nodes]:
    count = source_starts[-1]
    deletable = np.zeros(count, np.bool_)
    tops = np.full(count, -1, np.int32)
    bottoms = np.full(count, -1, np.int32)
    linked_children = np.full(count, -1, np.int32)
    roots = np.full(count, -1, np.int32)
    for (source, target, links), start, target_start in zip(
        pairs, source_starts, target_starts, strict=False
    ):
        roots[start] = target_start
        deletable[[start + node for node in unlinked_nodes(source, (s for s, _ in links))]] = True
        for v, w in align_constituents(source, target, links):  # sorted: the highest w of each v first
            if tops[start + v] < 0:
                tops[start + v] = target_start + w
            bottoms[start + v] = target_start + w
        linked = np.zeros(len(source.words) + 1, np.int64)
        for s, _ in links:
            linked[s + 1] += 1
        before = np.cumsum(linked)
        amounts = before[list(source.ends)] - before[list(source.starts)]
        for node in range(1, len(source.labels)):
            if amounts[node] and amounts[node] == amounts[source.parents[node]]:
                linked_children[start + source.parents[node]] = start + node
    sites = np.flatnonzero((deletable | (tops >= 0)) & (roots < 0)).astype(np.int32)
    site_pairs = (np.searchsorted(source_starts, sites, side="right") - 1).astype(np.int32)
    return deletable, tops, bottoms, linked_children, sites, site_pairs, roots
