"""Trains the shipped models of the Markov grammar and of the noisy channel, and writes their cards.

    python -m training.markov --data ../shared/data --cache .cache/annotations.sqlite

The Markov grammar learns from 200,000 Google pairs, the noisy channel from those of the small training set. Trees
are those of the embedded parser, parsed once and kept in the cache. The price of a word, which sets the length that
is natural without a budget, is chosen on dev.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from experiments._trees import AMOUNTS, LONGEST, Corpora
from training.cards import MODELS, data_checksums, finish, licences, needs

from laconic.corpora.pair import Pair
from laconic.grammar.markov import MarkovOptions
from laconic.learn.markov import estimate_grammar
from laconic.metrics.evaluation import Compressor, evaluate
from laconic.systems.markov import Markov
from laconic.systems.noisy_channel import NoisyChannel

LEAST_CONTEXT, LEAST_WORD = 2, 5
PRUNE = 0.1
LEAST_TEMPLATE = 2
METRICS = ("word_accuracy", "string_accuracy", "positional_f1", "exact_match", "word_rate")


def train_shipped_markov(corpora: Corpora) -> Markov:
    """The Markov grammar of s = v = 1 with all annotation, without contexts that hardly matter."""
    options = MarkovOptions()
    grammar = estimate_grammar(
        corpora.observed()[AMOUNTS[-1]], options, least=LEAST_CONTEXT, least_word=LEAST_WORD
    )
    small = replace(
        grammar,
        head=grammar.head.pruned(PRUNE),
        left=grammar.left.pruned(PRUNE),
        right=grammar.right.pruned(PRUNE),
    )
    return Markov(small, options).calibrated(corpora.pairs("google", "dev"))


def scores(system: Compressor, dev: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """The scores on dev, at the length of the system's choice and at gold length."""
    found = {}
    for gold, name in ((False, "free length"), (True, "gold length")):
        report = evaluate(system, dev, gold_length=gold)
        found[name] = {metric: round(report[metric].score.macro or 0.0, 4) for metric in METRICS}
    return found


def card_of(corpora: Corpora, names: Sequence[str]) -> dict[str, object]:
    """What both cards say of how a model was made."""
    return {
        "command": "python -m training.markov --data ../shared/data",
        "seed": None,
        "trees": "of the embedded parser (models/annotator)",
        "needs": needs("annotator"),
        "training": data_checksums(names, corpora.data),
        "licences": licences(names),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/annotations.sqlite"))
    parser.add_argument("--output", type=Path, default=MODELS)
    options = parser.parse_args()
    corpora = Corpora(options.data, options.cache)
    dev = corpora.pairs("google", "dev")
    markov = train_shipped_markov(corpora)
    folder = options.output / markov.name
    markov.save(folder)
    assert markov.grammar is not None
    content = {
        "name": markov.name,
        "what": "Probabilities of keeping constituents of English news sentences, by a lexicalised Markov grammar",
        "options": {
            **asdict(markov.options),
            "smoothing": "interpolated Witten-Bell",
            "least context": LEAST_CONTEXT,
            "least word": LEAST_WORD,
            "prune": PRUNE,
            "word price": markov.word_price,
            "longest sentence": LONGEST,
            "pairs": AMOUNTS[-1],
        },
        "contexts": sum(
            tree.node_count for tree in (markov.grammar.head, markov.grammar.left, markov.grammar.right)
        ),
        "words": len(markov.grammar.lexicon.words),
        "scores on google.dev": scores(Markov.load(folder), dev),
    }
    finish(folder, content | card_of(corpora, ("google.train", "google200k.train")))
    channel = NoisyChannel(least=LEAST_TEMPLATE).fit(corpora.pairs("google", "train"))
    folder = options.output / channel.name
    channel.save(folder)
    content = {
        "name": channel.name,
        "what": "Productions, expansion templates and bigrams of English news sentences and their compressions",
        "options": {"least": LEAST_TEMPLATE, "longest sentence": LONGEST},
        "scores on google.dev": scores(NoisyChannel.load(folder), dev),
    }
    finish(folder, content | card_of(corpora, ("google.train",)))


if __name__ == "__main__":
    main()
