"""Forests of probabilistic transduction hold every derivation, with what it deletes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from laconic.decode.stochastic_transducer import StochasticTransducer
from laconic.errors import LaconicError
from laconic.forest.inference import best, marginals
from laconic.grammar.rule_probabilities import RuleProbabilities
from laconic.grammar.rules import parse_rule
from laconic.learn.gibbs.chain import Chain, GibbsOptions
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.derivations import derived_rules
from laconic.trees.constituency import Tree
from tests.grammar.strategies import deletion_pairs
from tests.oracles.stochastic import all_derivations, with_coverage


@st.composite
def sampled(draw: st.DrawFn):
    """Two pairs and the probabilities of the rules of random derivations of them."""
    pairs = SampledPairs.of(draw(st.lists(deletion_pairs(max_words=4), min_size=1, max_size=2)))
    seed = draw(st.integers(0, 1000))
    chain = Chain(pairs, GibbsOptions(sweeps=1), np.random.default_rng(seed))
    return pairs, RuleProbabilities.of(derived_rules(pairs, chain.alignment))


def score(used: Counter, rules: dict) -> float:  # type: ignore[type-arg]
    return sum(count * rules[rule] for rule, count in used.items())


@settings(max_examples=30)
@given(sampled(), deletion_pairs(max_words=3))
def test_transduction_equals_enumeration(sample, other) -> None:
    _, probabilities = sample
    tree = other[0]
    known = dict(zip(probabilities.rules, probabilities.log_probabilities, strict=True))
    rules = with_coverage(known, probabilities.log_unseen, tree)
    every = [(score(used, rules), target) for used, target in all_derivations(tree, rules, 0, "ROOT")]
    space = StochasticTransducer.of(probabilities).transduction(tree, "ROOT")
    assert marginals(space.forest).log_partition == pytest.approx(logsumexp([value for value, _ in every]))
    found = best(space.forest)
    highest = max(value for value, _ in every)
    assert found.score == pytest.approx(highest)
    target = space.target(found)
    assert target in [one.tree() for value, one in every if value > highest - 1e-9]
    assert tuple(tree.words[word] for word in found.symbols()) == target.words


@settings(max_examples=40)
@given(sampled())
def test_pairs_are_derived_by_their_own_rules_as_by_enumeration(sample) -> None:
    pairs, probabilities = sample
    transducer = StochasticTransducer.of(probabilities)
    rules = dict(zip(probabilities.rules, probabilities.log_probabilities, strict=True))
    places = {rule: place for place, rule in enumerate(probabilities.rules)}
    for source, target, _ in pairs.pairs:
        forest = transducer.derivations(source, target)
        every = [
            used
            for used, derived in all_derivations(source, rules, 0, target.labels[0])
            if derived.tree() == target
        ]
        scores = np.array([score(used, rules) for used in every])
        assert marginals(forest).log_partition == pytest.approx(logsumexp(scores))
        expected = np.zeros(len(rules))
        for used, weight in zip(every, np.exp(scores - logsumexp(scores)), strict=True):
            for rule, count in used.items():
                expected[places[rule]] += weight * count
        assert marginals(forest).features(len(rules)) == pytest.approx(expected, abs=1e-9)


def test_a_pair_beyond_the_grammar_and_new_words_are_errors() -> None:
    tree = Tree.from_nested(("S", ("N", "rain")))
    other = Tree.from_nested(("S", ("N", "snow")))
    copy = parse_rule("<S,S> -> <[S N_1], [S N_1]>")
    with pytest.raises(LaconicError, match="no derivation that rewrites 'rain' as 'rain'"):
        StochasticTransducer.of(RuleProbabilities.of({copy: 1})).derivations(tree, tree)
    change = parse_rule("<N,N> -> <[N rain], [N snow]>")
    with pytest.raises(LaconicError, match="not in its source"):
        StochasticTransducer.of(RuleProbabilities.of({copy: 1, change: 1})).derivations(tree, other)
    with pytest.raises(LaconicError, match="as 'NP'"):
        StochasticTransducer.of(RuleProbabilities.of({copy: 1})).transduction(tree, "NP")
