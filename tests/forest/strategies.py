"""Random small forests."""

from __future__ import annotations

import math

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph, slot
from tests.oracles.statistics import statistics

FEATURES = 4
ENOUGH = 300  # derivations a twin can enumerate quickly

# Few values, so that ties are common, and among them what cannot be.
scores = st.sampled_from([0.0, 0.0, 0.5, -0.5, 1.0, -1.25, -math.inf]) | st.floats(-3, 3)


@st.composite
def forests(draw: DrawFn, *, possible: bool = True) -> Hypergraph:
    """Any forest: shared and repeated tails, edges without tails, reordering, ties, edges of score -inf.

    Nodes are made in random order. With `possible`, some derivation scores above -inf.
    """
    symbol_words = draw(st.lists(st.integers(-1, 3), min_size=1, max_size=5))
    count = draw(st.sampled_from([3, 4, 2, 5, 1]))
    builder = ForestBuilder(symbol_words)
    nodes = [builder.node(("v", level)) for level in draw(st.permutations(range(count)))]
    for level in draw(st.permutations(range(count))):
        for number in range(draw(st.sampled_from([2, 3, 1]))):
            arity = draw(st.sampled_from([2, 1, 0, 3, 4])) if level else 0
            tails = [nodes[draw(st.integers(0, level - 1))] for _ in range(arity)]
            if level and number == 0:  # no node goes to waste
                tails = [*tails[:3], nodes[level - 1]]
                arity = len(tails)
            template = draw(st.permutations([slot(tail) for tail in range(arity)]))
            for symbol in draw(st.lists(st.integers(0, len(symbol_words) - 1), max_size=2)):
                template.insert(draw(st.integers(0, len(template))), symbol)
            features = draw(st.dictionaries(st.integers(0, FEATURES - 1), st.floats(-2, 2), max_size=2))
            builder.edge(nodes[level], tails, score=draw(scores), emits=template, features=features)
    forest = builder.build(nodes[count - 1])
    size = statistics(forest.rescored([0.0] * forest.edge_count)).derivations
    assume(size <= ENOUGH)
    assume(not possible or statistics(forest).derivations > 0)
    return forest


@st.composite
def deletion_forests(draw: DrawFn, *, max_words: int = 5, foreign: bool = True) -> Hypergraph:
    """A forest over spans that copies each word at most once; the symbols after the words copy none."""
    count = draw(st.integers(1, max_words))
    extra = draw(st.integers(0, 2)) if foreign else 0
    builder = ForestBuilder([*range(count), *[-1] * extra])
    pending, seen = [(0, count)], {(0, count)}
    while pending:
        start, end = pending.pop()
        head = builder.node((start, end))
        if end - start == 1:
            builder.edge(head, score=draw(scores), emits=[start])
        if end - start == 1 or draw(st.booleans()):
            foreigners = draw(st.lists(st.integers(count, count + extra - 1), max_size=1)) if extra else []
            builder.edge(head, score=draw(scores), emits=foreigners)
        if end - start > 1:
            cuts = st.lists(st.integers(start + 1, end - 1), min_size=1, max_size=3, unique=True)
            for ordered in draw(st.lists(cuts.map(sorted), min_size=1, max_size=2)):
                spans = list(zip([start, *ordered], [*ordered, end], strict=True))
                template = draw(st.permutations([slot(place) for place in range(len(spans))]))
                builder.edge(head, [builder.node(span) for span in spans], score=draw(scores), emits=template)
                pending += [span for span in spans if span not in seen]
                seen |= set(spans)
    forest = builder.build(builder.node((0, count)))
    assume(statistics(forest.rescored([0.0] * forest.edge_count)).derivations <= ENOUGH)
    assume(statistics(forest).derivations > 0)
    return forest
