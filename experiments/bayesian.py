"""Yamangil and Shieber (2010) again: Table 1, Figure 3 and Tables 3 and 4 on the spoken dev set.

    python -m experiments.bayesian [table ...] --data ../shared/data --output FOLDER

Tables: grid (what was tried, on a tenth of train and on dev; Figure 3), systems (Table 1), rules (Tables 3 and 4,
printed). Trees are those of the Stanford parser; everything learns from the first reference of train and is scored
against all references of dev. Relations are those of the embedded parser, labelled.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np
from experiments._plot import scatter_plot
from experiments._tables import Row, make_tables, write_table, write_text
from experiments._trees import Corpora

from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.grammar.grammar import AlignedTrees
from laconic.grammar.rule_probabilities import AnyRule, compression_table
from laconic.learn.fixed_grammar import FixedGrammar
from laconic.learn.gibbs.chain import Chain, GibbsOptions, run_chain
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.derivations import derived_rules
from laconic.metrics.evaluation import Compressor, evaluate
from laconic.metrics.report import Report
from laconic.sentence import Sentence
from laconic.systems.everything import Everything
from laconic.systems.synchronous import (
    Bayesian,
    Coverage,
    ExpectationMaximisation,
    Synchronous,
    VariationalBayes,
    aligned_deletions,
)

GRID_SWEEPS, SWEEPS = 50, 200
SEEDS = range(5)
SAMPLES = 200
COVERAGES: tuple[Coverage, ...] = ("training", "unseen")
CONCENTRATIONS = (1e-6, 1e-2, 1.0, 100.0, 1e4, 1e6)
EXPANSIONS = (1e-3, 0.5)  # beside 0.1, at the concentration 100
SMOOTHINGS, ADDED = (1.0001, 1.1, 2.0), (0.0001, 0.01, 1.0)
PAPER = (  # their Table 1, on test
    ("SVM", "55.60", "53.37", "54.46", "59.72"),
    ("EM", "58.80", "56.58", "57.67", "64.11"),
    ("GS", "58.94", "64.59", "61.64", "65.52"),
)
RESULTS = Path(__file__).parent / "results"
TITLES = {"bayesian": "GS", "em": "EM", "variational": "VB"}


@dataclass(frozen=True)
class Material:
    """Pairs to learn from, as trees, as arrays and as forests by an extracted grammar."""

    aligned: list[AlignedTrees]
    sampled: SampledPairs
    fixed: FixedGrammar

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Material:
        aligned = aligned_deletions(pairs, on_error=print)
        return cls(
            aligned, SampledPairs.of(aligned, on_error=print), FixedGrammar.extracted(aligned, on_error=print)
        )

    def taught(self, system: Synchronous) -> Synchronous:
        """The system after learning from these."""
        if isinstance(system, Bayesian):
            chain = run_chain(Chain(self.sampled, system.options, np.random.default_rng(system.seed)))
            return system.taught(derived_rules(self.sampled, chain.best_alignment), self.aligned)
        assert isinstance(system, ExpectationMaximisation | VariationalBayes)
        return system.taught(system.counted(self.fixed, system.weighed(self.fixed)), self.aligned)


def candidates() -> Iterator[Synchronous]:
    """The grid: alpha of the Dirichlet process, and beta at one alpha; alpha and delta of EM; what is covered."""
    processes = [(alpha, 0.1) for alpha in CONCENTRATIONS] + [(100.0, beta) for beta in EXPANSIONS]
    for alpha, beta in processes:
        yield Bayesian(options=GibbsOptions(alpha, beta, sweeps=GRID_SWEEPS))
    for alpha, added in product(SMOOTHINGS, ADDED):
        yield ExpectationMaximisation(smoothing=alpha, added=added)
    for (alpha, beta), added in product(processes, (0.01, 1.0)):
        yield VariationalBayes(concentration=alpha, expansion=beta, added=added)


def described(system: Synchronous) -> tuple[str, str, str]:
    """α, β and δ."""
    if isinstance(system, Bayesian):
        alpha, beta = system.options.concentration, f"{system.options.expansion:g}"
    elif isinstance(system, VariationalBayes):
        alpha, beta = system.concentration, f"{system.expansion:g}"
    else:
        assert isinstance(system, ExpectationMaximisation)
        alpha, beta = system.smoothing, ""
    return f"{alpha:g}", beta, f"{1 + system.added:g}"


def scored(corpora: Corpora, system: Compressor, pairs: Sequence[Pair], *, gold: bool = False) -> Report:
    def parse(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
        return corpora.parse(sentences)

    return evaluate(system, pairs, gold_length=gold, parser=parse)


def numbers(report: Report) -> tuple[float, float, float, float]:
    """Precision, recall and F1 of relations and the rate, in percent."""
    relations = report["relation_f1"].score
    found = (relations.precision, relations.recall, relations.macro, report["word_rate"].score.macro)
    precision, recall, f1, rate = (100 * (value or 0.0) for value in found)
    return precision, recall, f1, rate


def positional(report: Report) -> float:
    """F1 over positions, in percent."""
    return 100 * (report["positional_f1"].score.macro or 0.0)


def size(system: Synchronous) -> int:
    """The number of rules that are counted."""
    assert system.rules is not None
    return sum(count > 0 for count in system.rules.counts)


def grid(corpora: Corpora, folder: Path) -> None:
    train, dev = corpora.pairs("spoken", "train"), corpora.pairs("spoken", "dev")
    material = Material.of(pair for number, pair in enumerate(train) if number % 10)
    held = train[::10]

    def tried(system: Synchronous) -> list[tuple[Synchronous, int, tuple[float, ...], tuple[float, ...]]]:
        taught = material.taught(system)
        assert taught.rules is not None
        counts = {
            rule: count for rule, count in zip(taught.rules.rules, taught.rules.counts, strict=True) if count
        }
        found = []
        for coverage in COVERAGES:
            covered = replace(system, coverage=coverage).taught(counts, material.aligned)
            on_held, on_dev = (numbers(scored(corpora, covered, pairs)) for pairs in (held, dev))
            found.append((covered, size(covered), on_held, on_dev))
            print(system.name, *described(system), coverage, on_held, on_dev, flush=True)
        return found

    with ThreadPoolExecutor(2) as pool:
        results = [point for points in pool.map(tried, candidates()) for point in points]
    rows: list[Row] = [
        (
            "system",
            "α",
            "β",
            "δ",
            "covered",
            "rules",
            "relation F1, held out",
            "rate",
            "relation F1, dev",
            "P",
            "R",
            "rate",
        )
    ]
    points: dict[str, list[tuple[float, float, float, float]]] = {}
    for system, rules, on_held, on_dev in results:
        precision, recall, f1, rate = on_dev
        points.setdefault(TITLES[system.name], []).append((rate, f1, precision, recall))
        cells = (on_held[2], on_held[3], f1, precision, recall, rate)
        rows.append(
            (
                TITLES[system.name],
                *described(system),
                system.coverage,
                f"{rules:,}",
                *(f"{cell:.1f}" for cell in cells),
            )
        )
    write_table(
        folder / "grid.md",
        "What was tried",
        f"Learnt from nine tenths of spoken train ({len(material.aligned)} pairs, GS with {GRID_SWEEPS} sweeps), "
        f"scored at own length on the held out tenth ({len(held)} sentences) and on dev ({len(dev)}). Percent.",
        rows,
    )
    for place, what in enumerate(("relation F1", "precision", "recall"), start=1):
        dots = {name: [(point[0], point[place]) for point in found] for name, found in points.items()}
        write_text(
            folder / f"figure-3-{what.split()[0]}.svg", scatter_plot(dots, across="rate, %", up=f"{what}, %")
        )
    best = {
        name: max((point for point in results if point[0].name == name), key=lambda point: point[2][2])[0]
        for name in TITLES
    }
    write_text(
        folder / "chosen.json",
        json.dumps({name: settings(system) for name, system in best.items()}, indent=2) + "\n",
    )


def settings(system: Synchronous) -> dict[str, float | str]:
    """What tells candidates of a kind apart."""
    alpha, beta, _ = described(system)
    return {
        "alpha": float(alpha),
        "beta": float(beta or 0.0),
        "added": system.added,
        "coverage": system.coverage,
    }


def chosen(folder: Path) -> Mapping[str, Synchronous]:
    """The systems as the grid has chosen them, untrained."""
    found = json.loads((folder / "chosen.json").read_text(encoding="utf-8"))
    gibbs, em, vb = (found[name] for name in TITLES)

    def common(each: dict[str, float | str]) -> dict[str, float | str]:
        return {"added": each["added"], "coverage": each["coverage"]}

    return {
        "bayesian": Bayesian(
            options=GibbsOptions(gibbs["alpha"], gibbs["beta"], sweeps=SWEEPS), **common(gibbs)
        ),
        "em": ExpectationMaximisation(smoothing=em["alpha"], **common(em)),
        "variational": VariationalBayes(concentration=vb["alpha"], expansion=vb["beta"], **common(vb)),
    }


@cache
def whole(corpora: Corpora) -> Material:
    return Material.of(corpora.pairs("spoken", "train"))


@dataclass(frozen=True)
class MostProbableTree:
    """Answers with the tree of most samples, whatever its derivation, at its own length."""

    grammar: Synchronous
    name: ClassVar[str] = "most probable tree"

    def compress(self, sentence: Sentence, budget: Budget | None = None) -> Compression:
        assert budget is None
        return self.grammar.most_probable_tree(sentence, samples=SAMPLES)


def variants(material: Material, folder: Path) -> Iterator[tuple[str, list[Synchronous]]]:
    """The rows of Table 1: as chosen, and as the paper has chosen; of the sampler five seeds, covered in both ways."""
    best = chosen(folder)
    gibbs = best["bayesian"]
    assert isinstance(gibbs, Bayesian)
    with ThreadPoolExecutor(2) as pool:
        seeds = list(pool.map(material.taught, [replace(gibbs, seed=seed) for seed in SEEDS]))
    for coverage in COVERAGES:
        covered = [
            replace(each, coverage=coverage).taught(counts_of(each), material.aligned) for each in seeds
        ]
        yield f"GS, {parameters(gibbs)}, {coverage} covered, mean of {len(SEEDS)} seeds", covered
    theirs: tuple[Synchronous, ...] = (ExpectationMaximisation(), VariationalBayes())
    for system in (best["em"], theirs[0], best["variational"], theirs[1]):
        yield (
            f"{TITLES[system.name]}, {parameters(system)}, {system.coverage} covered",
            [material.taught(system)],
        )


def parameters(system: Synchronous) -> str:
    """α, β and δ in a line."""
    return ", ".join(f"{name} {value}" for name, value in zip("αβδ", described(system), strict=True) if value)


def counts_of(system: Synchronous) -> dict[AnyRule, float]:
    """The rules of a system that are counted."""
    assert system.rules is not None
    return {rule: count for rule, count in zip(system.rules.rules, system.rules.counts, strict=True) if count}


def transducers() -> Iterator[Row]:
    """The SVM's rows, from the tables of the tree transducer: the same sentences, trees and relations."""
    lines = (RESULTS / "transducer" / "spoken.md").read_text(encoding="utf-8").splitlines()
    found = {cells[0]: cells for line in lines if len(cells := line.strip("| ").split(" | ")) == 10}
    for name in ("depth 1*, all rules", "depth 1*", "slack"):
        cells = found[name]
        rate, relations, at_gold, positions = (f"{float(cells[place]):.1f}" for place in (1, 2, 7, 8))
        yield f"SVM, {name}", "", "", "", relations, rate, "", at_gold, positions, ""


def systems(corpora: Corpora, folder: Path) -> None:
    dev = corpora.pairs("spoken", "dev")
    rows: list[Row] = [
        (
            "system",
            "rules",
            "P",
            "R",
            "relation F1",
            "rate",
            "F1",
            "relation F1, gold length",
            "F1, gold length",
            "sd of relation F1",
        )
    ]
    for title, group in variants(whole(corpora), folder):
        found = []
        for system in group:
            free, held = (scored(corpora, system, dev, gold=gold) for gold in (False, True))
            found.append((*numbers(free), positional(free), numbers(held)[2], positional(held)))
            print(title, size(system), found[-1], flush=True)
        means = np.mean(found, axis=0)
        spread = f"{np.std([one[2] for one in found], ddof=1):.1f}" if len(found) > 1 else ""
        rows.append(
            (
                title,
                f"{np.mean([size(one) for one in group]):,.0f}",
                *(f"{value:.1f}" for value in means),
                spread,
            )
        )
        if title.startswith("GS, ") and "training" in title:
            sampled = scored(corpora, MostProbableTree(group[0]), dev)
            cells = (*numbers(sampled), positional(sampled))
            name = f"the first of these, most probable tree of {SAMPLES} samples"
            rows.append((name, f"{size(group[0]):,}", *(f"{cell:.1f}" for cell in cells), "", "", ""))
    everything = scored(corpora, Everything(), dev)
    cells = (*numbers(everything), positional(everything))
    rows.append(("everything", "", *(f"{cell:.1f}" for cell in cells), "", "", ""))
    rows += transducers()
    rows += [(f"their {name}, test", "", *cells, "", "", "", "") for name, *cells in PAPER]
    write_table(
        folder / "systems.md",
        "Table 1",
        f"Spoken dev, {len(dev)} sentences, learnt from the first reference of train ({SWEEPS} sweeps). Percent, "
        "relations by the embedded parser.",
        rows,
    )


def rules(corpora: Corpora, folder: Path) -> None:
    """Tables 3 and 4, printed."""
    system = whole(corpora).taught(chosen(folder)["bayesian"])
    assert system.rules is not None
    for label in ("ROOT", "S"):
        print(f"{label} / {label}")
        print(compression_table(system.rules, (label, label)))
        print()


if __name__ == "__main__":
    make_tables(
        __doc__,
        {"grid": grid, "systems": systems, "rules": rules},
        Corpora,
        RESULTS / "bayesian",
    )
