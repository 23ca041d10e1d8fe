"""How fast the tree transducer extracts, builds forests, learns and decodes, against a pass of the annotator's encoder.

python -m benchmarks transducer

Extraction, forests and training of 901 spoken pairs are to take at most 15 minutes and 4 GiB on two cores.
Decoding a sentence whose forest is built: at most 2 passes of the encoder; building it: 10; beam 100 with the
trigram: 60.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from laconic.annotate.network import Network, register_weights
from laconic.corpora.registry import open_pairs
from laconic.corpora.treebanks import with_trees
from laconic.decode.cube_pruning import Beam
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.decode.transducer import Transducer, Transduction
from laconic.forest.inference import best
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import Grammar
from laconic.learn.structured_svm import SvmOptions, SvmProgress
from laconic.ngram import load_news_model
from laconic.systems.transducer.examples import aligned_trees
from laconic.systems.transducer.features import RuleFeatures, language_weight
from laconic.systems.transducer.learning import LearningOptions, learn, prepare

GAP = 0.01
SENTENCES = 60


def run(data: Path) -> None:
    pairs = with_trees(
        open_pairs("spoken.train", data), data / "trees/spoken.train+dev.stanford.jsonl.gz", on_error=print
    )
    aligned = [aligned_trees(pair) for pair in pairs]
    for depth in (0, 1, 2):
        started = perf_counter()
        grammar = Grammar.extracted(aligned, ExtractionOptions(depth=depth))
        print(
            f"depth {depth}: {len(grammar)} rules of {len(aligned)} pairs in {perf_counter() - started:.1f} s"
        )

    last: list[SvmProgress] = []
    options = LearningOptions(svm=SvmOptions(regularisation=10.0, gap=GAP))
    started = perf_counter()
    prepared = prepare(aligned, options)
    print(f"extraction, forests and gold derivations: {perf_counter() - started:.0f} s")
    learnt = learn(
        prepared,
        options,
        language=load_news_model(),
        generator=np.random.default_rng(0),
        progress=last.append,
    )
    print(
        f"extraction, forests and SVM with the trigram, to a gap of {GAP}: {perf_counter() - started:.0f} s, "
        f"{len(last)} iterations (at most 900 s)"
    )
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB (at most 4)")

    transducer = Transducer(learnt.grammar, RuleFeatures(names=learnt.names))
    trees = [source for source, _, _ in aligned[:SENTENCES]]
    spaces: list[Transduction] = []

    def build() -> None:
        spaces[:] = [transducer.transduction(tree) for tree in trees]

    encoder = encoder_seconds([tree.words for tree in trees])
    build_time = seconds(build) / SENTENCES
    scored = [space.forest.scored(learnt.weights) for space in spaces]
    search_time = seconds(lambda: [best(forest) for forest in scored]) / SENTENCES
    model = load_news_model()

    def with_model() -> None:
        for space, forest in zip(spaces, scored, strict=True):
            NgramForestDecoder(
                forest,
                model,
                words=len(space.tree.words),
                symbol_ids=model.vocabulary.ids(space.symbols),
                weight=language_weight(learnt.weights),
                beam=Beam(100, 200),
            ).best()

    beam_time = seconds(with_model) / SENTENCES
    print(f"a pass of the encoder: {1000 * encoder:.2f} ms a sentence")
    for what, time, most in (
        ("decoding", search_time, 2),
        ("building the forest", build_time, 10),
        ("beam 100 with the trigram", beam_time, 60),
    ):
        print(f"{what}: {1000 * time:.3f} ms, {time / encoder:.2f} passes (at most {most})")


def encoder_seconds(sentences: list[tuple[str, ...]]) -> float:
    """The time of one sentence through the annotator's network alone, sentence by sentence."""
    network, register = Network.shipped(), register_weights("spoken")
    return seconds(lambda: [network.read(words, register) for words in sentences]) / len(sentences)


def seconds(work: Callable[[], object]) -> float:
    """The least time of three runs after one to warm up."""
    work()
    times = []
    for _ in range(3):
        started = perf_counter()
        work()
        times.append(perf_counter() - started)
    return min(times)
