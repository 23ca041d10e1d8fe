"""Estimate the dependency grammar that is shipped in src/laconic/models/dependency-grammar.

    python -m training.dependency_grammar --data ../shared/data

Deterministic: the same data and version give the same counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np
from training.cards import data_checksums, finish, licences

from laconic.corpora.registry import open_corpus
from laconic.grammar.dependency_grammar import SHIPPED, DependencyGrammar, Smoothing
from laconic.sentence import Sentence

TRAIN = ("gum.train.dependencies", "ewt.train")
DEV = ("gum.dev.dependencies", "ewt.dev")
SMOOTHING = Smoothing(min_count=3, tags=30.0, words=400.0)


def mean_log_probability(grammar: DependencyGrammar, sentences: Iterable[Sentence]) -> float:
    """The mean ln p of an arc of the sentences."""
    scores: list[float] = []
    for sentence in sentences:
        assert sentence.tags is not None
        assert sentence.heads is not None
        table = grammar.log_probabilities(sentence.words, sentence.tags)
        heads = np.array(sentence.heads) + 1
        scores.extend(table[heads, np.arange(1, len(heads) + 1)])
    return float(np.mean(scores))


def train(data: Path, folder: Path) -> None:
    sentences = [sentence for name in TRAIN for sentence in open_corpus(name, data)]
    DependencyGrammar.estimate(sentences, smoothing=SMOOTHING).save(folder)
    grammar = DependencyGrammar.load(folder)
    card = {
        "name": "dependency-grammar",
        "what": "Smoothed probabilities of dependency arcs by tags, words and direction, of English",
        "command": "python -m training.dependency_grammar --data ../shared/data",
        "options": asdict(SMOOTHING),
        "seed": None,
        "training": {
            "sentences": len(sentences),
            "arcs": sum(map(len, sentences)),
            "sha256": data_checksums(TRAIN, data),
        },
        "tags": len(grammar.tags),
        "words": len(grammar.words),
        "mean ln p of an arc on dev": {
            name: round(mean_log_probability(grammar, open_corpus(name, data)), 4) for name in DEV
        },
        "licences": licences(TRAIN),
    }
    finish(folder, card)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=SHIPPED)
    arguments = parser.parse_args()
    train(arguments.data, arguments.output)
