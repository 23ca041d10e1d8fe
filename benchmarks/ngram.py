"""How fast n-gram models are trained, stored, read and asked, and what cube pruning with one costs.

python -m benchmarks.ngram --data ../shared/data
"""

from __future__ import annotations

import argparse
import gc
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from training.news_trigram import DEV, OPTIONS, sources, training_sentences

from laconic.decode.cube_pruning import Beam, intersect
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph, slot
from laconic.forest.inference import best
from laconic.kernel import kernel
from laconic.ngram import EstimationOptions, NgramModel, estimate, load_news_model, log_probability
from laconic.ngram.arpa import read_arpa, write_arpa
from laconic.ngram.storage import load, save
from laconic.ngram.tables import Tables
from laconic.ngram.vocabulary import END

T = TypeVar("T")


def timed(work: Callable[[], T], *, repeats: int = 1) -> tuple[float, T]:
    """The least time of several runs, and the last result."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = perf_counter()
        result = work()
        times.append(perf_counter() - start)
    return min(times), result


@kernel
def sum_of_lookups(tables: Tables, ngrams: NDArray[np.int32]) -> float:
    total = 0.0
    for row in range(len(ngrams)):
        total += log_probability(tables, ngrams[row], 0, ngrams.shape[1] - 1, ngrams[row, -1])
    return total


def dictionary_of(model: NgramModel) -> dict[tuple[int, ...], tuple[float, float]]:
    values = {}
    for order in range(1, model.order + 1):
        first = model.offsets[order - 1]
        for node, ids in enumerate(model.ngrams(order).tolist(), start=first):
            backoff = float(model.tables.backoffs[node]) if order < model.order else 0.0
            values[tuple(ids)] = (float(model.tables.probabilities[node]), backoff)
    return values


def sum_by_dictionary(
    values: dict[tuple[int, ...], tuple[float, float]], ngrams: Sequence[tuple[int, ...]]
) -> float:
    total = 0.0
    for ngram in ngrams:
        while ngram not in values:
            if ngram[:-1] in values:
                total += values[ngram[:-1]][1]
            ngram = ngram[1:]
        total += values[ngram][0]
    return total


def trigrams_of(model: NgramModel, sentences: Sequence[Sequence[str]]) -> NDArray[np.int32]:
    """The trigrams of running text, as a search asks for them: many of them not listed."""
    tokens = np.concatenate([np.append(model.vocabulary.ids(sentence), END) for sentence in sentences])
    return np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(tokens.astype(np.int32), 3))


def forest_over(words: int, *, labels: int, variants: int, seed: int) -> Hypergraph:
    """A transducer's forest over a random tree: nodes by label, rules that keep, drop and swap children."""
    generator = np.random.default_rng(seed)
    builder = ForestBuilder(range(words))

    def nodes_over(start: int, end: int) -> list[int]:
        heads = [builder.node((start, end, label)) for label in range(labels)]
        if end - start == 1:
            for head in heads:
                builder.edge(head, emits=[start], score=generator.normal())
                builder.edge(head, score=generator.normal() - 1.0)
            return heads
        parts = int(min(end - start, generator.integers(2, 5)))
        cuts = np.sort(generator.choice(np.arange(start + 1, end), parts - 1, replace=False)).tolist()
        below = [nodes_over(*span) for span in zip([start, *cuts], [*cuts, end], strict=True)]
        for head in heads:
            for _ in range(variants):
                kept = [part for part in below if generator.random() < 0.8]
                template = [slot(place) for place in range(len(kept))]
                if generator.random() < 0.15:
                    template.reverse()
                tails = [part[generator.integers(labels)] for part in kept]
                builder.edge(head, tails, emits=template, score=generator.normal())
        return heads

    return builder.build(nodes_over(0, words)[0])


def run_training(data: Path) -> None:
    tokenising, sentences = timed(lambda: [list(words) for words in training_sentences(data)])
    words = sum(map(len, sentences))
    print(f"text: {len(sentences):,} sentences, {words:,} words, cut in {tokenising:.1f} s")
    for name, options in (
        ("all trigrams", EstimationOptions(order=3, min_count=2, folding="news")),
        ("as shipped", OPTIONS),
    ):
        seconds, model = timed(lambda options=options: estimate(sentences, options))
        rate = words / seconds
        print(f"estimate, {name}: {seconds:.1f} s, {rate:,.0f} words/s, {model.offsets[-1]:,} n-grams")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        writing, _ = timed(lambda: write_arpa(model, path / "model.arpa"))
        reading, _ = timed(lambda: read_arpa(path / "model.arpa"))
        saving, _ = timed(lambda: save(model, path / "model", bits=8))
        loading, _ = timed(lambda: load(path / "model"), repeats=3)
    print(f"ARPA: written in {writing:.1f} s, read in {reading:.1f} s")
    ratio = reading / loading
    print(
        f"binary: written in {saving:.2f} s, loaded in {1e3 * loading:.0f} ms, {ratio:.0f} x faster than ARPA"
    )


def run_lookups(data: Path) -> None:
    model = load_news_model()
    for name in DEV:
        result = model.perplexity(list(sources(data / name)))
        print(
            f"perplexity on {name}: {result.perplexity:.1f} ({result.known_perplexity:.1f} of known tokens), "
            f"{100 * result.unknown / result.tokens:.1f} % unknown"
        )
    text = [words for name in DEV for words in sources(data / name)]
    ngrams = np.tile(trigrams_of(model, text), (20, 1))
    sum_of_lookups(model.tables, ngrams[:10])
    seconds, total = timed(lambda: sum_of_lookups(model.tables, ngrams), repeats=3)
    print(f"lookups in a kernel: {len(ngrams) / seconds / 1e6:.1f} million/s (asked: 2)")
    values = dictionary_of(model)
    few = [tuple(row) for row in ngrams[: len(ngrams) // 20].tolist()]
    by_dictionary, other = timed(lambda: sum_by_dictionary(values, few))
    assert np.isclose(other * 20, total, rtol=1e-4)
    ratio = by_dictionary / len(few) / (seconds / len(ngrams))
    rate = len(few) / by_dictionary / 1e6
    print(f"lookups in a Python dictionary: {rate:.2f} million/s; the kernel is {ratio:.0f} x faster")


def run_cube_pruning(data: Path) -> None:
    model = load_news_model()
    words = next(words for words in sources(data / DEV[2]) if len(words) >= 25)[:25]
    forest = forest_over(25, labels=8, variants=14, seed=1)
    ids = model.vocabulary.ids(words)
    intersect(forest, model, symbol_ids=ids, beam=Beam(1, 1))
    for beam in (Beam(30, 60), Beam(100, 250), Beam(200, 500), Beam(2000, 5000)):
        seconds, found = timed(
            lambda beam=beam: intersect(forest, model, symbol_ids=ids, beam=beam), repeats=3
        )
        asked = " (asked: 150)" if beam.unique == 100 else ""
        print(
            f"cube pruning, {forest.edge_count:,} edges, beam {beam.unique}/{beam.total}: "
            f"{1e3 * seconds:.0f} ms{asked}, best {best(found.forest).score:.3f}"
        )


def run(data: Path) -> None:
    run_lookups(data)
    run_cube_pruning(data)
    run_training(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    run(parser.parse_args().data)
