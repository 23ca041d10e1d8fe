"""Markov chains over the derivations of a corpus: annealed, traced, stopped and taken up again.

Yamangil & Shieber (2010), section 3.2: from a random derivation, all source nodes are resampled in random order,
sweep after sweep, while the temperature falls; what was most probable is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float64
from laconic.errors import LaconicError
from laconic.grammar.base_distribution import BaseDistribution
from laconic.learn.gibbs.corpus import EPSILON, UNALIGNED, Nodes, SampledPairs
from laconic.learn.gibbs.counts import Counts, empty_counts
from laconic.learn.gibbs.state import Prior, State, count_rules, make_prior, make_state, scatter
from laconic.learn.gibbs.sweep import sweep
from laconic.storage import Checkpoint, Content, Stored

Progress = Callable[["Chain"], None]
"""Called with a chain after every sweep."""

_FAR = 1e300


@dataclass(frozen=True, slots=True)
class GibbsOptions:
    """The model's α (`concentration`) and β (`expansion`), and the schedule, as chosen in the paper.

    The temperature falls, or rises, by equal steps from that of the first sweep to that of the last. At 1 the chain
    visits derivations as often as their posterior says, at 0 it climbs.
    """

    concentration: float = 100.0
    expansion: float = 0.1
    sweeps: int = 5000
    first_temperature: float = 5.0
    last_temperature: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.concentration < float("inf") and 0 < self.expansion < 1):
            raise LaconicError(
                f"the concentration is above 0 and the expansion between 0 and 1, not {self.concentration} and "
                f"{self.expansion}"
            )
        if self.sweeps < 1 or min(self.first_temperature, self.last_temperature) < 0:
            raise LaconicError(
                f"a chain has at least one sweep and no temperature below 0, not {self.sweeps} sweeps from "
                f"{self.first_temperature} to {self.last_temperature}"
            )

    def temperature(self, number: int) -> float:
        """The temperature of a sweep, counted from 0."""
        share = number / max(self.sweeps - 1, 1)
        return self.first_temperature + share * (self.last_temperature - self.first_temperature)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """After each sweep: ln p(rules), the number of different rules, and the number of alignments that changed."""

    log_posteriors: Float64
    grammar_sizes: NDArray[np.int64]
    moves: NDArray[np.int64]


class Chain:
    """A sampler under way: the derivation it has come to, and the most probable one it has seen after a sweep."""

    def __init__(
        self,
        pairs: SampledPairs,
        options: GibbsOptions,
        generator: np.random.Generator,
        alignment: Nodes | None = None,
    ) -> None:
        """A chain at a given alignment of all source nodes, or at a random derivation."""
        self.pairs = pairs
        self.options = options
        self.generator = generator
        base = BaseDistribution(pairs.grammar, options.expansion)
        self._prior: Prior = make_prior(pairs, base, options.concentration)
        start = scatter(generator, pairs.arrays) if alignment is None else alignment.astype(np.int32)
        self._state: State = make_state(pairs.arrays, self._prior, start)
        self._counts: Counts = empty_counts(len(start), pairs.root_count)
        self.log_posterior = float(count_rules(pairs.arrays, self._prior, self._state, self._counts))
        self.sweeps_done = 0
        self.best_alignment: Nodes = start.copy()
        self.best_log_posterior = self.log_posterior
        self._trace = Trace(
            np.zeros(options.sweeps), np.zeros(options.sweeps, np.int64), np.zeros(options.sweeps, np.int64)
        )

    @property
    def alignment(self) -> Nodes:
        """What every source node is aligned to: a target node, ε (-1) or nothing (-2)."""
        return self._state.alignment.copy()

    @property
    def grammar_size(self) -> int:
        """The number of different rules in use."""
        return int(self._counts.size[0])

    @property
    def trace(self) -> Trace:
        """What was seen after each sweep so far."""
        done = self.sweeps_done
        trace = self._trace
        return Trace(trace.log_posteriors[:done], trace.grammar_sizes[:done], trace.moves[:done])

    def advance(self) -> None:
        """Resample every source node once, in random order."""
        if self.sweeps_done == self.options.sweeps:
            raise LaconicError(f"the chain has done its {self.options.sweeps} sweeps")
        number = self.sweeps_done
        rise, moved = sweep(
            self.pairs.arrays,
            self._prior,
            self._state,
            self._counts,
            self._order(),
            self.options.temperature(number),
            self.generator,
        )
        self.log_posterior += rise
        self._trace.log_posteriors[number] = self.log_posterior
        self._trace.grammar_sizes[number] = self.grammar_size
        self._trace.moves[number] = moved
        self.sweeps_done += 1
        if self.log_posterior > self.best_log_posterior:
            self.best_log_posterior = self.log_posterior
            self.best_alignment = self.alignment

    def _order(self) -> Nodes:
        """All nodes with a choice: pairs in random order, and the nodes of each in random order.

        What a pair needs stays in the processor's cache while its nodes are visited.
        """
        arrays = self.pairs.arrays
        nodes = self.generator.permutation(len(arrays.sites))
        pairs = self.generator.permutation(len(self.pairs.pairs))[arrays.site_pairs[nodes]]
        order: Nodes = arrays.sites[nodes[np.argsort(pairs, kind="stable")]]
        return order

    def save(self, folder: Path) -> None:
        """Write all that is needed to go on, whole or not at all."""
        trace = self.trace
        state = Content(
            {
                "generator": dict(self.generator.bit_generator.state),
                "log_posterior": self.log_posterior,
                "best_log_posterior": self.best_log_posterior,
            },
            {
                "alignment": self.alignment,
                "best_alignment": self.best_alignment,
                "log_posteriors": trace.log_posteriors,
                "grammar_sizes": trace.grammar_sizes,
                "moves": trace.moves,
            },
        )
        _checkpoint(folder, self.pairs, self.options).write(state)

    @classmethod
    def resume(cls, folder: Path, pairs: SampledPairs, options: GibbsOptions) -> Chain | None:
        """The chain that `save` wrote, which goes on as if it had never stopped; None if there is none."""

        def restore(stored: Stored) -> Chain:
            generator = np.random.default_rng()
            generator.bit_generator.state = stored.settings["generator"]
            log_posteriors = stored.array("log_posteriors", np.float64, (None,))
            done = len(log_posteriors)
            if done > options.sweeps:
                raise stored.fault("log_posteriors", f"of at most {options.sweeps} sweeps", done)
            chain = cls(pairs, options, generator, _stored_alignment(stored, "alignment", pairs))
            chain.sweeps_done = done
            # The sum as it was, not as it is when all is added up again in another order.
            chain.log_posterior = stored.number("log_posterior", low=-_FAR, high=_FAR)
            chain.best_alignment = _stored_alignment(stored, "best_alignment", pairs)
            chain.best_log_posterior = stored.number("best_log_posterior", low=-_FAR, high=_FAR)
            chain.trace.log_posteriors[:] = log_posteriors
            chain.trace.grammar_sizes[:] = stored.array("grammar_sizes", np.int64, (done,))
            chain.trace.moves[:] = stored.array("moves", np.int64, (done,))
            return chain

        return _checkpoint(folder, pairs, options).resume(restore)


def run_chain(
    chain: Chain, *, checkpoint: Path | None = None, every: int = 100, progress: Progress | None = None
) -> Chain:
    """Let a chain do its remaining sweeps, saving it after each so many and at the end."""
    while chain.sweeps_done < chain.options.sweeps:
        chain.advance()
        if checkpoint is not None and (
            chain.sweeps_done % every == 0 or chain.sweeps_done == chain.options.sweeps
        ):
            chain.save(checkpoint)
        if progress is not None:
            progress(chain)
    return chain


def run_chains(
    pairs: SampledPairs,
    options: GibbsOptions,
    generators: Sequence[np.random.Generator],
    *,
    folder: Path | None = None,
    every: int = 100,
    threads: int = 2,
    progress: Progress | None = None,
) -> tuple[Chain, ...]:
    """Independent chains, one for each generator; with a folder, those that stand there are taken up again.

    The result does not depend on the number of threads. Where one chain stops with an exception, such as one that
    `progress` raised, the others stop after their sweep.
    """
    stopped = Event()
    reasons: list[BaseException] = []

    def run(number: int) -> Chain:
        path = None if folder is None else folder / f"chain-{number}"
        try:
            stopped_before = None if path is None else Chain.resume(path, pairs, options)
            chain = stopped_before or Chain(pairs, options, generators[number])
            return run_chain(chain, checkpoint=path, every=every, progress=report)
        except CancelledError:
            raise
        except BaseException as error:
            stopped.set()
            reasons.append(error)
            raise

    def report(chain: Chain) -> None:
        if stopped.is_set():
            raise CancelledError
        if progress is not None:
            progress(chain)

    if not generators:
        raise LaconicError("no chain without a generator: give at least one")
    with ThreadPoolExecutor(threads) as pool:
        try:
            return tuple(pool.map(run, range(len(generators))))
        except CancelledError:  # of a chain that another one stopped: that one knows why
            raise reasons[0] from None
        except BaseException:  # an interruption from the keyboard reaches this thread only
            stopped.set()
            raise


def _checkpoint(folder: Path, pairs: SampledPairs, options: GibbsOptions) -> Checkpoint:
    return Checkpoint(folder, {"learner": "gibbs", "pairs": pairs.fingerprint, **asdict(options)})


def _stored_alignment(stored: Stored, name: str, pairs: SampledPairs) -> Nodes:
    """An alignment that the words allow: the kernel trusts it."""
    arrays = pairs.arrays
    found: Nodes = stored.array(name, np.int32, arrays.roots.shape)
    linked = (found >= 0) & (arrays.tops <= found) & (found <= arrays.bottoms)
    allowed = (found == UNALIGNED) | (arrays.deletable & (found == EPSILON)) | linked
    if not np.where(arrays.roots >= 0, found == arrays.roots, allowed).all():
        raise stored.fault(name, "an alignment of the pairs", "another")
    return found
