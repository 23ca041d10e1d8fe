"""Expectation maximisation over forests of derivations: the weights of a fixed set of rules.

Yamangil & Shieber (2010), section 4.3: MAP-EM and variational Bayes differ in how expected counts become weights
(`dirichlet`). Both begin with uniform weights, and neither objective ever falls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from laconic.arrays import Float64
from laconic.errors import LaconicError
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import marginals
from laconic.grammar.rule_table import AnyRule
from laconic.learn.dirichlet import (
    Roots,
    log_mode_prior,
    mode_weights,
    uniform_weights,
    variational_divergence,
    variational_weights,
)
from laconic.storage import Checkpoint, Content, Stored

_LEAST = 1e299
_NEXT_TO_NEVER = -700.0  # ln θ: ψ of a count near 0 is lower by hundreds of digits, which sums cannot hold

Progress = Callable[[int, float], None]
"""Called with the number of iterations done and the objective before the last of them."""


@dataclass(frozen=True, slots=True, eq=False)
class RuleWeights:
    """ln θ of every rule, the expected counts they come from, and the objective at the weights of each iteration."""

    weights: Float64
    expected: Float64
    objectives: tuple[float, ...]


def roots_of(rules: Sequence[AnyRule]) -> Roots:
    """The number of every rule's pair of root labels, in order of appearance."""
    numbers: dict[tuple[str, str | None], int] = {}
    return np.array([numbers.setdefault(rule.root, len(numbers)) for rule in rules], dtype=np.int64)


def expected_counts(forests: Sequence[Hypergraph], weights: Float64) -> tuple[Float64, float]:
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
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> RuleWeights:
    """MAP-EM with `smoothing` as the α of a symmetric Dirichlet prior; the objective is ln p(data, θ) + constant."""
    return _iterated(
        forests,
        RuleWeights(uniform_weights(roots), np.zeros(len(roots)), ()),
        lambda expected: mode_weights(expected, roots, smoothing),
        lambda fitted: log_mode_prior(fitted.weights, smoothing),
        iterations,
        _state(checkpoint, roots, {"learner": "em", "smoothing": smoothing}, forests),
        progress,
    )


def fit_variational(
    forests: Sequence[Hypergraph],
    roots: Roots,
    *,
    prior: Float64,
    concentration: float,
    iterations: int = 20,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> RuleWeights:
    """Variational Bayes with α P₀ of every rule as `prior` and α as `concentration`; the objective is its bound."""
    expected, _ = expected_counts(forests, uniform_weights(roots))

    def reestimated(counts: Float64) -> Float64:
        return np.maximum(variational_weights(counts, roots, prior, concentration), _NEXT_TO_NEVER)

    identity = {"learner": "variational", "concentration": concentration, "prior": float(prior.sum())}
    return _iterated(
        forests,
        RuleWeights(reestimated(expected), expected, ()),
        reestimated,
        lambda fitted: -variational_divergence(fitted.expected, roots, prior, concentration),
        iterations,
        _state(checkpoint, roots, identity, forests),
        progress,
    )


def _iterated(
    forests: Sequence[Hypergraph],
    fitted: RuleWeights,
    reestimated: Callable[[Float64], Float64],
    prior_term: Callable[[RuleWeights], float],
    iterations: int,
    checkpoint: Checkpoint | None,
    progress: Progress | None,
) -> RuleWeights:
    """Count and estimate in turn, from where a stopped training was."""
    if iterations < 1:
        raise LaconicError(f"learning takes at least one iteration, not {iterations}")
    size = len(fitted.weights)
    if checkpoint is not None:
        fitted = checkpoint.resume(lambda stored: _restored(stored, size)) or fitted
    while len(fitted.objectives) < iterations:
        expected, likelihood = expected_counts(forests, fitted.weights)
        objectives = (*fitted.objectives, likelihood + prior_term(fitted))
        fitted = RuleWeights(reestimated(expected), expected, objectives)
        if checkpoint is not None:
            # A weight may be minus infinity, which is not stored.
            weights = np.maximum(fitted.weights, -_LEAST)
            checkpoint.write(
                Content(
                    arrays={
                        "weights": weights,
                        "expected": expected,
                        "objectives": np.array(objectives),
                    }
                )
            )
        if progress is not None:
            progress(len(objectives), objectives[-1])
    return fitted


def _state(
    folder: Path | None, roots: Roots, identity: Mapping[str, object], forests: Sequence[Hypergraph]
) -> Checkpoint | None:
    if folder is None:
        return None
    edges = sum(forest.edge_count for forest in forests)
    digest = sha256(roots.tobytes()).hexdigest()[:16]
    return Checkpoint(folder, {**identity, "rules": digest, "forests": len(forests), "edges": edges})


def _restored(stored: Stored, size: int) -> RuleWeights:
    weights = stored.array("weights", np.float64, (size,), high=0.0)
    return RuleWeights(
        np.where(weights <= -_LEAST, -np.inf, weights),
        stored.array("expected", np.float64, (size,), low=0.0),
        tuple(stored.array("objectives", np.float64, (None,)).tolist()),
    )
