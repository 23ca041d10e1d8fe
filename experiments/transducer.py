"""Cohn and Lapata (2009) again: the rows of Tables 5 and 6 on the dev sets, ours beside theirs.

    python -m experiments.transducer [row ...] --data ../shared/data
    python -m experiments.transducer --report experiments/results/transducer --data ../shared/data
    python -m experiments.transducer --ship FOLDER --data ../shared/data

The first trains variants on spoken and on written and keeps what they answer on dev, at their own length and at
that of each reference, under .cache/transducer; rows that are there already are not run again, and a row that
fails does not stop the others. A row takes one to five minutes. The second scores what is kept and writes the
tables. The third makes the shipped model: of spoken and written together, with the trees of the embedded parser,
which are those it will meet.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from time import perf_counter

import numpy as np

from laconic.annotate import load_annotator
from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.corpora.registry import find_corpus, open_pairs
from laconic.corpora.text import read_articles
from laconic.corpora.treebanks import with_trees
from laconic.decode.contract import Solution
from laconic.decode.cube_pruning import Beam
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.files import write_whole
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.rule_features import RULE_FEATURES, TOKEN_FEATURES, FeatureGroup
from laconic.grammar.rules import Rule
from laconic.learn.losses import CfgHamming, EditDistance, F1Loss, NgramHamming, TokenHamming
from laconic.learn.structured_svm import SvmOptions, SvmProgress
from laconic.metrics.evaluation import Compressor, evaluate
from laconic.ngram import EstimationOptions, NgramModel, estimate, load_news_model
from laconic.sentence import Sentence
from laconic.systems.transducer.answers import written
from laconic.systems.transducer.examples import aligned_trees
from laconic.systems.transducer.learning import LearningOptions, Lessons, learn, prepare
from laconic.systems.transducer.system import TreeTransducer
from laconic.systems.trees import parsed_pairs
from laconic.text.split import split_sentences

CORPORA = ("spoken", "written")
KEPT = Path(".cache/transducer")
BEAM = Beam(30, 90)
BASE = LearningOptions(svm=SvmOptions(regularisation=10.0, gap=0.01, iterations=60))

Theirs = tuple[float, float, float]
"""Rate, relation F1 and loss as the paper has them: CLspoken's 78 development sentences."""


@dataclass(frozen=True)
class Row:
    """A variant of the system: how it learns, the order of its language model, and the paper's scores.

    One that is `priced` pays for words so that it keeps as many as the references of dev do.
    """

    options: LearningOptions = BASE
    order: int = 3
    theirs: Theirs | None = None
    priced: bool = False


ROWS: dict[str, Row] = {
    "depth 1*": Row(theirs=(79.72, 68.56, 315)),
    "depth 1*, priced": Row(priced=True),
    "penalty 0.25": Row(replace(BASE, loss=TokenHamming(penalty=0.25))),
    "penalty 0.5": Row(replace(BASE, loss=TokenHamming(penalty=0.5))),
    "no model": Row(order=0),
    "unigram": Row(order=1, theirs=(76.83, 59.05, 336)),
    "bigram": Row(order=2, theirs=(83.12, 67.71, 317)),
    "depth 0": Row(replace(BASE, extraction=ExtractionOptions(depth=0)), theirs=(80.79, 65.04, 341)),
    "depth 2": Row(replace(BASE, extraction=ExtractionOptions(depth=2)), theirs=(79.71, 66.44, 328)),
    "n-gram loss": Row(replace(BASE, loss=NgramHamming())),
    "CFG loss": Row(replace(BASE, loss=CfgHamming())),
    "edit distance": Row(replace(BASE, loss=EditDistance())),
    "F1 loss": Row(replace(BASE, loss=F1Loss()), order=0),
    "best score": Row(replace(BASE, gold="score"), theirs=(81.03, 65.54, 344)),
    "rule features": Row(replace(BASE, groups=RULE_FEATURES), theirs=(83.06, 67.51, 346)),
    "token features": Row(replace(BASE, groups=TOKEN_FEATURES), theirs=(85.10, 68.31, 341)),
    "slack": Row(replace(BASE, svm=replace(BASE.svm, rescaling="slack", regularisation=1.0)), order=0),
    "perceptron": Row(replace(BASE, learner="perceptron")),
    "rare rules too": Row(replace(BASE, rare=0, least=1)),
    "as published": Row(replace(BASE, rare=0, least=1, svm=replace(BASE.svm, regularisation=0.01))),
    "whole pairs": Row(replace(BASE, extraction=ExtractionOptions(whole=True))),
    "C = 1": Row(replace(BASE, svm=replace(BASE.svm, regularisation=1.0))),
}

TABLE_6 = {
    "spoken": (
        ("Transducer1", "depth 1*", 82.30, 66.63),
        ("Transducer2", "penalty 0.25", 69.89, 59.58),
    ),
    "written": (
        ("Transducer1", "depth 1*", 76.52, 58.02),
        ("Transducer2", "penalty 0.5", 61.09, 49.48),
    ),
}
"""Their systems, the row that is ours, and their rate and relation F1 on their test sets."""

REFERENCE_RATES = {"spoken": 76.11, "written": 70.24}
GRAMMARS = ("depth 0", "depth 1*", "depth 2", "rare rules too", "whole pairs")


def corpus(name: str, split: str, data: Path) -> list[Pair]:
    """The pairs with Stanford's trees; those whose tree is broken are left out and named."""
    pairs = open_pairs(f"{name}.{split}", data)
    side_file = data / "trees" / f"{name}.train+dev.stanford.jsonl.gz"
    return list(with_trees(pairs, side_file, on_error=print))


@cache
def language_model(order: int, data: Path) -> NgramModel | None:
    """The news model, or one of lower order from the same kind of text."""
    if order in (0, 3):
        return load_news_model() if order else None
    articles = read_articles(data / find_corpus("reuters").path)
    paragraphs = (paragraph for article in articles for paragraph in article)
    sentences = (sentence.words for paragraph in paragraphs for sentence in split_sentences(paragraph))
    return estimate(sentences, EstimationOptions(order=order, min_count=2, folding="news"))


Stored = list[int] | list[str] | None
"""An answer: the source positions kept, or words of which some are new, or that the length was refused."""


def answers(system: TreeTransducer, pair: Pair) -> dict[str, Stored]:
    """What a system answers at any length and at the length of each reference, from one forest."""
    space = system.transduction(pair.source)
    decoder = system.decoder(space)
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


class Replay:
    """A system that repeats the answers it gave before."""

    def __init__(self, pairs: Sequence[Pair], outputs: Sequence[dict[str, Stored]]) -> None:
        self._outputs = {pair.source.words: output for pair, output in zip(pairs, outputs, strict=True)}

    def compress(self, sentence: Sentence, budget: Budget | None = None) -> Compression:
        length = "any" if budget is None or budget.most is None else str(int(budget.most))
        answer = self._outputs[sentence.words][length]
        if answer is None:
            raise InfeasibleBudget(f"no output of {length} words")
        if all(isinstance(item, int) for item in answer):
            return Compression.by_deletion(sentence, [int(item) for item in answer])
        words = tuple(map(str, answer))
        return Compression(sentence, None, words, " ".join(words))


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
    aligned = [aligned_trees(pair) for pair in corpus(corpus_name, "train", data)]
    faults: list[LaconicError] = []
    options = replace(BASE, extraction=extraction, groups=groups, rare=rare)
    lessons = prepare(aligned, options, on_error=faults.append)
    return Preparation(lessons, len(aligned), len(faults), perf_counter() - started)


def run(name: str, corpus_name: str, data: Path) -> dict[str, object]:
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
        "deeper, %": percent(deep(rule) for rule in learnt.grammar.rules),
        "other category, %": percent(len(set(rule.root)) == 2 for rule in learnt.grammar.rules),
        "features": len(learnt.names),
        "pairs": prepared.pairs,
        "passed over": prepared.passed_over,
        "iterations": len(last),
        "gap": round(last[-1].gap, 4) if last else None,
        "training seconds": round(prepared.seconds + trained - started),
        "price": system.word_price,
        "outputs": [answers(system, pair) for pair in dev],
    }


def deep(rule: Rule) -> bool:
    """Whether a side has more than one level, words not counted: no context-free rule can say it."""
    return any(node.children for side in (rule.source, rule.target) for node in side.children)


def percent(flags: Iterable[bool]) -> float:
    values = list(flags)
    return round(100 * sum(values) / len(values), 1)


def run_rows(names: Sequence[str], corpora: Sequence[str], data: Path) -> int:
    """Run the rows that are not kept yet; returns how many failed."""
    failed = 0
    for name in names:
        for corpus_name in corpora:
            path = KEPT / corpus_name / f"{name}.json"
            if path.exists():
                continue
            try:
                found = run(name, corpus_name, data)
            except Exception:
                failed += 1
                traceback.print_exc()
                continue
            with write_whole(path) as stream:
                stream.write(json.dumps(found).encode())
            facts = {key: value for key, value in found.items() if key != "outputs"}
            print(f"{corpus_name}: {name}", json.dumps(facts), flush=True)
    return failed


def scores_of(system: Compressor, pairs: list[Pair]) -> dict[str, float]:
    """Natural length and gold length: rate and F1 in percent, the loss of a sentence."""
    judge = load_annotator()

    def parse(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
        return judge.annotate(sentences, cache=KEPT / "annotations.sqlite")

    found: dict[str, float] = {"loss": token_loss(system, pairs)}
    for condition, gold_length in (("", False), (" at gold length", True)):
        report = evaluate(system, pairs, gold_length=gold_length, parser=parse)
        for measurement in report.measurements:
            if measurement.metric in ("word_rate", "positional_f1", "relation_f1"):
                found[measurement.metric + condition] = round(100 * (measurement.score.macro or 0.0), 2)
    return found


def token_loss(system: Compressor, pairs: Sequence[Pair]) -> float:
    """The token Hamming loss against the first reference, a sentence."""
    total = 0
    for pair in pairs:
        words, reference = system.compress(pair.source).words, pair.references[0]
        wrong = sum(word not in reference for word in words)
        total += wrong + max(len(reference) - len(words), 0)
    return round(total / len(pairs), 2)


def report(folder: Path, data: Path) -> None:
    """Score the rows that are kept and write a file of tables for each corpus."""
    for corpus_name in CORPORA:
        pairs = corpus(corpus_name, "dev", data)
        kept = {name: KEPT / corpus_name / f"{name}.json" for name in ROWS}
        facts = {
            name: json.loads(path.read_text(encoding="utf-8")) for name, path in kept.items() if path.exists()
        }
        scores = {name: scores_of(Replay(pairs, found["outputs"]), pairs) for name, found in facts.items()}
        with write_whole(folder / f"{corpus_name}.md") as stream:
            stream.write("\n".join(page(corpus_name, pairs, facts, scores)).encode() + b"\n")


Facts = dict[str, dict[str, float | None]]
Scores = dict[str, dict[str, float]]


def page(corpus_name: str, pairs: Sequence[Pair], facts: Facts, scores: Scores) -> Iterator[str]:
    """The lines of a corpus' results."""
    references = [len(words) / len(pair.source) for pair in pairs for words in pair.references]
    yield f"# The tree transducer on {corpus_name}"
    yield ""
    yield "    python -m experiments.transducer && python -m experiments.transducer --report FOLDER"
    yield ""
    yield (
        f"Dev, {len(pairs)} sentences; Stanford's trees; learnt from the first reference of train. Rates and F1 "
        "are percentages against all references, relation F1 labelled, by the embedded parser; the loss is the "
        "token Hamming loss of a sentence against the first reference. Theirs: another parser, RASP's "
        "relations, one reference, and on spoken another split; a dash where they print nothing."
    )
    yield ""
    yield "## Table 5"
    yield ""
    theirs = corpus_name == "spoken"
    head = ["row", "rate", "relation F1", "loss"]
    head += ["their rate", "their relation F1", "their loss"] if theirs else []
    yield from table(
        [*head, "relation F1 at gold length", "positional F1 at gold length", "gap"],
        (
            [
                name,
                *(found[key] for key in ("word_rate", "relation_f1", "loss")),
                *(published(ROWS[name].theirs) if theirs else ()),
                *(found[f"{key} at gold length"] for key in ("relation_f1", "positional_f1")),
                facts[name]["gap"],
            ]
            for name, found in scores.items()
        ),
    )
    yield ""
    yield "## Table 6"
    yield ""
    systems = [
        [title, name, scores[name]["word_rate"], scores[name]["relation_f1"], rate, relations]
        for title, name, rate, relations in TABLE_6[corpus_name]
        if name in scores
    ]
    kept = round(100 * float(np.mean(references)), 2)
    yield from table(
        ["system", "row", "rate", "relation F1", "their rate (test)", "their relation F1 (test)"],
        [*systems, ["Reference", None, kept, None, REFERENCE_RATES[corpus_name], None]],
    )
    yield ""
    yield "## Grammars"
    yield ""
    columns = ("pairs", "passed over", "rules", "deeper, %", "other category, %", "features")
    yield from table(
        ["row", *columns],
        ([name, *(facts[name][column] for column in columns)] for name in GRAMMARS if name in facts),
    )


def published(theirs: Theirs | None) -> tuple[float | None, ...]:
    """Their scores, the loss a sentence."""
    return (None, None, None) if theirs is None else (*theirs[:2], round(theirs[2] / 78, 2))


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table; a dash where there is no value."""
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join('-' if value is None else str(value) for value in row)} |"


def ship(folder: Path, data: Path) -> None:
    """Train and store the shipped model with its card."""
    pairs = [pair for name in CORPORA for pair in open_pairs(f"{name}.train", data)]
    last: list[SvmProgress] = []
    faults: list[LaconicError] = []
    system = TreeTransducer(beam=BEAM).fit(pairs, options=BASE, progress=last.append, on_error=faults.append)
    dev = {name: list(parsed_pairs(open_pairs(f"{name}.dev", data))) for name in CORPORA}
    system = at_rate_of_references(system, [pair for pairs in dev.values() for pair in pairs])
    system.save(folder)
    print(f"saved, word price {system.word_price}", flush=True)
    assert system.grammar is not None
    card = {
        "name": "transducer",
        "system": "Cohn and Lapata (2009), sentence compression as tree transduction",
        "data": {
            "corpora": [f"{name}.train" for name in CORPORA],
            "sha256": {name: find_corpus(f"{name}.train").sha256 for name in CORPORA},
            "licences": {name: find_corpus(f"{name}.train").licence for name in CORPORA},
            "references": "the first of each pair",
            "trees": "the embedded parser's",
        },
        "options": {
            "depth": BASE.extraction.depth,
            "variables": BASE.extraction.variables,
            "nodes": BASE.extraction.nodes,
            "targets": BASE.targets,
            "loss": str(BASE.loss),
            "C": BASE.svm.regularisation,
            "gap": round(last[-1].gap, 4),
            "rare": BASE.rare,
            "least": BASE.least,
            "word price": system.word_price,
            "training beam": [BASE.beam.unique, BASE.beam.total],
            "language model": "news-trigram",
        },
        "rules": len(system.grammar),
        "pairs": len(pairs),
        "pairs passed over": len(faults),
        "scores": {f"{name}.dev": scores_of(system, pairs) for name, pairs in dev.items()},
    }
    with write_whole(folder / "card.json") as stream:
        stream.write(json.dumps(card, indent=2, ensure_ascii=False).encode() + b"\n")


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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="row", help=", ".join(ROWS))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--corpus", choices=CORPORA, help="only this corpus")
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="write the tables into this folder")
    parser.add_argument(
        "--ship", type=Path, metavar="FOLDER", help="train the shipped model into this folder"
    )
    options = parser.parse_args()
    if options.ship is not None:
        ship(options.ship, options.data)
        return
    if options.report is not None:
        report(options.report, options.data)
        return
    if unknown := set(options.rows) - set(ROWS):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    corpora = CORPORA if options.corpus is None else (options.corpus,)
    sys.exit(1 if run_rows(options.rows or list(ROWS), corpora, options.data) else 0)


if __name__ == "__main__":
    main()
