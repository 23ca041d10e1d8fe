"""Cohn and Lapata (2009) again: the rows of Tables 5 and 6 on the dev sets, ours beside theirs.

    python -m experiments.transducer [row ...] --data ../shared/data --corpus spoken --output scores.json
    python -m experiments.transducer --ship FOLDER --data ../shared/data
    python -m experiments.transducer --abstractive 1500 --data ../shared/data

The first scores variants. Trees are those of the Stanford parser; models learn from the first reference of train
and are scored against all references of dev, relation F1 by the embedded parser, labelled. Theirs: another
parser, another split of spoken, relation F1 by RASP against one reference, loss summed over 78 sentences. A row
takes one to five minutes; each is written to the output as it is done, and rows that are there already are not
run again. The second makes the shipped model: of spoken and written together, with the trees of the embedded
parser, which are those it will meet. The third learns from so many abstractive pairs and shows rules that
substitute or reorder, and outputs made with them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from time import perf_counter

import numpy as np

from laconic.annotate import load_annotator
from laconic.corpora.pair import Pair
from laconic.corpora.registry import find_corpus, open_pairs
from laconic.corpora.text import read_articles
from laconic.corpora.treebanks import with_trees
from laconic.decode.cube_pruning import Beam
from laconic.errors import LaconicError
from laconic.files import write_whole
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.rule_features import RULE_FEATURES, TOKEN_FEATURES
from laconic.grammar.rules import Rule
from laconic.learn.losses import CfgHamming, EditDistance, F1Loss, NgramHamming, TokenHamming
from laconic.learn.structured_svm import SvmOptions, SvmProgress
from laconic.metrics.evaluation import evaluate
from laconic.ngram import EstimationOptions, NgramModel, estimate, load_news_model
from laconic.systems.transducer.learning import LearningOptions
from laconic.systems.transducer.system import TreeTransducer
from laconic.systems.trees import parsed_pairs
from laconic.text.split import split_sentences
from laconic.text.tokenise import tokenise

Theirs = tuple[float, float, float | None]
"""Rate, relation F1 and loss as the paper has them."""

CORPORA = ("spoken", "written")
BEAM = Beam(30, 90)
BASE = LearningOptions(svm=SvmOptions(regularisation=10.0, gap=0.05, iterations=60))


@dataclass(frozen=True)
class Row:
    """A variant of the system: how it learns, the order of its language model, and the paper's scores."""

    options: LearningOptions = BASE
    order: int = 3
    theirs: dict[str, Theirs] = field(default_factory=dict)


ROWS: dict[str, Row] = {
    "depth 1*": Row(theirs={"spoken": (79.72, 68.56, 315), "written": (76.52, 58.02, None)}),
    "as published": Row(replace(BASE, rare=0, least=1), theirs={"spoken": (79.72, 68.56, 315)}),
    "depth 0": Row(
        replace(BASE, extraction=ExtractionOptions(depth=0)), theirs={"spoken": (80.79, 65.04, 341)}
    ),
    "depth 2": Row(
        replace(BASE, extraction=ExtractionOptions(depth=2)), theirs={"spoken": (79.71, 66.44, 328)}
    ),
    "best score": Row(replace(BASE, gold="score"), theirs={"spoken": (81.03, 65.54, 344)}),
    "no model": Row(order=0),
    "unigram": Row(order=1, theirs={"spoken": (76.83, 59.05, 336)}),
    "bigram": Row(order=2, theirs={"spoken": (83.12, 67.71, 317)}),
    "rule features": Row(replace(BASE, groups=RULE_FEATURES), theirs={"spoken": (83.06, 67.51, 346)}),
    "token features": Row(replace(BASE, groups=TOKEN_FEATURES), theirs={"spoken": (85.10, 68.31, 341)}),
    "n-gram loss": Row(replace(BASE, loss=NgramHamming())),
    "CFG loss": Row(replace(BASE, loss=CfgHamming())),
    "edit distance": Row(replace(BASE, loss=EditDistance())),
    "F1 loss": Row(replace(BASE, loss=F1Loss()), order=0),
    "slack": Row(replace(BASE, svm=replace(BASE.svm, rescaling="slack", regularisation=1.0)), order=0),
    "perceptron": Row(replace(BASE, learner="perceptron")),
    "C = 1": Row(replace(BASE, svm=replace(BASE.svm, regularisation=1.0))),
    "penalty 0.25": Row(
        replace(BASE, loss=TokenHamming(penalty=0.25)), theirs={"spoken": (69.89, 59.58, None)}
    ),
    "penalty 0.5": Row(
        replace(BASE, loss=TokenHamming(penalty=0.5)), theirs={"written": (61.09, 49.48, None)}
    ),
}


def corpus(name: str, split: str, data: Path) -> list[Pair]:
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


def token_loss(system: TreeTransducer, pairs: Iterable[Pair]) -> float:
    """The token Hamming loss against the first reference, summed."""
    total = 0
    for pair in pairs:
        words, reference = system.compress(pair.source).words, pair.references[0]
        wrong = sum(word not in reference for word in words)
        total += wrong + max(len(reference) - len(words), 0)
    return float(total)


def ship(folder: Path, data: Path) -> None:
    """Train and store the shipped model with its card."""
    pairs = [pair for name in CORPORA for pair in open_pairs(f"{name}.train", data)]
    last: list[SvmProgress] = []
    faults: list[LaconicError] = []
    system = TreeTransducer(beam=BEAM).fit(pairs, options=BASE, progress=last.append, on_error=faults.append)
    dev = {name: list(parsed_pairs(open_pairs(f"{name}.dev", data))) for name in CORPORA}
    system = at_rate_of_references(system, [pair for pairs in dev.values() for pair in pairs[:50]])
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
        "scores": {
            f"{name}.dev": scores_of(system, list(open_pairs(f"{name}.dev", data))) for name in CORPORA
        },
    }
    with write_whole(folder / "card.json") as stream:
        stream.write(json.dumps(card, indent=2, ensure_ascii=False).encode() + b"\n")


def rewrites(rule: Rule) -> bool:
    """Whether a rule does more than delete: a new word, or variables in another order."""
    order = [node.link or 0 for node in rule.target.variables]
    return order != sorted(order) or not set(rule.target.words) <= set(rule.source.words)


def abstractive(count: int, data: Path, *, shown: int = 12) -> None:
    """Learn from abstractive pairs of one sentence each, and show what goes beyond deletion."""
    train, dev = (
        [
            pair
            for pair in open_pairs(f"msr.{split}", data, tokenise=tokenise)
            if len(pair.source) <= 40 and len(split_sentences(pair.source.text)) == 1
        ]
        for split in ("train", "dev")
    )
    faults: list[LaconicError] = []
    system = TreeTransducer().fit(train[:count], options=BASE, on_error=faults.append)
    assert system.grammar is not None
    rules = [
        (times, rule)
        for rule, times in zip(system.grammar.rules, system.grammar.counts, strict=True)
        if rewrites(rule)
    ]
    used = min(count, len(train))
    print(f"{used} pairs, {len(faults)} passed over; {len(rules)} of {len(system.grammar)} rules rewrite")
    for times, rule in rules[:shown]:
        print(f"{times:5}  {rule}")
    outputs = 0
    for pair in dev:
        found = system.compress(pair.source)
        applied = [part.rule for part in found.derivation.applications() if rewrites(part.rule)]
        if applied and outputs < shown:
            outputs += 1
            print(
                f"\nsource  {pair.source.text}\noutput  {found.text}\nperson  {' '.join(pair.references[0])}"
            )
            for rule in applied:
                print(f"        {rule}")


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


def scores_of(system: TreeTransducer, pairs: list[Pair]) -> dict[str, float]:
    """Natural length and gold length."""
    judge = load_annotator().annotate
    found: dict[str, float] = {"loss": token_loss(system, pairs)}
    for condition, gold_length in (("", False), (" at gold length", True)):
        report = evaluate(system, pairs, gold_length=gold_length, parser=judge)
        for measurement in report.measurements:
            if measurement.metric in ("word_rate", "positional_f1", "relation_f1"):
                found[measurement.metric + condition] = round(100 * (measurement.score.macro or 0.0), 2)
    return found


def deep(rule: Rule) -> bool:
    """Whether a side has more than one level, words not counted: no context-free rule can say it."""
    return any(node.children for side in (rule.source, rule.target) for node in side.children)


def percent(flags: Iterable[bool]) -> float:
    values = list(flags)
    return round(100 * sum(values) / len(values), 1)


def run(name: str, corpus_name: str, data: Path) -> dict[str, object]:
    row = ROWS[name]
    started = perf_counter()
    last: list[SvmProgress] = []
    system = TreeTransducer(language=language_model(row.order, data), beam=BEAM).fit(
        corpus(corpus_name, "train", data), options=row.options, progress=last.append
    )
    trained = perf_counter()
    assert system.grammar is not None
    return {
        "row": name,
        "rules": len(system.grammar),
        "deeper than one level, percent": percent(deep(rule) for rule in system.grammar.rules),
        "of another category, percent": percent(len(set(rule.root)) == 2 for rule in system.grammar.rules),
        "features": len(system.names),
        "gap": round(last[-1].gap, 4) if last else None,
        "training seconds": round(trained - started, 1),
        **scores_of(system, corpus(corpus_name, "dev", data)),
        "theirs (rate, relation F1, loss)": row.theirs.get(corpus_name),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="row", help=", ".join(ROWS))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--corpus", choices=CORPORA, default="spoken")
    parser.add_argument("--output", type=Path)
    parser.add_argument(
        "--ship", type=Path, metavar="FOLDER", help="train the shipped model into this folder"
    )
    parser.add_argument("--abstractive", type=int, metavar="N", help="learn from N abstractive pairs")
    options = parser.parse_args()
    if options.ship is not None:
        ship(options.ship, options.data)
        return
    if options.abstractive is not None:
        abstractive(options.abstractive, options.data)
        return
    if options.output is None:
        parser.error("--output is needed, or --ship or --abstractive")
    if unknown := set(options.rows) - set(ROWS):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    done = json.loads(options.output.read_text(encoding="utf-8")) if options.output.exists() else {}
    for name in options.rows or ROWS:
        key = f"{options.corpus}: {name}"
        if key not in done:
            done[key] = run(name, options.corpus, options.data)
            with write_whole(options.output) as stream:
                stream.write(json.dumps(done, indent=1, ensure_ascii=False).encode())
        print(key, json.dumps(done[key], ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
