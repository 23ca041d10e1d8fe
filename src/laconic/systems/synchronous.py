"""Probabilistic synchronous tree substitution grammars as systems, learnt in three ways.

Elif Yamangil and Stuart Shieber: Bayesian Synchronous Tree-Substitution Grammar Induction and its Application to
Sentence Compression. ACL 2010.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from laconic.budgets import SearchSpace
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.decode.contract import Solution
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.stochastic_transducer import StochasticTransducer, StochasticTransduction
from laconic.errors import LaconicError, ModelError
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import AlignedTrees
from laconic.grammar.rule_probabilities import RuleProbabilities
from laconic.grammar.rule_table import AnyRule, FlatRules, RuleTable
from laconic.grammar.word_pcfg import Production
from laconic.learn.fixed_grammar import FixedGrammar
from laconic.learn.gibbs.chain import Chain, GibbsOptions, run_chains
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.derivations import derived_rules
from laconic.learn.rule_weights import RuleWeights
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.annotation import parsed, tree_of
from laconic.systems.calibration import best_price
from laconic.systems.decoding import DecodingSystem
from laconic.systems.transducer.examples import OnError, aligned_pairs
from laconic.text.detokenise import standing
from laconic.trees.constituency import Tree
from laconic.trees.transform import restrict, with_root

Coverage = Literal["training", "unseen"]
"""Which productions have a copying and a deleting rule though these were never counted: all of the training trees
and, as everywhere, those of a tree at hand that no rule knows, or the latter alone."""

Progress = Callable[[int, int], None]
"""Called with how many sweeps or iterations are done, and of how many."""

PRICES = tuple(step / 20 for step in (0, *range(1, 41), *range(-1, -41, -1)))
"""The prices of a word that `calibrated` tries, in nats; of equally good ones it takes the first."""

_ARRAYS = ("labels", "shapes", "words", "sides")


@dataclass(frozen=True, eq=False)
class Synchronous(DecodingSystem):
    """Rewrites the tree of a sentence by counted rules that keep, or delete and derive what is deleted.

    The score of a compression is the logarithm of the probability of its best derivation, in which all counts are
    raised by `added`. `word_price` is added for every kept word, and so sets the length that is natural without a
    budget.
    """

    rules: RuleProbabilities | None = field(default=None, repr=False)
    coverage: Coverage = "training"
    added: float = 1.0
    word_price: float = 0.0

    def __post_init__(self) -> None:
        if self.coverage not in get_args(Coverage):
            raise LaconicError(f"productions are covered of training or unseen, not {self.coverage!r}")
        if not (0 < self.added < float("inf") and np.isfinite(self.word_price)):
            raise LaconicError(
                f"counts are raised by a number above 0 and words have a finite price, not {self.added} and "
                f"{self.word_price}"
            )

    @abstractmethod
    def learn(
        self,
        pairs: Sequence[AlignedTrees],
        *,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
        on_error: OnError | None = None,
    ) -> Mapping[AnyRule, float]:
        """How often each rule is used, or expected, in the derivations of the pairs."""

    def fit(
        self,
        pairs: Iterable[Pair],
        *,
        development: Iterable[Pair] | None = None,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
        on_error: OnError | None = None,
    ) -> Self:
        """The system after learning from the first reference of each pair; missing trees are the parser's.

        Pairs that no rules derive, or whose reference does more than delete, are passed over; `on_error` hears of
        them. With development pairs, the price of a word is chosen on them, by `calibrated`. The state of learning is
        kept in the folder `checkpoint`, from which a stopped training goes on.
        """
        report = on_error or (lambda _: None)
        aligned = aligned_deletions(pairs, on_error=report)
        counts = self.learn(aligned, checkpoint=checkpoint, progress=progress, on_error=report)
        fitted = self.taught(counts, aligned)
        return fitted if development is None else fitted.calibrated(development)

    def taught(self, counts: Mapping[AnyRule, float], pairs: Iterable[AlignedTrees]) -> Self:
        """The system with counts of rules and, if those of training are covered, the productions of the pairs."""
        productions = (
            {Production.at(source, node) for source, _, _ in pairs for node in range(len(source.labels))}
            if self.coverage == "training"
            else ()
        )
        # What is stored has single precision, so that a system and its copy on disk score alike.
        rounded = {rule: float(np.float32(count)) for rule, count in counts.items()}
        rules = RuleProbabilities.of(rounded, productions=productions, added=self.added)
        return replace(self, rules=rules)

    def calibrated(self, pairs: Iterable[Pair], *, prices: Sequence[float] = PRICES) -> Self:
        """The system with the price of a word whose answers without a budget have the best F1 on the pairs."""
        return replace(self, word_price=best_price(self.decoder, pairs, prices))

    def transduction(self, sentence: Sentence) -> StochasticTransduction:
        """The forest of the derivations of a sentence; the parser finds a missing tree."""
        return self._transducer.transduction(with_root(tree_of(sentence)))

    def decoder(self, sentence: Sentence) -> ForestDecoder:
        """The search over the derivations of a sentence."""
        return ForestDecoder(self.transduction(sentence).forest, words=len(sentence))

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """The derivations, each kept word at its price; answers have the trees that the rules write."""
        source = parsed(sentence)
        space = self.transduction(source)

        def write(solution: Solution) -> Compression:
            assert solution.derivation is not None, "a forest was searched"
            kept, tree = _what_stands(source, solution.kept, space.target(solution.derivation))
            return Compression.by_deletion(source, kept, score=solution.score, tree=tree)

        decoder = ForestDecoder(space.forest, words=len(source))
        return SearchSpace(source, decoder, word_price=self.word_price, write=write)

    def most_probable_tree(
        self, sentence: Sentence, *, samples: int = 1000, generator: np.random.Generator | None = None
    ) -> Compression:
        """The compression whose tree is the most probable, whatever its derivation, by so many samples of these.

        The score is the logarithm of its share of the samples; of equally frequent trees the first drawn is taken.
        Words have no price here.
        """
        source = parsed(sentence)
        space = self.transduction(source)
        decoder = ForestDecoder(space.forest, words=len(source))
        drawn = decoder.samples(samples, generator or np.random.default_rng(0))
        targets = ((space.target(each.derivation), each.kept) for each in drawn if each.derivation)
        (tree, kept), count = Counter(targets).most_common(1)[0]
        return Compression.by_deletion(source, kept, score=float(np.log(count / samples)), tree=tree)

    def save(self, folder: Path) -> None:
        """Write the rules, their counts and what these are raised by."""
        if self.rules is None:
            raise ModelError(
                f"a grammar of {self.name} that was not trained cannot be saved: call `fit` first"
            )
        settings = {"added": self.added, "word_price": self.word_price}
        counts = np.array(self.rules.counts, dtype=np.float32)
        flat = FlatRules.of(self.rules.rules)
        arrays = {"counts": counts, **{name: getattr(flat, name) for name in _ARRAYS}}
        write_model(folder, self.name, Content(settings, arrays, {"names": flat.names}))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            labels, shapes, words = (stored.array(name, np.int32, (None,)) for name in _ARRAYS[:3])
            sides = stored.array("sides", np.int32, (None, 2))
            counts = stored.array("counts", np.float32, (len(sides),), low=0.0, high=1e9)
            added = stored.number("added", low=1e-9, high=1e9)
            flat = FlatRules(tuple(stored.lines_of("names", distinct=True)), labels, shapes, words, sides)
            if not len(sides) or (fault := flat.fault()):
                raise stored.fault("sides", "of rules", fault if len(sides) else "none")
            return cls(
                rules=RuleProbabilities.of_table(RuleTable(flat), counts.tolist(), added=added),
                added=added,
                word_price=stored.number("word_price"),
            )

    @cached_property
    def _transducer(self) -> StochasticTransducer:
        if self.rules is None:
            raise ModelError(f"a grammar of {self.name} that was not trained: call `fit` or `load` first")
        return StochasticTransducer.of(self.rules)


@dataclass(frozen=True, eq=False)
class Bayesian(Synchronous):
    """Finds the rules themselves, by sampling the derivations of all pairs under a Dirichlet process.

    Of several `chains` the one that has come to the most probable derivations is taken.
    """

    options: GibbsOptions = field(default_factory=GibbsOptions)
    chains: int = 1
    seed: int = 0
    name: ClassVar[str] = "bayesian"

    def learn(
        self,
        pairs: Sequence[AlignedTrees],
        *,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
        on_error: OnError | None = None,
    ) -> Mapping[AnyRule, float]:
        """How often each rule is used in the most probable derivations that were found."""
        sampled = SampledPairs.of(pairs, on_error=on_error)
        done: dict[int, int] = {}

        def report(chain: Chain) -> None:
            done[id(chain)] = chain.sweeps_done
            if progress is not None:
                progress(sum(done.copy().values()), self.chains * self.options.sweeps)

        chains = run_chains(
            sampled,
            self.options,
            np.random.default_rng(self.seed).spawn(self.chains),
            folder=None if checkpoint is None else checkpoint / f"seed-{self.seed}",
            progress=report,
        )
        best = max(chains, key=lambda chain: chain.best_log_posterior)
        return derived_rules(sampled, best.best_alignment)


@dataclass(frozen=True, eq=False)
class _Weighed(Synchronous):
    """What learns the weights of rules that were extracted before.

    Rules that are expected less often than `least_expected` are left out of prediction: about half of all rules are
    expected next to nowhere, and a model with them is twice as large and as slow to match. At 0 all stay.
    """

    extraction: ExtractionOptions = field(default_factory=lambda: ExtractionOptions(whole=True))
    iterations: int = 20
    least_expected: float = 0.001

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.iterations < 1 or not 0 <= self.least_expected < float("inf"):
            raise LaconicError(
                f"there is at least one iteration and rules are expected 0 times or more, not {self.iterations} and "
                f"{self.least_expected}"
            )

    def learn(
        self,
        pairs: Sequence[AlignedTrees],
        *,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
        on_error: OnError | None = None,
    ) -> Mapping[AnyRule, float]:
        """How often each rule is expected."""
        grammar = FixedGrammar.extracted(pairs, self.extraction, on_error=on_error)
        return self.counted(grammar, self.weighed(grammar, checkpoint=checkpoint, progress=progress))

    def weighed(
        self, grammar: FixedGrammar, *, checkpoint: Path | None = None, progress: Progress | None = None
    ) -> RuleWeights:
        """The weights of the rules of a grammar."""

        def report(iteration: int, _: float) -> None:
            if progress is not None:
                progress(iteration, self.iterations)

        return self._weighed(grammar, checkpoint, report)

    def counted(self, grammar: FixedGrammar, found: RuleWeights) -> Mapping[AnyRule, float]:
        """What a rule counts in prediction."""
        counts = zip(grammar.rules, found.expected.tolist(), strict=True)
        return {rule: count for rule, count in counts if count >= self.least_expected}

    @abstractmethod
    def _weighed(
        self, grammar: FixedGrammar, checkpoint: Path | None, progress: Callable[[int, float], None]
    ) -> RuleWeights: ...


@dataclass(frozen=True, eq=False)
class ExpectationMaximisation(_Weighed):
    """Weighs the rules of an extracted grammar by MAP-EM, from uniform weights.

    `smoothing` is the paper's α, `added` its δ - 1.
    """

    added: float = 0.01
    smoothing: float = 1.0001
    name: ClassVar[str] = "em"

    def counted(self, grammar: FixedGrammar, found: RuleWeights) -> Mapping[AnyRule, float]:
        """The expected counts, raised as the prior says."""
        raised = self.smoothing - 1.0
        return {rule: count + raised for rule, count in super().counted(grammar, found).items()}

    def _weighed(
        self, grammar: FixedGrammar, checkpoint: Path | None, progress: Callable[[int, float], None]
    ) -> RuleWeights:
        return grammar.mode(
            self.smoothing, iterations=self.iterations, checkpoint=checkpoint, progress=progress
        )


@dataclass(frozen=True, eq=False)
class VariationalBayes(_Weighed):
    """Weighs the rules of an extracted grammar by variational Bayes, with the sampler's Dirichlet process as prior.

    `concentration` and `expansion` are the paper's α and β.
    """

    concentration: float = 100.0
    expansion: float = 0.1
    name: ClassVar[str] = "variational"

    def _weighed(
        self, grammar: FixedGrammar, checkpoint: Path | None, progress: Callable[[int, float], None]
    ) -> RuleWeights:
        return grammar.variational(
            self.concentration,
            self.expansion,
            iterations=self.iterations,
            checkpoint=checkpoint,
            progress=progress,
        )


def aligned_deletions(pairs: Iterable[Pair], *, on_error: OnError) -> list[AlignedTrees]:
    """The trees of the pairs whose first reference is made by deleting words; of others `on_error` hears."""
    aligned = aligned_pairs(pairs, on_error=on_error, only_deletions=True)
    if not aligned:
        raise LaconicError("there is no pair to learn from whose reference is made by deleting words")
    return aligned


def _what_stands(sentence: Sentence, kept: Sequence[int], tree: Tree) -> tuple[Sequence[int], Tree | None]:
    """The kept words, and their tree, without marks that are kept in vain: detokenising takes them away again."""
    stays = standing(sentence, tuple(kept))
    if len(stays) == len(kept):
        return kept, tree
    return stays, restrict(tree, [place for place, word in enumerate(kept) if word in stays])
