"""Learning the weights of rules over forests never lowers its objective."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from laconic.decode.stochastic_transducer import StochasticTransducer
from laconic.errors import LaconicError
from laconic.grammar.base_distribution import BaseDistribution
from laconic.grammar.rule_probabilities import RuleProbabilities
from laconic.grammar.rule_table import AnyRule
from laconic.learn.dirichlet import uniform_weights
from laconic.learn.gibbs.chain import Chain, GibbsOptions
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.derivations import derived_rules
from laconic.learn.rule_weights import fit_mode, fit_variational, roots_of
from tests.learn.gibbs.corpora import CHAIN, RAIN, UNARY

PAIRS = SampledPairs.of(RAIN + CHAIN + UNARY)


def grammar() -> tuple[AnyRule, ...]:
    """The rules of several random derivations: pairs have many derivations by them."""
    counts: Counter[AnyRule] = Counter()
    for seed in range(12):
        counts += derived_rules(PAIRS, Chain(PAIRS, GibbsOptions(), np.random.default_rng(seed)).alignment)
    return tuple(RuleProbabilities.of(counts).rules)


RULES = grammar()
ROOTS = roots_of(RULES)
TRANSDUCER = StochasticTransducer(RULES, tuple(uniform_weights(ROOTS)), {})
FORESTS = [TRANSDUCER.derivations(source, target) for source, target, _ in PAIRS.pairs]


def test_rules_of_a_root_have_its_number() -> None:
    assert len(set(ROOTS.tolist())) == len({rule.root for rule in RULES})
    assert all(
        (one == other) == (a.root == b.root)
        for one, a in zip(ROOTS, RULES, strict=True)
        for other, b in zip(ROOTS, RULES, strict=True)
    )


@pytest.mark.parametrize("smoothing", [1.0, 1.0001, 2.0])
def test_map_em_never_lowers_the_penalised_likelihood(smoothing: float) -> None:
    found = fit_mode(FORESTS, ROOTS, smoothing=smoothing, iterations=25)
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(found.objectives))
    assert found.objectives[-1] > found.objectives[0]
    assert np.bincount(ROOTS, np.exp(found.weights)) == pytest.approx(1.0)


@pytest.mark.parametrize("concentration", [0.1, 10.0])
def test_variational_bayes_never_lowers_its_bound(concentration: float) -> None:
    base = BaseDistribution(PAIRS.grammar, 0.3)
    prior = concentration * np.exp([base.log_probability(rule) for rule in RULES])
    found = fit_variational(FORESTS, ROOTS, prior=prior, concentration=concentration, iterations=25)
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(found.objectives))
    assert found.objectives[-1] > found.objectives[0]
    assert (np.bincount(ROOTS, np.exp(found.weights)) <= 1.0 + 1e-12).all()


def test_no_iteration_is_an_error() -> None:
    with pytest.raises(LaconicError, match="at least one iteration"):
        fit_mode(FORESTS, ROOTS, smoothing=1.1, iterations=0)
