"""Chains anneal, keep the best, and go on after an interruption as if there had been none."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from laconic.errors import LaconicError, ModelError
from laconic.grammar.base_distribution import BaseDistribution
from laconic.learn.gibbs.chain import Chain, GibbsOptions, run_chain, run_chains
from laconic.learn.gibbs.corpus import SampledPairs
from tests.learn.gibbs.corpora import CHAIN, RAIN, UNARY
from tests.oracles.gibbs import all_derivations, log_posterior, rules_of

PAIRS = SampledPairs.of(RAIN + CHAIN + UNARY)
OPTIONS = GibbsOptions(1.0, 0.3, sweeps=40)


def fresh(seed: int = 5) -> Chain:
    return Chain(PAIRS, OPTIONS, np.random.default_rng(seed))


def resumed(path: Path) -> Chain:
    chain = Chain.resume(path, PAIRS, OPTIONS)
    assert chain is not None
    return chain


def same(one: Chain, other: Chain) -> bool:
    return (
        np.array_equal(one.alignment, other.alignment)
        and np.array_equal(one.best_alignment, other.best_alignment)
        and one.best_log_posterior == other.best_log_posterior
        and one.log_posterior == other.log_posterior
        and np.array_equal(one.trace.log_posteriors, other.trace.log_posteriors)
        and np.array_equal(one.trace.grammar_sizes, other.trace.grammar_sizes)
        and np.array_equal(one.trace.moves, other.trace.moves)
        and one.generator.bit_generator.state == other.generator.bit_generator.state
    )


def test_the_temperature_falls_linearly_to_zero() -> None:
    options = GibbsOptions(sweeps=6)
    assert [options.temperature(number) for number in range(6)] == [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]


def test_the_best_of_the_trace_is_kept_and_is_a_state() -> None:
    chain = run_chain(fresh())
    best = max(chain.trace.log_posteriors)
    assert chain.best_log_posterior == best
    again = Chain(PAIRS, OPTIONS, np.random.default_rng(0), chain.best_alignment)
    assert again.log_posterior == pytest.approx(best, abs=1e-9)
    assert chain.trace.grammar_sizes[-1] == chain.grammar_size
    assert chain.trace.log_posteriors[-1] == chain.log_posterior
    assert best > fresh().log_posterior


def test_annealing_reaches_the_most_probable_derivation() -> None:
    options = GibbsOptions(1.0, 0.3, sweeps=300)
    pairs = SampledPairs.of(RAIN)
    base = BaseDistribution(pairs.grammar, options.expansion)
    rules = [[rules_of(pair, state) for state in all_derivations(pair)] for pair in RAIN]
    highest = max(log_posterior(one + other, base, 1.0) for one, other in product(*rules))
    chains = run_chains(pairs, options, [np.random.default_rng(seed) for seed in range(3)])
    assert [chain.best_log_posterior for chain in chains] == [pytest.approx(highest, abs=1e-6)] * 3
    assert len({chain.trace.log_posteriors[0] for chain in chains}) > 1


@pytest.mark.parametrize("stop", [1, 17, 39])
def test_interrupted_is_uninterrupted(tmp_path: Path, stop: int) -> None:
    path = tmp_path / "chain"
    interrupted = fresh()
    for _ in range(stop):
        interrupted.advance()
    interrupted.save(path)
    assert same(run_chain(resumed(path)), run_chain(fresh()))


def test_chains_are_taken_up_from_their_folder_with_any_number_of_threads(tmp_path: Path) -> None:
    def generators() -> list[np.random.Generator]:
        return [np.random.default_rng(seed) for seed in (1, 2, 3)]

    class Stop(Exception):
        pass

    def interrupt(chain: Chain) -> None:
        if chain.sweeps_done == 25:
            raise Stop

    with pytest.raises(Stop):
        run_chains(PAIRS, OPTIONS, generators(), folder=tmp_path, every=10, threads=1, progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["chain-0"]
    resumed = run_chains(PAIRS, OPTIONS, generators(), folder=tmp_path, every=10, threads=3)
    straight = run_chains(PAIRS, OPTIONS, generators(), threads=1)
    assert all(map(same, resumed, straight))
    done = run_chains(PAIRS, OPTIONS, generators(), folder=tmp_path)
    assert all(map(same, done, straight))


def test_checkpoints_of_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "chain"
    assert Chain.resume(path, PAIRS, OPTIONS) is None
    fresh().save(path)
    with pytest.raises(ModelError, match="other training"):
        Chain.resume(path, PAIRS, GibbsOptions(2.0, 0.3, sweeps=40))
    with pytest.raises(ModelError, match="other training"):
        Chain.resume(path, SampledPairs.of(RAIN), OPTIONS)
    card = path / "card.json"
    card.write_bytes(card.read_bytes()[:100])
    with pytest.raises(ModelError, match="remove the folder to start anew"):
        Chain.resume(path, PAIRS, OPTIONS)


@pytest.mark.parametrize("place", range(0, len(PAIRS.arrays.roots), 5))
def test_alignments_that_the_words_do_not_allow_are_refused(tmp_path: Path, place: int) -> None:
    chain = fresh()
    arrays = PAIRS.arrays
    wrong = -1 if arrays.roots[place] >= 0 or not arrays.deletable[place] else 0
    chain._state.alignment[place] = wrong
    chain.save(tmp_path / "chain")
    with pytest.raises(ModelError, match="an alignment of the pairs"):
        Chain.resume(tmp_path / "chain", PAIRS, OPTIONS)


def test_impossible_options_are_errors() -> None:
    with pytest.raises(LaconicError, match="concentration"):
        GibbsOptions(concentration=0.0)
    with pytest.raises(LaconicError, match="expansion"):
        GibbsOptions(expansion=1.0)
    with pytest.raises(LaconicError, match="sweep"):
        GibbsOptions(sweeps=0)
    with pytest.raises(LaconicError, match="generator"):
        run_chains(PAIRS, OPTIONS, [])
    chain = run_chain(fresh())
    with pytest.raises(LaconicError, match="has done its 40 sweeps"):
        chain.advance()
