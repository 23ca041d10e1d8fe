"""A grammar extracted once from all pairs, and the forests of their derivations by it: what EM learns weights of.

Yamangil & Shieber (2010), section 4: where the sampler searches over grammars, MAP-EM and variational Bayes weigh the
rules of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from laconic.decode.stochastic_transducer import StochasticTransducer
from laconic.errors import LaconicError
from laconic.forest.hypergraph import Hypergraph
from laconic.grammar.base_distribution import BaseDistribution
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import AlignedTrees, Grammar
from laconic.grammar.rule_probabilities import deleting_rule
from laconic.grammar.rule_table import AnyRule
from laconic.grammar.word_pcfg import Production, WordPcfg
from laconic.learn.dirichlet import Roots, uniform_weights
from laconic.learn.rule_weights import Progress, RuleWeights, fit_mode, fit_variational, roots_of

_LEAST_PRIOR = 1e-100  # of rules so large that their probability is no number


@dataclass(frozen=True, slots=True, eq=False)
class FixedGrammar:
    """Rules, the numbers of their roots, the forests of the pairs, and a grammar of the trees with their words."""

    rules: tuple[AnyRule, ...]
    roots: Roots
    forests: tuple[Hypergraph, ...]
    pcfg: WordPcfg

    @classmethod
    def extracted(
        cls,
        pairs: Iterable[AlignedTrees],
        options: ExtractionOptions | None = None,
        *,
        on_error: Callable[[LaconicError], None] | None = None,
    ) -> FixedGrammar:
        """The rules of the pairs, with one that deletes every production; a pair that they cannot derive goes to
        `on_error`, or is an error."""
        aligned = tuple(pairs)
        plan = options or ExtractionOptions(whole=True)
        extracted = Grammar.extracted(aligned, plan, on_error=on_error)
        if not extracted.rules:
            raise LaconicError("there is no pair of trees to learn the weights of rules from")
        productions = {
            Production.at(source, node) for source, _, _ in aligned for node in range(len(source.labels))
        }
        rules: tuple[AnyRule, ...] = (*extracted.rules, *map(deleting_rule, sorted(productions, key=str)))
        roots = roots_of(rules)
        transducer = StochasticTransducer(rules, tuple(uniform_weights(roots)), {})
        forests = []
        for source, target, _ in aligned:
            try:
                forests.append(transducer.derivations(source, target))
            except LaconicError as error:
                if on_error is None:
                    raise
                on_error(error)
        trees = (tree for source, target, _ in aligned for tree in (source, target))
        return cls(rules, roots, tuple(forests), WordPcfg.from_trees(trees))

    def mode(
        self,
        smoothing: float,
        *,
        iterations: int,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
    ) -> RuleWeights:
        """The weights of MAP-EM."""
        return fit_mode(
            self.forests,
            self.roots,
            smoothing=smoothing,
            iterations=iterations,
            checkpoint=checkpoint,
            progress=progress,
        )

    def variational(
        self,
        concentration: float,
        expansion: float,
        *,
        iterations: int,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
    ) -> RuleWeights:
        """The weights of variational Bayes under the Dirichlet process of the sampler, truncated to these rules."""
        base = BaseDistribution(self.pcfg, expansion)
        logs = np.array([base.log_probability(rule) for rule in self.rules])
        return fit_variational(
            self.forests,
            self.roots,
            prior=np.maximum(concentration * np.exp(logs), _LEAST_PRIOR),
            concentration=concentration,
            iterations=iterations,
            checkpoint=checkpoint,
            progress=progress,
        )
