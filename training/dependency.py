"""Train the models of `dependency` and `discriminative` that are shipped in src/laconic/models.

    python -m training.dependency --data ../shared/data --cache .cache/annotations.sqlite

One model each, of spoken and written news together. Trees are those of the embedded parser, parsed once and kept in
the cache. Same data, same seed, same machine: same weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
from training.cards import MODELS, data_checksums, finish, licences, needs

from laconic.annotate import load_annotator
from laconic.corpora.registry import open_pairs
from laconic.metrics.evaluation import evaluate
from laconic.sentence import Sentence
from laconic.systems.dependency import Dependency, Discriminative, LearningOptions
from laconic.systems.dependency.examples import CompressionExample, examples_of, gold_compressions
from laconic.systems.dependency.learning import fit_examples

TRAIN = ("spoken.train", "written.train")
DEV = ("spoken.dev", "written.dev")
SEED = 0
OPTIONS = LearningOptions(learner="mira", strength=0.1)
SCORES = ("positional_f1", "relation_f1", "word_rate")

Annotate = Callable[[Iterable[Sentence]], Iterable[Sentence]]


def scores(
    system: Dependency | Discriminative, data: Path, annotate: Annotate
) -> dict[str, dict[str, float]]:
    """What the system scores on the development pairs, held to the length of the references and free."""
    found = {}
    for name in DEV:
        pairs = list(open_pairs(name, data))
        for gold_length in (True, False):
            report = evaluate(system, pairs, gold_length=gold_length, parser=annotate)
            key = f"{name}, {'gold' if gold_length else 'own'} length"
            found[key] = {metric: round(report[metric].score.macro or 0.0, 4) for metric in SCORES}
    return found


def examples(
    names: Sequence[str], system: Dependency | Discriminative, data: Path, annotate: Annotate
) -> list[CompressionExample]:
    pairs = (pair for name in names for pair in open_pairs(name, data))
    return examples_of(gold_compressions(pairs, annotate=annotate), system.extractor, system.factors)


def train(
    kind: type[Dependency] | type[Discriminative], data: Path, folder: Path, annotate: Annotate
) -> None:
    system = kind()
    shown, unseen = (examples(names, system, data, annotate) for names in (TRAIN, DEV))
    training = fit_examples(
        shown,
        unseen,
        system.extractor.size,
        options=OPTIONS,
        generator=np.random.default_rng(SEED),
    )
    system = system.with_weights(training.weights)
    system.save(folder)
    stored = kind.load(folder)
    assert stored.weights is not None
    card = {
        "name": kind.name,
        "what": f"Weights of {kind.name!r} for English news, spoken and written",
        "command": "python -m training.dependency --data ../shared/data",
        "options": asdict(OPTIONS) | {"factors": asdict(stored.factors), "bits": stored.bits},
        "seed": SEED,
        "needs": needs("annotator", "news-trigram", "dependency-grammar"),
        "training": {
            "references": len(shown),
            "epochs": training.epoch,
            "sha256": data_checksums(TRAIN, data),
        },
        "stopped on": list(DEV),
        "weights": len(stored.weights.features),
        "dev": scores(stored, data, annotate),
        "licences": licences(TRAIN),
    }
    finish(folder, card)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/annotations.sqlite"))
    parser.add_argument("--output", type=Path, default=MODELS)
    parser.add_argument("--system", help="the one to train; by default both")
    arguments = parser.parse_args()
    annotate = partial(load_annotator().annotate, cache=arguments.cache)
    for kind in (Dependency, Discriminative):
        if arguments.system in (None, kind.name):
            train(kind, arguments.data, arguments.output / kind.name, annotate)
