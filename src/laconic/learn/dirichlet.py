"""Re-estimating the weights of rules from expected counts, under Dirichlet priors.

Yamangil & Shieber (2010), section 4.3. A rule e rewrites a root c and has the expected count n(c, e). MAP-EM takes the
mode of a symmetric prior,

    θ(c, e) = (n(c, e) + α - 1) / (n(c) + K α - K),    K the number of rules of c,

variational Bayes the expected logarithm under a Dirichlet process that is truncated to a finite grammar,

    θ(c, e) = exp ψ(n(c, e) + α P₀(e | c)) / exp ψ(n(c) + α).

What P₀ gives to rules outside the grammar stays there: it is one more outcome, never counted, so that the prior of the
rules in the grammar need not sum to α. Roots are numbers 0, 1, …, one for each rule.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.errors import LaconicError

Roots = Int64

_SHIFT = 10  # where the asymptotic series of ψ is exact to the last digits
_ASYMPTOTIC = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132)


def uniform_weights(roots: Roots) -> Float64:
    """ln 1/K for every rule: where learning begins.

    >>> np.exp(uniform_weights(np.array([0, 0, 1]))).tolist()
    [0.5, 0.5, 1.0]
    """
    sizes = np.bincount(roots)
    weights: Float64 = -np.log(sizes[roots])
    return weights


def mode_weights(expected: Float64, roots: Roots, smoothing: float) -> Float64:
    """ln θ of MAP-EM, with `smoothing` as α >= 1; uniform for a root that counts nothing at α = 1."""
    if smoothing < 1:
        raise LaconicError(f"the mode of a Dirichlet prior needs α >= 1, not {smoothing}")
    raised = _checked(expected) + (smoothing - 1.0)
    totals = np.bincount(roots, raised)
    raised = np.where(totals[roots] > 0, raised, 1.0)
    totals = np.bincount(roots, raised)
    with np.errstate(divide="ignore"):
        weights: Float64 = np.log(raised) - np.log(totals[roots])
    return weights


def log_mode_prior(weights: Float64, smoothing: float) -> float:
    """What the prior of MAP-EM adds to the log likelihood, but for a constant: (α - 1) Σ ln θ."""
    return 0.0 if smoothing == 1 else float((smoothing - 1.0) * weights.sum())


def variational_weights(expected: Float64, roots: Roots, prior: Float64, concentration: float) -> Float64:
    """E[ln θ] of variational Bayes; `prior` holds α P₀(e | c) of every rule, `concentration` is α."""
    _check_prior(roots, prior, concentration)
    totals: Float64 = np.bincount(roots, _checked(expected)).astype(np.float64)
    weights: Float64 = digamma(expected + prior) - digamma(totals[roots] + concentration)
    return weights


def variational_divergence(expected: Float64, roots: Roots, prior: Float64, concentration: float) -> float:
    """The divergence of the weights' posterior from their prior, Σ_c KL(Dir(n + α P₀) ‖ Dir(α P₀)).

    The variational bound on the log likelihood is that of the data under `variational_weights` of the same counts,
    minus this.
    """
    _check_prior(roots, prior, concentration)
    totals: Float64 = np.bincount(roots, _checked(expected)).astype(np.float64)
    used = expected > 0  # what is not counted adds nothing, however small its prior
    count, weight = expected[used], prior[used]
    means = digamma(count + weight) - digamma(totals[roots][used] + concentration)
    by_rule = log_gamma(weight) - log_gamma(weight + count) + count * means
    by_root = log_gamma(totals + concentration) - lgamma(concentration)
    return float(by_rule.sum() + by_root.sum())


def digamma(numbers: Float64) -> Float64:
    """ψ, the derivative of ln Γ, of numbers above 0.

    >>> digamma(np.array([1.0, 2.0])).round(6).tolist()  # -γ, 1 - γ
    [-0.577216, 0.422784]
    """
    shifted = numbers + _SHIFT
    square = shifted**-2.0
    tail = np.polynomial.polynomial.polyval(square, _ASYMPTOTIC) * square
    below: Float64 = np.sum([1.0 / (numbers + step) for step in range(_SHIFT)], axis=0)
    result: Float64 = np.log(shifted) - 0.5 / shifted - tail - below
    return result


def log_gamma(numbers: Float64) -> Float64:
    """ln Γ of numbers above 0."""
    return np.array([lgamma(number) for number in numbers.tolist()])


def _checked(expected: Float64) -> Float64:
    if (expected < 0).any():
        raise LaconicError(f"expected counts are 0 or more, not {expected.min()}")
    return expected


def _check_prior(roots: Roots, prior: Float64, concentration: float) -> None:
    if not (prior > 0).all() or (np.bincount(roots, prior) > concentration * (1 + 1e-9)).any():
        raise LaconicError(
            f"the priors of the rules of a root are above 0 and sum to the concentration, {concentration}, at most"
        )
