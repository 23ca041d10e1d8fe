"""Every kernel of the engine is compiled for one type of arguments, whatever is asked of whatever decoder."""

from __future__ import annotations

import subprocess
import sys

QUESTIONS = """
import pkgutil, importlib, sys
from itertools import islice
import numpy as np
import laconic.decode, laconic.forest
from laconic.decode.branches import TieArrays
from laconic.decode.compressive import CompressiveParser
from laconic.decode.constrained import ConstrainedPath, Constraint
from laconic.decode.contract import Limit
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.decode.path import NgramPathDecoder, PathDecoder
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import slot
from laconic.ngram import estimate

words = 6
generator = np.random.default_rng(0)
arc, bigram = generator.normal(size=(words + 1,) * 2), generator.normal(size=(words + 2,) * 2)
builder = ForestBuilder(range(words))
nodes = [builder.node(word) for word in range(words)]
for word, node in enumerate(nodes):
    builder.edge(node, emits=[word], score=float(word))
    builder.edge(node)
root = builder.node("root")
builder.edge(root, nodes)
builder.edge(root, nodes[:2], emits=[slot(1), slot(0)])
forest = builder.build(root)
model = estimate([["a", "b", "c"], ["a", "c"]])
ids = model.vocabulary.ids(["a", "b", "c", "a", "b", "c"])
prices = generator.normal(size=words)
prices[0], prices[2] = np.inf, -np.inf
for decoder in (
    PathDecoder(bigram),
    NgramPathDecoder(lambda *positions: float(sum(positions) % 3), words=words, order=3),
    CompressiveParser(arc, bigram),
    CompressiveParser(arc, bigram, sibling=generator.normal(size=(words + 1,) * 3)),
    ForestDecoder(forest, words=words),
    NgramForestDecoder(forest, model, words=words, symbol_ids=ids),
):
    for request in ({}, {"prices": prices}, {"limit": Limit(2, 3)}, {"limit": Limit(2, 9, (3,) * words)}):
        decoder.best(**request)
        decoder.k_best(3, **request)
        decoder.k_best_derivations(3, **request)
        decoder.word_marginals(**request)
        decoder.samples(2, generator, **request)
    decoder.frontier(prices=prices).solution(2)
    if hasattr(decoder, "tied_best_first"):
        ties = TieArrays(np.array([0, 1, 4, 5]), np.array([1, 1]), np.array([2, 4]), np.ones(2))
        for request in ({}, {"prices": prices}, {"limit": Limit(2, 3)}):
            [*islice(decoder.tied_best_first(ties, 9, **request), 3)]
# Of so many n-grams those that may be on the best path are found first.
many, costs = 16, (1, 2) * 8
ngrams = NgramPathDecoder(lambda *positions: float(sum(positions) % 7), words=many, order=3).ngrams()
together = Constraint("both", ((0, 1.0), (1, -1.0)), 0.0, 0.0)
constrained = ConstrainedPath(ngrams, many, [together], likely=lambda prices: np.full(many, 0.5))
for limit in (None, Limit(2, 3), Limit(2, 9, costs)):
    constrained.best(limit=limit)
constrained.outline()
for package in (laconic.forest, laconic.decode):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        module = importlib.import_module(found.name)
        for name, kernel in vars(module).items():
            signatures = getattr(kernel, "signatures", ())
            if kernel.__class__.__name__ == "CPUDispatcher" and kernel.__module__ == found.name:
                if len(signatures) > 1 or "Literal" in str(signatures):
                    print(found.name, name, *signatures, sep="\\n  ")
"""


def test_no_kernel_is_compiled_twice() -> None:
    done = subprocess.run(
        [sys.executable, "-c", QUESTIONS], check=False, capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
