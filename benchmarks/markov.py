"""How fast Markov grammars are: edits between trees, training, and compressing beside parsing.

python -m benchmarks.markov --data ../shared/data
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable, Sequence
from itertools import cycle, islice, pairwise
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks._clock import milliseconds

from laconic.annotate import load_annotator
from laconic.budget import Budget
from laconic.corpora.pair import Pair
from laconic.corpora.registry import open_pairs
from laconic.corpora.treebanks import with_trees
from laconic.grammar.deletion_scfg import derive_by_words
from laconic.learn.markov import train_markov
from laconic.sentence import Sentence
from laconic.systems.markov import Markov
from laconic.systems.noisy_channel import NoisyChannel
from laconic.trees.edit_distance import align_trees, tree_edit_distance

TRAINING_PAIRS = 20_000
FULL = 200_000


def edits(pairs: Sequence[Pair]) -> None:
    trees = [pair.source.tree for pair in pairs if pair.source.tree is not None]
    sixty = [tree for tree in trees if 58 <= len(tree.labels) + len(tree.words) <= 62]
    neighbours = list(pairwise(sixty))
    for name, work in (("distance", tree_edit_distance), ("mapping", align_trees)):
        times = [milliseconds(lambda pair=pair, work=work: work(*pair), repeats=3) for pair in neighbours]  # type: ignore[misc]
        print(
            f"tree edit {name}, two trees of 60 nodes and words: median {median(times):.2f} ms, "
            f"most {max(times):.2f} ms"
        )


def training(pairs: Sequence[Pair]) -> None:
    """Whole training on repeated pairs, each turned into a derivation anew, as if read from a cache of trees."""
    usable = [(p.source.tree, p.kept[0]) for p in pairs if p.source.tree is not None and p.kept[0]]

    def derivations(count: int):  # type: ignore[no-untyped-def]
        return (derive_by_words(tree, kept) for tree, kept in islice(cycle(usable), count))

    train_markov(derivations(10))  # compiles
    start = process_time()
    train_markov(derivations(TRAINING_PAIRS))
    seconds = process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"training on {TRAINING_PAIRS:,} parsed pairs: {seconds:.1f} s, {memory:.2f} GiB in all; "
        f"{FULL:,} at this pace: {seconds * FULL / TRAINING_PAIRS:.0f} s"
    )


def compressing(train: Sequence[Pair], dev: Sequence[Pair]) -> None:
    annotator = load_annotator(threads=1)
    sentences = list(annotator.annotate([Sentence.from_words(pair.source.words) for pair in dev]))
    bare = [Sentence.from_words(sentence.words) for sentence in sentences]

    def per_sentence(work: Callable[[], object]) -> float:
        return milliseconds(work, repeats=3) / len(sentences)

    parsing = per_sentence(lambda: list(annotator.annotate(bare)))
    print(f"parsing a sentence: {parsing:.2f} ms")
    markov, channel = Markov().fit(train), NoisyChannel().fit(train)
    half = Budget.at_most(ratio=0.5, unit="pieces")
    questions: dict[str, Callable[[Sentence], object]] = {
        "markov": markov.compress,
        "markov, half the words": lambda sentence: markov.compress(sentence, half),
        "markov, half the characters": lambda sentence: markov.compress(
            sentence, Budget.at_most(ratio=0.5, unit="characters")
        ),
        "markov, 10 best": lambda sentence: markov.decoder(sentence).k_best(10),
        "markov, every length": lambda sentence: markov.decoder(sentence).frontier(),
        "noisy channel": channel.compress,
    }
    for name, ask in questions.items():
        time = per_sentence(lambda ask=ask: [ask(sentence) for sentence in sentences])  # type: ignore[misc]
        print(f"{name}: {time:.2f} ms a parsed sentence, {time / parsing:.2f} of parsing it")


def run(data: Path) -> None:
    side_file = data / "trees" / "written.train+dev.stanford.jsonl.gz"
    train, dev = (
        list(with_trees(open_pairs(f"written.{split}", data), side_file, on_error=lambda _: None))
        for split in ("train", "dev")
    )
    edits(train)
    compressing(train, dev[:60])
    training(train)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    run(parser.parse_args().data)
