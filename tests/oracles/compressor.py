"""The default compressor's objective over every subset of words and every tree, one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from laconic.annotate.annotator import Analysis
from laconic.systems.default.learnt_ties import LearntTies
from laconic.systems.default.prices import EXACT, JUNCTION
from laconic.systems.default.punctuation import run_ons
from laconic.systems.default.scoring import Weights, potentials
from laconic.systems.default.source_tree import SourceTree
from laconic.text.detokenise import broken_junctions
from tests.oracles.compressive import trees


def subsets(words: int) -> Iterator[tuple[int, ...]]:
    """Every choice of at least one word."""
    for size in range(1, words + 1):
        yield from itertools.combinations(range(words), size)


def objective(analysis: Analysis, weights: Weights, kept: tuple[int, ...]) -> float:
    """Path, words and best tree, less the prices of bad junctions, run-ons and torn ties."""
    sentence = analysis.sentence
    found = potentials(analysis.scores, weights)
    path = [0, *(word + 1 for word in kept), len(sentence) + 1]
    score = sum(found.bigram[pair] for pair in itertools.pairwise(path))
    score += sum(found.prices[word] for word in kept)
    bad = {(left + 1, right + 1) for left, right in broken_junctions(sentence)}
    score -= JUNCTION * sum(pair in bad for pair in itertools.pairwise(path))
    if weights.arc:
        places = [word + 1 for word in kept]
        score += max(
            sum(found.arc[0 if head < 0 else places[head], places[word]] for word, head in enumerate(heads))
            for heads in trees(len(kept))
        )
    tree = SourceTree(sentence)
    seams = run_ons(tree)
    score -= EXACT.run_on * sum(seams[pair] for pair in itertools.pairwise((*kept, len(sentence))))
    prices = EXACT.of(tree, LearntTies.shipped())
    return float(score) - sum(price for tie, price in prices.items() if tie.broken_by(frozenset(kept)))
