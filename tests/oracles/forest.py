"""The twin of the forest: pure Python that enumerates every derivation, and the plain recurrence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from typing import Any

from laconic.forest.hypergraph import Hypergraph


def edges_of(forest: Hypergraph, node: int) -> range:
    """The edges with this head."""
    return range(int(forest.edge_starts[node]), int(forest.edge_starts[node + 1]))


@dataclass(frozen=True)
class Enumerated:
    """One derivation: edges in preorder, score, yield."""

    edges: tuple[int, ...]
    score: float
    symbols: tuple[int, ...]


class ForestTwin:
    """All derivations of a forest that score above -inf, and every query by brute force over them."""

    def __init__(self, forest: Hypergraph) -> None:
        self.forest = forest

    @cached_property
    def derivations(self) -> list[Enumerated]:
        return [derivation for derivation in self._below(self.forest.root) if derivation.score > -math.inf]

    def _below(self, node: int) -> Iterator[Enumerated]:
        for edge in edges_of(self.forest, node):
            for parts in product(*(list(self._below(tail)) for tail in self.forest.tails_of(edge))):
                edges, score = [edge], float(self.forest.scores[edge])
                for part in parts:
                    edges += part.edges
                    score += part.score
                symbols: list[int] = []
                for item in self.forest.template_of(edge):
                    symbols += [item] if item >= 0 else parts[~item].symbols
                yield Enumerated(tuple(edges), score, tuple(symbols))

    def restricted(self, keep: Callable[[Enumerated], bool]) -> ForestTwin:
        """The twin with only some of the derivations."""
        twin = ForestTwin(self.forest)
        twin.__dict__["derivations"] = [derivation for derivation in self.derivations if keep(derivation)]
        return twin

    def within(self, costs: Sequence[int], least: int, most: int) -> ForestTwin:
        return self.restricted(lambda derivation: least <= self.cost(derivation, costs) <= most)

    @staticmethod
    def cost(derivation: Enumerated, costs: Sequence[int]) -> int:
        return sum(costs[edge] for edge in derivation.edges)

    def words(self, derivation: Enumerated) -> tuple[int, ...]:
        words = {int(self.forest.symbol_words[symbol]) for symbol in derivation.symbols}
        return tuple(sorted(words - {-1}))

    def best_score(self) -> float:
        return max((derivation.score for derivation in self.derivations), default=-math.inf)

    def ranked(self, *, distinct: bool = False) -> list[Enumerated]:
        order = sorted(self.derivations, key=lambda derivation: -derivation.score)
        if not distinct:
            return order
        seen: dict[tuple[int, ...], Enumerated] = {}
        for derivation in order:
            seen.setdefault(derivation.symbols, derivation)
        return list(seen.values())

    def best_by_cost(self, costs: Sequence[int]) -> dict[int, float]:
        scores: dict[int, float] = {}
        for derivation in self.derivations:
            cost = self.cost(derivation, costs)
            scores[cost] = max(scores.get(cost, -math.inf), derivation.score)
        return scores

    def log_partition(self) -> float:
        best = self.best_score()
        return best + math.log(math.fsum(math.exp(d.score - best) for d in self.derivations))

    def probabilities(self) -> list[float]:
        log_total = self.log_partition()
        return [math.exp(derivation.score - log_total) for derivation in self.derivations]

    def expectation(self, value: Callable[[Enumerated], float]) -> float:
        pairs = zip(self.probabilities(), self.derivations, strict=True)
        return math.fsum(probability * value(derivation) for probability, derivation in pairs)

    def edge_marginals(self) -> list[float]:
        return [self.expectation(lambda d, e=e: d.edges.count(e)) for e in range(self.forest.edge_count)]  # type: ignore[misc]

    def symbol_marginals(self) -> list[float]:
        return [self.expectation(lambda d, s=s: d.symbols.count(s)) for s in range(self.forest.symbol_count)]  # type: ignore[misc]

    def entropy(self) -> float:
        return -math.fsum(p * math.log(p) for p in self.probabilities() if p > 0)

    def max_marginals(self) -> list[float]:
        return [
            max((d.score for d in self.derivations if edge in d.edges), default=-math.inf)
            for edge in range(self.forest.edge_count)
        ]


@dataclass(frozen=True)
class PlainForest:
    """A forest as Python lists, for the plain recurrence: the edges (score, tails) of each node."""

    nodes: list[list[tuple[float, tuple[int, ...]]]]

    @classmethod
    def of(cls, forest: Hypergraph) -> PlainForest:
        scores = forest.scores.tolist()
        return cls(
            [
                [(scores[edge], forest.tails_of(edge)) for edge in edges_of(forest, node)]
                for node in range(forest.node_count)
            ]
        )

    def inside(
        self,
        plus: Callable[[Any, Any], Any],
        times: Callable[[Any, Any], Any],
        zero: Any,
        lift: Callable[[float], Any],
    ) -> tuple[list[Any], list[Any]]:
        """β(v) = ⊕ over its edges e of w(e), w(e) = lift(score) ⊗ the tails' β, in any semiring; β and w."""
        node_values: list[Any] = []
        edge_values: list[Any] = []
        for edges in self.nodes:
            total = zero
            for score, tails in edges:
                value = reduce(times, (node_values[tail] for tail in tails), lift(score))
                edge_values.append(value)
                total = plus(total, value)
            node_values.append(total)
        return node_values, edge_values

    def viterbi(self) -> tuple[list[float], list[float]]:
        return self.inside(max, lambda a, b: a + b, -math.inf, lambda score: score)

    def log_inside(self) -> tuple[list[float], list[float]]:
        return self.inside(log_add, lambda a, b: a + b, -math.inf, lambda score: score)

    def expectation(self, values: Sequence[float]) -> float:
        """The expected sum of a value for each edge, by the expectation semiring of pairs (p, p·r)."""
        remaining = iter(values)  # edges are lifted in order

        def lift(score: float) -> tuple[float, float]:
            return math.exp(score), math.exp(score) * next(remaining)

        node_values, _ = self.inside(
            lambda a, b: (a[0] + b[0], a[1] + b[1]),
            lambda a, b: (a[0] * b[0], a[0] * b[1] + a[1] * b[0]),
            (0.0, 0.0),
            lift,
        )
        probability, weighted = node_values[-1]
        return weighted / probability


def log_add(left: float, right: float) -> float:
    high, low = max(left, right), min(left, right)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))
