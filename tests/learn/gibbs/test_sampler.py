"""The sampler visits derivations as often as their posterior says, and keeps its books exactly."""

from collections import Counter
from itertools import product
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.grammar.base_distribution import BaseDistribution
from laconic.grammar.grammar import AlignedTrees
from laconic.learn.gibbs.chain import Chain, GibbsOptions
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.state import scatter
from laconic.learn.gibbs.sweep import sweep
from tests.grammar.strategies import deletion_pairs
from tests.learn.gibbs.corpora import CORPORA
from tests.oracles.gibbs import all_derivations, log_posterior, rules_of

POSTERIOR = {"first_temperature": 1.0, "last_temperature": 1.0}


def alignments(pairs: SampledPairs, flat: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """The alignment of each pair, by the nodes of its own trees."""
    found = []
    bounds = zip(pairs.source_starts, pairs.source_starts[1:], pairs.target_starts, strict=False)
    for start, end, target in bounds:
        found.append(tuple(int(j) - target if j >= 0 else int(j) for j in flat[start:end]))
    return tuple(found)


def enumerated_posterior(pairs: SampledPairs, options: GibbsOptions) -> dict:  # type: ignore[type-arg]
    base = BaseDistribution(pairs.grammar, options.expansion)
    rules = [{state: rules_of(pair, state) for state in all_derivations(pair)} for pair in pairs.pairs]
    logs = {
        states: log_posterior(
            sum((found[state] for found, state in zip(rules, states, strict=True)), Counter()),  # type: ignore[misc]
            base,
            options.concentration,
        )
        for states in product(*rules)
    }
    highest = max(logs.values())
    total = sum(exp(value - highest) for value in logs.values())
    return {states: exp(value - highest) / total for states, value in logs.items()}


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize(("concentration", "expansion"), [(0.1, 0.5), (1.0, 0.3), (30.0, 0.8)])
def test_visits_match_the_enumerated_posterior(name: str, concentration: float, expansion: float) -> None:
    draws = 25_000
    pairs = SampledPairs.of(CORPORA[name])
    options = GibbsOptions(concentration, expansion, sweeps=draws, **POSTERIOR)
    expected = enumerated_posterior(pairs, options)
    assert 20 < len(expected) < 600
    chain = Chain(pairs, options, np.random.default_rng(7))
    visits: Counter = Counter()  # type: ignore[type-arg]
    for _ in range(draws):
        chain.advance()
        visits[chain.alignment.tobytes()] += 1
    seen = {alignments(pairs, np.frombuffer(key, np.int32)): count / draws for key, count in visits.items()}
    assert seen.keys() <= expected.keys()
    distance = sum(abs(seen.get(state, 0.0) - share) for state, share in expected.items()) / 2
    assert distance < 0.04  # falls with the root of the number of draws


def is_tiny(pair: AlignedTrees) -> bool:
    source, target, _ = pair
    return (len(target.labels) + 2) ** (len(source.labels) - 1) <= 2500


@settings(max_examples=25)
@given(deletion_pairs(max_words=3).filter(is_tiny))
def test_random_derivations_are_all_derivations_and_no_others(pair: AlignedTrees) -> None:
    expected = set(all_derivations(pair))
    pairs = SampledPairs.of([pair])
    generator = np.random.default_rng(0)
    tries = 20 * len(expected)
    seen = {alignments(pairs, scatter(generator, pairs.arrays))[0] for _ in range(tries)}
    assert seen <= expected
    # Where a node has many partners some derivations are rare; sampling reaches them.
    chain = Chain(pairs, GibbsOptions(sweeps=tries, first_temperature=1e6, last_temperature=1e6), generator)
    for _ in range(tries):
        chain.advance()
        seen |= set(alignments(pairs, chain.alignment))
    assert seen == expected


corpora = st.lists(deletion_pairs(max_words=6), min_size=1, max_size=3)
numbers = st.tuples(st.sampled_from((1e-3, 1.0, 1e3)), st.sampled_from((0.05, 0.5, 0.9)))


@settings(max_examples=60)
@given(corpora, numbers, st.sampled_from((0.0, 0.5, 1.0, 5.0)))
def test_after_any_sweep_everything_is_as_if_computed_anew(pair_list, prior_numbers, temperature) -> None:
    concentration, expansion = prior_numbers
    pairs = SampledPairs.of(pair_list)
    options = GibbsOptions(
        concentration, expansion, sweeps=3, first_temperature=temperature, last_temperature=temperature
    )
    chain = Chain(pairs, options, np.random.default_rng(1))
    for _ in range(3):
        chain.advance()
        anew = Chain(pairs, options, np.random.default_rng(0), chain.alignment)
        for kept, computed in zip(chain._state, anew._state, strict=True):
            for one, other in zip(kept, computed, strict=True):  # type: ignore[call-overload]
                assert np.array_equal(one, other)  # to the last bit, logarithms too
        assert table(chain) == table(anew)
        assert np.array_equal(chain._counts.roots, anew._counts.roots)
        assert chain.log_posterior == pytest.approx(anew.log_posterior, abs=1e-8)
        rules = sum(
            (rules_of(p, a) for p, a in zip(pairs.pairs, alignments(pairs, chain.alignment), strict=True)),
            Counter(),
        )
        base = BaseDistribution(pairs.grammar, expansion)
        assert chain.log_posterior == pytest.approx(log_posterior(rules, base, concentration), abs=1e-6)  # type: ignore[arg-type]
        assert chain.grammar_size == len(rules)  # type: ignore[arg-type]
        assert sorted(count for _, _, count in table(chain)) == sorted(rules.values())


@settings(max_examples=60)
@given(corpora, st.integers(0, 2**32))
def test_taking_a_node_out_and_putting_it_back_leaves_no_trace(pair_list, seed) -> None:
    pairs = SampledPairs.of(pair_list)
    options = GibbsOptions(1.0, 0.5, sweeps=1, first_temperature=0.0)
    chain = Chain(pairs, options, np.random.default_rng(seed))
    while chain_moves(chain):  # climb until every node prefers to stay as it is
        pass
    before = table(chain)
    flat = [array.copy() for array in flattened(chain)]
    for site in pairs.arrays.sites:
        assert chain_moves(chain, np.array([site], np.int32)) == 0
        assert table(chain) == before
        assert all(np.array_equal(one, other) for one, other in zip(flat, flattened(chain), strict=True))


def test_any_order_gives_the_same_probability() -> None:
    pairs, turned = (SampledPairs.of(order) for order in (CORPORA["rain"], CORPORA["rain"][::-1]))
    options = GibbsOptions(2.0, 0.4)
    split = pairs.source_starts[1]
    chain = Chain(pairs, options, np.random.default_rng(3))
    first, second = alignments(pairs, chain.alignment)
    moved = [
        j + start if j >= 0 else j
        for alignment, start in zip((second, first), turned.target_starts, strict=False)
        for j in alignment
    ]
    assert split != turned.source_starts[1] or first != second
    other = Chain(turned, options, np.random.default_rng(3), np.array(moved, np.int32))
    assert other.log_posterior == pytest.approx(chain.log_posterior, abs=1e-9)


def test_pairs_without_a_derivation_are_reported_and_left_out() -> None:
    good = CORPORA["rain"][0]
    source, target, _ = good
    crossing = (source, source, ((0, 1), (1, 0)))
    errors: list[LaconicError] = []
    pairs = SampledPairs.of([good, (source, target, ()), crossing], on_error=errors.append)
    assert pairs.pairs == (good,)
    assert "no word of the one is aligned" in str(errors[0])
    assert "changes the order" in str(errors[1])
    with pytest.raises(LaconicError, match="no derivation"):
        SampledPairs.of([(source, target, ())])
    with pytest.raises(LaconicError, match="no pair"):
        SampledPairs.of([])


def table(chain: Chain) -> set[tuple[int, int, int]]:
    return {tuple(row) for row in chain._counts.rules.tolist() if row[2]}


def flattened(chain: Chain) -> list[np.ndarray]:
    state = chain._state
    return [*state.source, *state.target, state.links, state.deletions, state.holders, state.lowest]


def chain_moves(chain: Chain, order: np.ndarray | None = None) -> int:
    sites = chain.pairs.arrays.sites if order is None else order
    _, moved = sweep(
        chain.pairs.arrays, chain._prior, chain._state, chain._counts, sites, 0.0, chain.generator
    )
    return moved
