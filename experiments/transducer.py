"""Cohn and Lapata (2009) again: the rows of Tables 5 and 6 on the dev sets, ours beside theirs.

A job trains a variant on spoken or on written, answers dev at its own length and at that of each reference, and scores
the answers. It takes five seconds to four minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from time import perf_counter

import numpy as np
from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._transducer_tables import Replay, Stored, Theirs, described, scores_of, transducer_pages

from laconic.annotate import load_annotator
from laconic.budget import Budget
from laconic.corpora.pair import Pair
from laconic.corpora.registry import find_corpus, open_pairs
from laconic.corpora.text import read_articles
from laconic.corpora.treebanks import with_trees
from laconic.decode.contract import Solution
from laconic.decode.cube_pruning import Beam
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import AlignedTrees, Grammar
from laconic.grammar.rule_features import RULE_FEATURES, TOKEN_FEATURES, FeatureGroup
from laconic.learn.structured_svm import SvmOptions, SvmProgress
from laconic.learn.training import Schedule
from laconic.ngram import EstimationOptions, NgramModel, estimate, load_news_model
from laconic.sentence import Sentence
from laconic.systems.decoding import DecodingSystem
from laconic.systems.dependency import Discriminative
from laconic.systems.dependency import LearningOptions as DiscriminativeOptions
from laconic.systems.ilp import Ilp
from laconic.systems.transducer.answers import written
from laconic.systems.transducer.examples import aligned_trees
from laconic.systems.transducer.learning import LearningOptions, Lessons, learn, prepare
from laconic.systems.transducer.losses import CfgHamming, EditDistance, F1Loss, NgramHamming, TokenHamming
from laconic.systems.transducer.system import TreeTransducer
from laconic.text.split import split_sentences

CORPORA = ("spoken", "written")
MINUTES = {"spoken": 11, "written": 19}
BEAM = Beam(30, 90)
BASE = LearningOptions(svm=SvmOptions(regularisation=10.0, gap=0.01, iterations=60))
THEIR_RULES = replace(BASE, rare=0, least=1)
"""As published, every rule has features of its own and stays, however rare."""
MIRA = DiscriminativeOptions(learner="mira", strength=0.1, references=1, schedule=Schedule(epochs=6))


@dataclass(frozen=True)
class Row:
    """A variant of the system: how it learns, the order of its language model, and the paper's scores.

    One that is `priced` pays for words so that it keeps as many as the references of dev do.
    """

    options: LearningOptions = BASE
    order: int = 3
    theirs: Theirs | None = None
    priced: bool = False


def published_rows(base: LearningOptions) -> dict[str, Row]:
    """The rows of their Tables 5 and 6."""
    return {
        "depth 1*": Row(base, theirs=(79.72, 68.56, 315)),
        "penalty 0.25": Row(replace(base, loss=TokenHamming(penalty=0.25))),
        "penalty 0.5": Row(replace(base, loss=TokenHamming(penalty=0.5))),
        "no model": Row(base, order=0),
        "unigram": Row(base, order=1, theirs=(76.83, 59.05, 336)),
        "bigram": Row(base, order=2, theirs=(83.12, 67.71, 317)),
        "depth 0": Row(replace(base, extraction=ExtractionOptions(depth=0)), theirs=(80.79, 65.04, 341)),
        "depth 2": Row(replace(base, extraction=ExtractionOptions(depth=2)), theirs=(79.71, 66.44, 328)),
        "best score": Row(replace(base, gold="score"), theirs=(81.03, 65.54, 344)),
        "rule features": Row(replace(base, groups=RULE_FEATURES), theirs=(83.06, 67.51, 346)),
        "token features": Row(replace(base, groups=TOKEN_FEATURES), theirs=(85.10, 68.31, 341)),
    }


ROWS: dict[str, Row] = {
    **published_rows(BASE),
    "depth 1*, priced": Row(priced=True),
    "n-gram loss": Row(replace(BASE, loss=NgramHamming())),
    "CFG loss": Row(replace(BASE, loss=CfgHamming())),
    "edit distance": Row(replace(BASE, loss=EditDistance())),
    "F1 loss": Row(replace(BASE, loss=F1Loss()), order=0),
    "slack": Row(replace(BASE, svm=replace(BASE.svm, rescaling="slack", regularisation=1.0)), order=0),
    "perceptron": Row(replace(BASE, learner="perceptron")),
    "whole pairs": Row(replace(BASE, extraction=ExtractionOptions(whole=True))),
    **{f"{name}, all rules": row for name, row in published_rows(THEIR_RULES).items()},
    "C = 0.01, all rules": Row(replace(THEIR_RULES, svm=replace(BASE.svm, regularisation=0.01))),
}


OTHERS = ("McDonald", "Clarke ILP")
"""The systems that they compare with: the discriminative model, and its best path under linguistic constraints."""


def corpus(name: str, split: str, data: Path) -> list[Pair]:
    """The pairs with Stanford's trees; those whose tree is broken are left out and named."""
    pairs = open_pairs(f"{name}.{split}", data)
    side_file = data / "trees" / f"{name}.train+dev.stanford.jsonl.gz"
    return list(with_trees(pairs, side_file, on_error=print))


@cache
def aligned(corpus_name: str, data: Path) -> list[AlignedTrees]:
    """The trees of train with the links between their words."""
    return [aligned_trees(pair) for pair in corpus(corpus_name, "train", data)]


@cache
def language_model(order: int, data: Path) -> NgramModel | None:
    """The news model, or one of lower order from the same kind of text."""
    if order in (0, 3):
        return load_news_model() if order else None
    articles = read_articles(data / find_corpus("reuters").path)
    paragraphs = (paragraph for article in articles for paragraph in article)
    sentences = (sentence.words for paragraph in paragraphs for sentence in split_sentences(paragraph))
    return estimate(sentences, EstimationOptions(order=order, min_count=2, folding="news"))


def answers(system: TreeTransducer, pair: Pair) -> dict[str, Stored]:
    """What a system answers at any length and at the length of each reference, from one forest."""
    space = system.transduction(pair.source)
    decoder = system.decoder_of(space)
    prices = np.full(len(pair.source), system.word_price)
    frontier = decoder.frontier(prices=prices)

    def stored(solve: Callable[[], Solution]) -> Stored:
        try:
            found = written(pair.source, space, solve())
        except InfeasibleBudget:
            return None
        return list(found.words) if found.kept is None else list(found.kept)

    lengths = sorted({len(reference) for reference in pair.references})
    at_length = {str(length): stored(partial(frontier.solution, length)) for length in lengths}
    return {"any": stored(partial(decoder.best, prices=prices)), **at_length}


@dataclass(frozen=True)
class Preparation:
    """What rows with the same grammar and the same features share."""

    lessons: Lessons
    pairs: int
    passed_over: int
    seconds: float


@lru_cache(maxsize=4)
def preparation(
    corpus_name: str, data: Path, extraction: ExtractionOptions, groups: FeatureGroup, rare: int
) -> Preparation:
    started = perf_counter()
    pairs = aligned(corpus_name, data)
    faults: list[LaconicError] = []
    options = replace(BASE, extraction=extraction, groups=groups, rare=rare)
    lessons = prepare(pairs, options, on_error=faults.append)
    return Preparation(lessons, len(pairs), len(faults), perf_counter() - started)


def run(name: str, corpus_name: str, data: Path, annotations: Path) -> Found:  # noqa: ARG001
    """Train a row and answer dev: what is kept of it."""
    row = ROWS[name]
    options = row.options
    prepared = preparation(corpus_name, data, options.extraction, options.groups, options.rare)
    language = language_model(row.order, data)
    last: list[SvmProgress] = []
    started = perf_counter()
    learnt = learn(
        prepared.lessons,
        options,
        language=language,
        generator=np.random.default_rng(0),
        progress=last.append,
    )
    trained = perf_counter()
    system = TreeTransducer(language=language, beam=BEAM).taught(learnt, options)
    dev = corpus(corpus_name, "dev", data)
    if row.priced:
        system = at_rate_of_references(system, dev)
    return {
        "rules": len(learnt.grammar),
        "features": len(learnt.names),
        "pairs": prepared.pairs,
        "passed over": prepared.passed_over,
        "iterations": len(last),
        "gap": round(last[-1].gap, 4) if last else None,
        "training seconds": round(prepared.seconds + trained - started),
        "price": system.word_price,
        "outputs": [answers(system, pair) for pair in dev],
    }


@cache
def discriminative(corpus_name: str, data: Path, annotations: Path) -> Discriminative:
    """McDonald's model, learnt as the rows are: from the first references of train, with Stanford's constituents."""
    train = with_heads(corpus(corpus_name, "train", data), annotations)
    return Discriminative().fit(train, options=MIRA, development=[])


def with_heads(pairs: Sequence[Pair], annotations: Path) -> list[Pair]:
    """The pairs with the dependencies of the embedded parser beside the constituents they have."""
    parsed = load_annotator(threads=1).annotate((pair.source for pair in pairs), cache=annotations)
    return [
        replace(pair, source=own.annotated(tree=pair.source.tree))
        for pair, own in zip(pairs, parsed, strict=True)
    ]


def run_other(name: str, corpus_name: str, data: Path, annotations: Path) -> Found:
    """Train a system that they compare with and answer dev: what is kept of it."""
    learnt = discriminative(corpus_name, data, annotations)
    system: DecodingSystem = learnt if name == "McDonald" else Ilp(learnt)

    def stored(sentence: Sentence, budget: Budget | None) -> Stored:
        try:
            return list(system.compress(sentence, budget).kept or ())
        except InfeasibleBudget:
            return None

    outputs = []
    for pair in with_heads(corpus(corpus_name, "dev", data), annotations):
        lengths = sorted({len(reference) for reference in pair.references})
        at_length = {
            str(length): stored(pair.source, Budget.exactly(length, unit="pieces")) for length in lengths
        }
        outputs.append({"any": stored(pair.source, None), **at_length})
    return {"outputs": outputs}


def at_rate_of_references(system: TreeTransducer, pairs: list[Pair]) -> TreeTransducer:
    """The system with the price of a word at which it keeps as much as the references do, by bisection."""
    wanted = np.mean([len(words) / len(pair.source) for pair in pairs for words in pair.references])
    low, high = -1.0, 1.0
    for _ in range(6):
        price = (low + high) / 2
        priced = replace(system, word_price=price)
        rate = np.mean([len(priced.compress(pair.source).words) / len(pair.source) for pair in pairs])
        low, high = (price, high) if rate < wanted else (low, price)
    return replace(system, word_price=(low + high) / 2)


# -- the jobs and their pages -----------------------------------------------------------------------


def row(at: Workplace, *, corpus_name: str, title: str) -> Found:
    """Train a row, answer dev, and score the answers."""
    kept = run_other if title in OTHERS else run
    found = kept(title, corpus_name, at.data, at.annotations)
    pairs = corpus(corpus_name, "dev", at.data)
    outputs = found.pop("outputs")
    return {**found, "scores": scores_of(Replay(pairs, outputs), pairs, at.annotations)}


def grammars(at: Workplace, *, corpus_name: str) -> Found:
    """How many rules a corpus has at each depth, and what dev is like."""
    pairs = corpus(corpus_name, "dev", at.data)
    rates = [len(words) / len(pair.source) for pair in pairs for words in pair.references]
    rows = []
    for depth in (0, 1, 2):
        found = Grammar.extracted(aligned(corpus_name, at.data), ExtractionOptions(depth=depth))
        rows.append([depth, *described(found)])
    return {"sentences": len(pairs), "reference rate": round(100 * float(np.mean(rates)), 2), "rows": rows}


def _reads(corpus_name: str) -> tuple[str, ...]:
    return f"{corpus_name}.train", f"{corpus_name}.dev", f"{corpus_name}.trees"


def _jobs(corpus_name: str) -> Iterator[Job]:
    options = {"corpus_name": corpus_name}
    yield Job("grammars", grammars, options, reads=_reads(corpus_name))
    for title in (*ROWS, *OTHERS):
        text = ("reuters",) if title in ROWS and ROWS[title].order in (1, 2) else ()
        yield Job(
            title,
            row,
            {**options, "title": title},
            reads=(*_reads(corpus_name), *text),
            uses=("parser", "news-trigram"),
        )


EXPERIMENTS = tuple(
    Experiment(
        f"transducer/{name}",
        f"Cohn & Lapata 2009, losses, Tables 5 and 6 with all rows, on {name}",
        MINUTES[name],
        tuple(_jobs(name)),
        partial(transducer_pages, name, {title: variant.theirs for title, variant in ROWS.items()}),
    )
    for name in CORPORA
)
