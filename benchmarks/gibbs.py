"""How fast derivations of the spoken pairs are sampled, and in how much memory.

python -m benchmarks gibbs

On one core, at least 150,000 source nodes are to be resampled a second, at any temperature, so that 5,000 sweeps of
the 901 training pairs take at most half an hour; in at most 1 GiB. An iteration of MAP-EM or variational Bayes over all
pairs is to take at most 10 s.
"""

from __future__ import annotations

import resource
from itertools import pairwise
from pathlib import Path
from time import process_time

import numpy as np

from laconic.corpora.registry import open_pairs
from laconic.corpora.treebanks import with_trees
from laconic.decode.stochastic_transducer import StochasticTransducer
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import AlignedTrees, Grammar
from laconic.grammar.rule_probabilities import RuleProbabilities, compression_table, deleting_rule
from laconic.grammar.word_pcfg import Production
from laconic.learn.dirichlet import uniform_weights
from laconic.learn.gibbs.chain import Chain, GibbsOptions, run_chain
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.derivations import derived_rules
from laconic.learn.rule_weights import expected_counts, fit_mode, roots_of
from laconic.systems.transducer.examples import aligned_trees

SWEEPS = 20
CONCENTRATIONS = (1e-6, 100.0, 1e6)


def run(data: Path) -> None:
    found = with_trees(
        open_pairs("spoken.train", data), data / "trees/spoken.train+dev.stanford.jsonl.gz", on_error=print
    )
    aligned = [aligned_trees(pair) for pair in found]
    started = process_time()
    pairs = SampledPairs.of(aligned, on_error=print)
    print(f"{len(pairs.pairs)} pairs as arrays: {process_time() - started:.1f} s")
    sites = len(pairs.arrays.sites)
    print(f"{pairs.source_starts[-1]} source nodes, {sites} of which have a choice")
    slowest = float("inf")
    for concentration in CONCENTRATIONS:
        for temperature in (5.0, 1.0, 0.0):
            rate, chain = measured(pairs, concentration, temperature)
            slowest = min(slowest, rate)
            print(
                f"α {concentration:g}, temperature {temperature}: {rate:,.0f} nodes a second, "
                f"{chain.grammar_size} rules, ln p {chain.log_posterior:.0f}"
            )
    print(f"slowest: {slowest:,.0f} nodes a second (at least 150,000)")
    print(f"5,000 sweeps: {5000 * sites / slowest / 60:.1f} minutes at that rate (at most 30)")

    options = GibbsOptions(sweeps=200)
    started = process_time()
    chain = run_chain(Chain(pairs, options, np.random.default_rng(0)))
    print(
        f"{options.sweeps} annealed sweeps: {process_time() - started:.1f} s, {chain.grammar_size} rules, "
        f"ln p {chain.best_log_posterior:.0f}"
    )
    rules = derived_rules(pairs, chain.alignment)
    assert len(rules) == chain.grammar_size, "rules were confused: hashes collide"
    probabilities = RuleProbabilities.of(rules)
    for label in ("ROOT", "S"):
        print(f"{label} / {label}:")
        print(compression_table(probabilities, (label, label)))
    learn(aligned)
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB (at most 1)")


def measured(pairs: SampledPairs, concentration: float, temperature: float) -> tuple[float, Chain]:
    """Nodes a second of processor time, from sweeps after some that are not counted."""
    options = GibbsOptions(
        concentration, sweeps=2 * SWEEPS, first_temperature=temperature, last_temperature=temperature
    )
    chain = Chain(pairs, options, np.random.default_rng(0))
    for _ in range(SWEEPS):
        chain.advance()
    started = process_time()
    for _ in range(SWEEPS):
        chain.advance()
    return SWEEPS * len(pairs.arrays.sites) / (process_time() - started), chain


def learn(aligned: list[AlignedTrees]) -> None:
    """The time of an iteration over the forests of all pairs by an extracted grammar."""
    started = process_time()
    extracted = Grammar.extracted(aligned, ExtractionOptions(whole=True))
    productions = {
        Production.at(source, node) for source, _, _ in aligned for node in range(len(source.labels))
    }
    rules = (*extracted.rules, *map(deleting_rule, sorted(productions, key=str)))
    roots = roots_of(rules)
    transducer = StochasticTransducer(rules, tuple(uniform_weights(roots)), {})
    forests = [transducer.derivations(source, target) for source, target, _ in aligned]
    print(f"{len(rules)} rules and the forests of {len(forests)} pairs: {process_time() - started:.1f} s")
    expected_counts(forests[:1], uniform_weights(roots))  # compiles
    started = process_time()
    found = fit_mode(forests, roots, smoothing=1.0001, iterations=5)
    print(f"an iteration of MAP-EM: {(process_time() - started) / 5:.2f} s (at most 10)")
    assert all(later >= earlier - 1e-6 for earlier, later in pairwise(found.objectives))
