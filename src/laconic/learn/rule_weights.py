"""Expectation maximisation over forests of derivations: the weights of a fixed set of rules.

Yamangil & Shieber (2010), section 4.3: MAP-EM and variational Bayes differ in how expected counts become weights
(`dirichlet`). Both begin with uniform weights, and neither objective ever falls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from laconic.errors import LaconicError
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import marginals
from laconic.grammar.rule_probabilities import AnyRule
from laconic.learn.dirichlet import (
    Floats,
    Roots,
    log_mode_prior,
    mode_weights,
    uniform_weights,
    variational_divergence,
    variational_weights,
)

Progress = Callable[[int, float], None]
"""Called with the number of iterations done and the objective before the last of them."""


@dataclass(frozen=True, slots=True, eq=False)
class RuleWeights:
    """ln θ of every rule, the expected counts they come from, and the objective at the weights of each iteration."""

    weights: Floats
    expected: Floats
    objectives: tuple[float, ...]


def roots_of(rules: Sequence[AnyRule]) -> Roots:
    """The number of every rule's pair of root labels, in order of appearance."""
    numbers: dict[tuple[str, str | None], int] = {}
    return np.array([numbers.setdefault(rule.root, len(numbers)) for rule in rules], dtype=np.int64)


def expected_counts(forests: Sequence[Hypergraph], weights: Floats) -> tuple[Floats, float]:
    """How often each rule is expected in a derivation of every forest, and the log likelihood (inside-outside)."""
    expected = np.zeros(len(weights))
    total = 0.0
    for forest in forests:
        found = marginals(forest.scored(weights))
        expected += found.features(len(weights))
        total += found.log_partition
    return expected, total


def fit_mode(
    forests: Sequence[Hypergraph],
    roots: Roots,
    *,
    smoothing: float,
    iterations: int = 20,
    progress: Progress | None = None,
) -> RuleWeights:
    """MAP-EM with `smoothing` as the α of a symmetric Dirichlet prior; the objective is ln p(data, θ) + constant."""
    weights = uniform_weights(roots)
    expected = np.zeros(len(roots))
    objectives: list[float] = []
    for iteration in range(_checked(iterations)):
        expected, likelihood = expected_counts(forests, weights)
        objectives.append(likelihood + log_mode_prior(weights, smoothing))
        weights = mode_weights(expected, roots, smoothing)
        if progress is not None:
            progress(iteration + 1, objectives[-1])
    return RuleWeights(weights, expected, tuple(objectives))


def fit_variational(
    forests: Sequence[Hypergraph],
    roots: Roots,
    *,
    prior: Floats,
    concentration: float,
    iterations: int = 20,
    progress: Progress | None = None,
) -> RuleWeights:
    """Variational Bayes with α P₀ of every rule as `prior` and α as `concentration`; the objective is its bound."""
    expected, _ = expected_counts(forests, uniform_weights(roots))
    weights = variational_weights(expected, roots, prior, concentration)
    objectives: list[float] = []
    for iteration in range(_checked(iterations)):
        following, likelihood = expected_counts(forests, weights)
        objectives.append(likelihood - variational_divergence(expected, roots, prior, concentration))
        expected = following
        weights = variational_weights(expected, roots, prior, concentration)
        if progress is not None:
            progress(iteration + 1, objectives[-1])
    return RuleWeights(weights, expected, tuple(objectives))


def _checked(iterations: int) -> int:
    if iterations < 1:
        raise LaconicError(f"learning takes at least one iteration, not {iterations}")
    return iterations
