"""The jobs behind the tables of synchronous grammars: which systems are tried, and what is found out about each.

A job's name says what it does: `bayesian,2,100,0.1` samples all but fold 2 with α = 100 and β = 0.1, `em,dev,1.1`
learns from all of train and is scored on dev, `chain,4,100,0.1` too, from seed 4 and for the full number of sweeps,
`chosen,4` likewise with the α and β that the folds have chosen, `svm,depth 1*` is a row of the tree transducer. Of
what a job has learnt, it tries every way of predicting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from time import time
from typing import ClassVar

import numpy as np
from experiments._experiment import Found, TimeIsUp, Workplace
from experiments._folds import folds
from experiments._transducer_tables import Replay
from experiments._trees import Corpora, corpora_at

from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.grammar.grammar import AlignedTrees
from laconic.grammar.rule_table import AnyRule
from laconic.learn.fixed_grammar import FixedGrammar
from laconic.learn.gibbs.chain import Chain, GibbsOptions
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.derivations import derived_rules
from laconic.metrics.evaluation import Compressor, evaluate
from laconic.metrics.lengths import WordRate
from laconic.metrics.report import Report
from laconic.metrics.tokens import PositionalF1
from laconic.sentence import Sentence
from laconic.systems.synchronous import (
    Bayesian,
    Coverage,
    ExpectationMaximisation,
    Synchronous,
    VariationalBayes,
    aligned_deletions,
)

CORPUS = "spoken"
FOLDS = 5
SCORED = 3  # of the folds: each is two hours of one core
DEV = "dev"  # in the place of a fold: learn from all of train
COVERAGES: tuple[Coverage, ...] = ("training", "unseen")
CONCENTRATIONS = (1e-6, 1e-4, 1e-2, 1.0, 100.0, 1e4, 1e6)
EXPANSIONS = (1e-3, 1e-2, 0.1, 0.5)
SMOOTHINGS = (1.0001, 1.01, 1.1, 2.0)
LEAST_EXPECTED = (0.0, 0.001)
ADDED = {"bayesian": (0.01, 1.0), "em": (0.0001, 0.01, 1.0), "variational": (0.01, 1.0)}
SAMPLES, SEEDS = 200, range(5)
THEIR_PROCESS = (100.0, 0.1)  # α and β, as chosen in the paper
THEIR_SVM = ("depth 1*, all rules", "depth 1*", "slack")


@dataclass(frozen=True)
class Plan:
    """What the jobs need to know: where the data is, and how much of everything is done."""

    at: Workplace
    sweeps: int = 5000
    grid_sweeps: int = 50
    sentences: int | None = None
    """About so many of train and of dev: to try the program itself."""

    def some(self, pairs: list[Pair]) -> list[Pair]:
        """All pairs, or some from all over the corpus."""
        return pairs if self.sentences is None else pairs[:: max(1, len(pairs) // self.sentences)]

    def corpora(self) -> Corpora:
        return corpora_at(self.at)


def grid_jobs() -> Iterator[str]:
    """The whole grid on every fold and on dev, those of a fold together."""
    processes = [f"{alpha:g},{beta:g}" for alpha, beta in product(CONCENTRATIONS, EXPANSIONS)]
    for fold in (*map(str, range(SCORED)), DEV):
        yield from (f"bayesian,{fold},{each}" for each in processes)
        yield from (f"em,{fold},{alpha:g}" for alpha in SMOOTHINGS)
        yield from (f"variational,{fold},{each}" for each in processes)


def chain_jobs(parameters: Sequence[float]) -> list[str]:
    """Long chains on all of train, one for each seed."""
    return [",".join(["chain", str(seed), *(f"{each:g}" for each in parameters)]) for seed in SEEDS]


@dataclass(frozen=True)
class Material:
    """Pairs to learn from, as trees and as arrays."""

    aligned: list[AlignedTrees]
    sampled: SampledPairs

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Material:
        aligned = aligned_deletions(pairs, on_error=print)
        return cls(aligned, SampledPairs.of(aligned, on_error=print))


@lru_cache(maxsize=1)
def shown_and_held(plan: Plan, fold: str) -> tuple[list[Pair], list[Pair]]:
    """What a fold learns from and what it is scored on."""
    corpora = plan.corpora()
    train, dev = (plan.some(corpora.pairs(CORPUS, split)) for split in ("train", "dev"))
    return (train, dev) if fold == DEV else list(folds(train, FOLDS))[int(fold)]


@lru_cache(maxsize=1)
def material(plan: Plan, fold: str) -> Material:
    return Material.of(shown_and_held(plan, fold)[0])


@lru_cache(maxsize=1)
def fixed_grammar(plan: Plan, fold: str) -> FixedGrammar:
    return FixedGrammar.extracted(material(plan, fold).aligned, on_error=print)


def untrained(kind: str, parameters: Sequence[float], *, sweeps: int, seed: int = 0) -> Synchronous:
    """The system with its α and β."""
    if kind == "em":
        return ExpectationMaximisation(smoothing=parameters[0])
    alpha, beta = parameters
    if kind == "variational":
        return VariationalBayes(concentration=alpha, expansion=beta)
    return Bayesian(options=GibbsOptions(alpha, beta, sweeps=sweeps), seed=seed)


def work(plan: Plan, job: str) -> Found | None:
    """Do one job: what it found, or None if the time is up."""
    kind, rest = job.split(",", 1)
    if kind == "svm":
        return svm(plan, rest)
    place, *parameters = rest.split(",")
    fold, seed, sweeps = (place, 0, plan.grid_sweeps) if kind != "chain" else (DEV, int(place), plan.sweeps)
    system = untrained(kind, [float(each) for each in parameters], sweeps=sweeps, seed=seed)
    state, end = plan.at.state("bayesian", job), plan.at.end
    _, held = shown_and_held(plan, fold)
    points = []
    for least in LEAST_EXPECTED if isinstance(system, ExpectationMaximisation) else (None,):
        if least is not None:
            system = replace(system, least_expected=least)
        counts = counts_of(system, plan, fold, state, end)
        if counts is None:
            return None
        for added, coverage in product(ADDED[system.name], COVERAGES):
            taught = replace(system, added=added, coverage=coverage).taught(
                counts, material(plan, fold).aligned
            )
            point = {"added": added, "coverage": coverage, "least": least, "rules": size(taught)}
            answers: dict[str, Compressor] = {"own": taught, "gold": taught}
            if kind == "chain" and seed == 0 and (added, coverage) == (1.0, "training"):
                answers["tree"] = MostProbableTree(taught)
            for length, answering in answers.items():
                found = measured(scored(plan, answering, held, end, gold=length == "gold"))
                if fold != DEV:
                    del found["values"]  # differences are tested on dev
                point[length] = found
            points.append(point)
    return {"sentences": len(held), "points": points}


def counts_of(
    system: Synchronous, plan: Plan, fold: str, state: Path, end: float
) -> dict[AnyRule, float] | None:
    """How often each rule is counted; None if the time is up. The sampler goes on where it has stopped."""
    if isinstance(system, Bayesian):
        sampled = material(plan, fold).sampled
        chain = Chain.resume(state, sampled, system.options)
        chain = chain or Chain(sampled, system.options, np.random.default_rng(system.seed))
        while chain.sweeps_done < system.options.sweeps and time() < end:
            chain.advance()
        chain.save(state)
        if chain.sweeps_done < system.options.sweeps:
            return None
        return dict(derived_rules(sampled, chain.best_alignment))
    assert isinstance(system, ExpectationMaximisation | VariationalBayes)
    grammar = fixed_grammar(plan, fold)
    return dict(system.counted(grammar, system.weighed(grammar)))


def svm(plan: Plan, row: str) -> Found:
    """A row of the tree transducer, which answers dev."""
    from experiments.transducer import run  # it imports a learner that nothing else here needs

    _, held = shown_and_held(plan, DEV)
    found = run(row, CORPUS, plan.at.data, plan.at.annotations)
    replay = Replay(plan.corpora().pairs(CORPUS, "dev"), found["outputs"])
    point = {
        length: measured(scored(plan, replay, held, np.inf, gold=length == "gold"))
        for length in ("own", "gold")
    }
    return {"sentences": len(held), "points": [{"rules": found["rules"], **point}]}


def scored(plan: Plan, system: Compressor, pairs: Sequence[Pair], end: float, *, gold: bool) -> Report:
    """A report with relations by the embedded parser."""
    corpora = plan.corpora()

    def parse(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
        return corpora.parse(sentences)

    def stop_in_time(_: int, __: int) -> None:
        if time() >= end:
            raise TimeIsUp

    metrics = (PositionalF1(), WordRate())
    return evaluate(system, pairs, gold_length=gold, metrics=metrics, parser=parse, progress=stop_in_time)


def measured(report: Report) -> Found:
    """Scores in percent, and the relation F1 of every sentence, to test differences by."""
    relations = report["relation_f1"]
    found = {
        "precision": relations.score.precision,
        "recall": relations.score.recall,
        "relation F1": relations.score.macro,
        "F1": report["positional_f1"].score.macro,
        "rate": report["word_rate"].score.macro,
    }
    scores = {name: round(100 * (value or 0.0), 4) for name, value in found.items()}
    values = [None if value is None else round(value, 4) for value in relations.values]
    return {**scores, "values": values}


@dataclass(frozen=True)
class MostProbableTree:
    """Answers with the tree of most samples, whatever its derivation, at its own length."""

    grammar: Synchronous
    name: ClassVar[str] = "most probable tree"

    def compress(self, sentence: Sentence, budget: Budget | None = None) -> Compression:
        assert budget is None
        return self.grammar.most_probable_tree(sentence, samples=SAMPLES)


def size(system: Synchronous) -> int:
    """The number of rules that are counted."""
    assert system.rules is not None
    return sum(count > 0 for count in system.rules.counts)
