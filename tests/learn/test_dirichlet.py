"""Estimation under Dirichlet priors obeys its laws: modes are modes, objectives never fall, bounds are bounds."""

from itertools import pairwise, product
from math import exp, fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp
from scipy.stats import beta

from laconic.errors import LaconicError
from laconic.learn.dirichlet import (
    digamma,
    log_gamma,
    log_mode_prior,
    mode_weights,
    uniform_weights,
    variational_divergence,
    variational_weights,
)

ROOTS = np.array([0, 0, 0, 1, 1])
counts = st.lists(st.floats(0.0, 20.0), min_size=5, max_size=5).map(np.array)
smoothings = st.floats(1.0001, 2.0)
PRIOR = np.array([0.5, 0.1, 0.2, 0.3, 0.05])  # of a concentration of 1: the rest is outside the grammar

# What rules the derivations of each datum use; the same rules serve several.
DATA = (
    np.array([[1, 0, 0, 1, 0], [0, 1, 1, 0, 1]]),
    np.array([[2, 0, 0, 0, 1], [0, 0, 1, 1, 1], [0, 2, 0, 1, 0]]),
    np.array([[0, 0, 1, 0, 2], [1, 1, 0, 0, 0]]),
)


def expectation(weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Expected counts by enumeration, and the log likelihood."""
    expected, total = np.zeros(5), 0.0
    for derivations in DATA:
        scores = derivations @ weights
        total += float(logsumexp(scores))
        expected += np.exp(scores - logsumexp(scores)) @ derivations
    return expected, total


@given(counts, smoothings, st.lists(st.floats(-1, 1), min_size=5, max_size=5).map(np.array))
def test_mode_weights_are_the_mode(expected, smoothing, step) -> None:
    def objective(weights: np.ndarray) -> float:
        return float(expected @ weights) + log_mode_prior(weights, smoothing)

    weights = mode_weights(expected, ROOTS, smoothing)
    for root in (0, 1):
        assert fsum(np.exp(weights[root == ROOTS])) == pytest.approx(1.0)
    other = weights + step
    other -= np.array([logsumexp(other[root == ROOTS]) for root in ROOTS])
    assert objective(weights) >= objective(other) - 1e-9


def test_weights_by_hand() -> None:
    expected = np.array([3.0, 1.0, 0.0, 2.0, 2.0])
    assert np.exp(mode_weights(expected, ROOTS, 1.5)) == pytest.approx(
        [3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5, 0.5, 0.5]
    )
    assert np.exp(mode_weights(expected, ROOTS, 1.0)) == pytest.approx([0.75, 0.25, 0.0, 0.5, 0.5])
    assert np.exp(mode_weights(np.zeros(5), ROOTS, 1.0)) == pytest.approx(np.exp(uniform_weights(ROOTS)))


@given(counts, st.sampled_from((1e-3, 1.0, 1e3)))
def test_variational_weights_are_expected_logarithms(expected, concentration) -> None:
    prior = concentration * PRIOR
    weights = variational_weights(expected, ROOTS, prior, concentration)
    sums = np.bincount(ROOTS, np.exp(weights))
    assert (sums < 1.0).all()  # they are less than the means, which sum to at most one
    totals = np.bincount(ROOTS, expected)
    assert (np.exp(weights) <= (expected + prior) / (totals[ROOTS] + concentration)).all()


def test_one_rule_has_the_expected_logarithm_of_a_beta_distribution() -> None:
    expected = np.array([2.5, 1.0, 0.5, 4.0, 0.0])
    found = variational_weights(expected, ROOTS, 2.0 * PRIOR, 2.0)
    for rule, root in enumerate(ROOTS):
        own = expected[rule] + 2.0 * PRIOR[rule]
        rest = expected[root == ROOTS].sum() + 2.0 - own
        # With θ = exp(-x) the integrand is tame at θ = 0.
        value, _ = quad(
            lambda x, own=own, rest=rest: -x * beta.pdf(exp(-x), own, rest) * exp(-x), 0, 400, limit=500
        )
        assert found[rule] == pytest.approx(value, rel=1e-4)


def test_many_counts_outweigh_any_prior() -> None:
    expected = 1e7 * np.array([0.5, 0.3, 0.2, 0.9, 0.1])
    assert np.exp(variational_weights(expected, ROOTS, PRIOR, 1.0)) == pytest.approx(expected / 1e7, rel=1e-5)
    assert np.exp(mode_weights(expected, ROOTS, 1.5)) == pytest.approx(expected / 1e7, rel=1e-5)


@pytest.mark.parametrize("smoothing", [1.0, 1.0001, 1.5])
def test_the_penalised_likelihood_never_falls(smoothing: float) -> None:
    weights = uniform_weights(ROOTS)
    objectives = []
    for _ in range(60):
        expected, likelihood = expectation(weights)
        objectives.append(likelihood + log_mode_prior(weights, smoothing))
        weights = mode_weights(expected, ROOTS, smoothing)
    assert all(later >= earlier - 1e-10 for earlier, later in pairwise(objectives))
    assert objectives[-1] > objectives[0] + 0.1


@pytest.mark.parametrize("concentration", [0.1, 1.0, 10.0])
def test_the_variational_bound_never_falls_and_is_a_bound(concentration: float) -> None:
    prior = concentration * PRIOR
    expected, _ = expectation(uniform_weights(ROOTS))
    bounds = []
    for _ in range(60):
        weights = variational_weights(expected, ROOTS, prior, concentration)
        following, likelihood = expectation(weights)
        bounds.append(likelihood - variational_divergence(expected, ROOTS, prior, concentration))
        expected = following
    assert all(later >= earlier - 1e-10 for earlier, later in pairwise(bounds))
    assert bounds[-1] > bounds[0]
    assert bounds[-1] < log_evidence(prior, concentration)


def log_evidence(prior: np.ndarray, concentration: float) -> float:
    """ln p(data), the sum over all derivations of all data with the weights integrated out."""
    terms = []
    for chosen in product(*DATA):
        used = np.sum(chosen, axis=0)
        totals = np.bincount(ROOTS, used)
        by_rule = gammaln(prior + used) - gammaln(prior)
        by_root = gammaln(concentration) - gammaln(concentration + totals)
        terms.append(by_rule.sum() + by_root.sum())
    return float(logsumexp(terms))


def test_impossible_priors_and_counts_are_errors() -> None:
    with pytest.raises(LaconicError, match="α >= 1"):
        mode_weights(np.ones(5), ROOTS, 0.5)
    with pytest.raises(LaconicError, match="0 or more"):
        mode_weights(-np.ones(5), ROOTS, 1.5)
    with pytest.raises(LaconicError, match="sum to the concentration"):
        variational_weights(np.ones(5), ROOTS, PRIOR, 0.5)


@given(st.lists(st.floats(1e-100, 1e12), min_size=1).map(np.array))
def test_digamma_and_the_logarithm_of_gamma_are_those_of_scipy(numbers: np.ndarray) -> None:
    assert digamma(numbers) == pytest.approx(special.digamma(numbers), rel=1e-12, abs=1e-12)
    assert log_gamma(numbers) == pytest.approx(special.gammaln(numbers), rel=1e-12, abs=1e-12)
