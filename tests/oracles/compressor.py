"""The default compressor's objective over every subset of words, one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from laconic.annotate.annotator import Analysis
from laconic.systems.default.learnt_ties import LearntTies
from laconic.systems.default.prices import EXACT, JUNCTION
from laconic.systems.default.punctuation import run_ons
from laconic.systems.default.scoring import Weights, bigrams
from laconic.systems.default.source_tree import SourceTree
from laconic.text.detokenise import broken_junctions


def subsets(words: int) -> Iterator[tuple[int, ...]]:
    """Every choice of at least one word."""
    for size in range(1, words + 1):
        yield from itertools.combinations(range(words), size)


def objective(analysis: Analysis, weights: Weights, kept: tuple[int, ...]) -> float:
    """Path and words, less the prices of bad junctions, run-ons and torn ties."""
    sentence = analysis.sentence
    found = bigrams(analysis.scores, weights)
    path = [0, *(word + 1 for word in kept), len(sentence) + 1]
    score = sum(found[pair] for pair in itertools.pairwise(path))
    bad = {(left + 1, right + 1) for left, right in broken_junctions(sentence)}
    score -= JUNCTION * sum(pair in bad for pair in itertools.pairwise(path))
    tree = SourceTree(sentence)
    seams = run_ons(tree)
    score -= EXACT.run_on * sum(seams[pair] for pair in itertools.pairwise((*kept, len(sentence))))
    prices = EXACT.of(tree, LearntTies.shipped())
    return float(score) - sum(price for tie, price in prices.items() if tie.broken_by(frozenset(kept)))
