import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.contract import Limit
from laconic.decode.forest_decoder import ForestDecoder
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph, slot
from tests.forest.strategies import deletion_forests
from tests.oracles.forest import ForestTwin


@dataclass(frozen=True)
class Priced:
    """A derivation as the contract sees it: its score with prices, what it keeps and emits, what it costs."""

    score: float
    kept: tuple[int, ...]
    symbols: tuple[int, ...]
    cost: int


def word_count(forest: Hypergraph) -> int:
    return int((forest.symbol_words >= 0).sum())


def enumerated(
    forest: Hypergraph, prices: np.ndarray | None, limit: Limit | None, costs: tuple[int, ...] | None
) -> list[Priced]:
    twin = ForestTwin(forest)
    prices = np.zeros(word_count(forest)) if prices is None else prices
    demanded = set(np.flatnonzero(prices == math.inf).tolist())
    finite = np.where(prices == math.inf, 0.0, prices)
    symbol_costs = [1] * forest.symbol_count if costs is None else list(costs)
    found = []
    for derivation in twin.derivations:
        kept = twin.words(derivation)
        score = derivation.score + float(finite[list(kept)].sum())
        cost = sum(symbol_costs[symbol] for symbol in derivation.symbols)
        within = limit is None or limit.least <= cost <= limit.most
        if demanded <= set(kept) and score > -math.inf and within:
            found.append(Priced(score, kept, derivation.symbols, cost))
    return found


@st.composite
def questions(draw: st.DrawFn) -> tuple[Hypergraph, np.ndarray | None, Limit | None, tuple[int, ...] | None]:
    """A forest, prices, a limit and the costs it counts; where a forest only copies, symbols are words."""
    forest = draw(deletion_forests())
    words = word_count(forest)
    price = st.floats(-2, 2) | st.sampled_from([math.inf, -math.inf])
    prices = draw(st.none() | st.lists(price, min_size=words, max_size=words).map(np.array))
    costs = draw(
        st.none()
        | st.lists(st.integers(0, 4), min_size=forest.symbol_count, max_size=forest.symbol_count).map(tuple)
    )
    least = draw(st.integers(0, 4))
    limit = draw(st.none() | st.just(Limit(least, least + draw(st.integers(0, 3)), costs)))
    return forest, prices, limit, costs


@given(questions())
@settings(max_examples=120)
def test_every_answer_equals_enumeration(
    question: tuple[Hypergraph, np.ndarray | None, Limit | None, tuple[int, ...] | None],
) -> None:
    forest, prices, limit, costs = question
    words = word_count(forest)
    decoder = ForestDecoder(forest, words=words)
    expected = enumerated(forest, prices, limit, costs)
    if not expected:
        for query in (decoder.best, decoder.word_marginals, lambda **request: decoder.k_best(2, **request)):
            with pytest.raises(InfeasibleBudget):
                query(prices=prices, limit=limit)
        return
    allowed = {(found.kept, found.symbols) for found in expected}

    best = decoder.best(prices=prices, limit=limit)
    assert math.isclose(best.score, max(found.score for found in expected), abs_tol=1e-9)
    assert (best.kept, best.derivation.symbols()) in allowed

    by_yield: dict[tuple[int, ...], float] = {}
    for found in expected:
        by_yield[found.symbols] = max(found.score, by_yield.get(found.symbols, -math.inf))
    ranked = decoder.k_best(len(by_yield) + 1, prices=prices, limit=limit)
    assert np.allclose([solution.score for solution in ranked], sorted(by_yield.values(), reverse=True))
    assert {solution.derivation.symbols() for solution in ranked} == set(by_yield)

    weights = np.exp([found.score for found in expected])
    probabilities = weights / weights.sum()
    kept = [
        sum(p for p, f in zip(probabilities, expected, strict=True) if word in f.kept)
        for word in range(words)
    ]
    assert np.allclose(decoder.word_marginals(prices=prices, limit=limit), kept)

    drawn = decoder.samples(1, np.random.default_rng(0), prices=prices, limit=limit)[0]
    assert (drawn.kept, drawn.derivation.symbols()) in allowed


@given(questions())
@settings(max_examples=60)
def test_the_frontier_equals_enumeration(
    question: tuple[Hypergraph, np.ndarray | None, Limit | None, tuple[int, ...] | None],
) -> None:
    forest, prices, _, costs = question
    decoder = ForestDecoder(forest, words=word_count(forest))
    expected: dict[int, float] = {}
    for found in enumerated(forest, prices, None, costs):
        expected[found.cost] = max(found.score, expected.get(found.cost, -math.inf))
    try:
        frontier = decoder.frontier(prices=prices, costs=costs)
    except InfeasibleBudget:
        assert not expected
        return
    assert set(np.flatnonzero(frontier.scores > -np.inf)) == set(expected)
    for cost, score in expected.items():
        solution = frontier.solution(cost)
        assert math.isclose(solution.score, score, abs_tol=1e-9)
        assert math.isclose(frontier.scores[cost], score, abs_tol=1e-9)
    with pytest.raises(InfeasibleBudget):
        frontier.solution(len(frontier.scores))


def keep_or_drop(words: int) -> Hypergraph:
    builder = ForestBuilder(range(words))
    nodes = [builder.node(word) for word in range(words)]
    for word, node in enumerate(nodes):
        builder.edge(node, emits=[word], score=float(word))
        builder.edge(node)
    root = builder.node("root")
    builder.edge(root, nodes)
    return builder.build(root)


def test_pins_hold_words_in_and_out_at_every_length() -> None:
    decoder = ForestDecoder(keep_or_drop(4), words=4)
    prices = np.array([math.inf, 0.0, 0.0, -math.inf])
    assert decoder.best(prices=prices, limit=Limit(2, 2)).kept == (0, 2)
    assert decoder.best(prices=prices).score == 3.0
    frontier = decoder.frontier(prices=prices)
    assert frontier.scores.tolist() == [-math.inf, 0.0, 2.0, 3.0, -math.inf]
    with pytest.raises(InfeasibleBudget, match=r"possible: 3$"):
        decoder.best(prices=prices, limit=Limit(4, 4))


def test_frontiers_reach_the_cost_of_the_whole_sentence() -> None:
    builder = ForestBuilder(range(3))
    builder.edge(builder.node("root"), emits=[1])
    decoder = ForestDecoder(builder.build(0), words=3)
    assert decoder.frontier().scores.tolist() == [-math.inf, 0.0, -math.inf, -math.inf]
    assert len(decoder.frontier(costs=(2, 3, 4)).scores) == 10


def test_equal_scores_go_to_the_cheapest_within_a_limit() -> None:
    decoder = ForestDecoder(keep_or_drop(3), words=3)
    solution = decoder.best(prices=np.array([0.0, -1.0, -2.0]), limit=Limit(0, 3))
    assert (solution.score, solution.kept) == (0.0, ())


def test_samples_have_their_probabilities_within_a_limit() -> None:
    decoder = ForestDecoder(keep_or_drop(3), words=3)
    limit = Limit(2, 2)
    generator = np.random.default_rng(11)
    draws = [drawn.kept for drawn in decoder.samples(400, generator, limit=limit)]
    weights = {(0, 1): math.exp(1), (0, 2): math.exp(2), (1, 2): math.exp(3)}
    total = sum(weights.values())
    for kept, weight in weights.items():
        assert draws.count(kept) / 400 == pytest.approx(weight / total, abs=0.08)


def test_bad_requests_are_errors() -> None:
    decoder = ForestDecoder(keep_or_drop(3), words=3)
    with pytest.raises(LaconicError, match="prices must be 3 numbers"):
        decoder.best(prices=np.zeros(2))
    with pytest.raises(LaconicError, match="costs must be 3 integers"):
        decoder.best(limit=Limit(0, 1, (1, 1)))
    with pytest.raises(LaconicError, match="integers of at least 0"):
        decoder.best(limit=Limit(0, 1, (1, 1, -1)))
    with pytest.raises(LaconicError, match="k must be at least 1"):
        decoder.k_best(0)


def test_bad_forests_are_errors() -> None:
    with pytest.raises(LaconicError, match="copies word 2, but the sentence has 2 words"):
        ForestDecoder(keep_or_drop(3), words=2)
    builder = ForestBuilder(range(1))
    root, leaf = builder.node("root"), builder.node("leaf")
    builder.edge(leaf, emits=[0])
    builder.edge(root, [leaf], emits=[0, slot(0)])
    with pytest.raises(LaconicError, match="word 0 can be copied twice"):
        ForestDecoder(builder.build(root), words=1)
    builder = ForestBuilder([0, -1])
    builder.edge(builder.node("root"), emits=[0, 1])
    decoder = ForestDecoder(builder.build(0), words=1)
    with pytest.raises(LaconicError, match="costs must be 2 integers of at least 0, one for each symbol"):
        decoder.frontier(costs=(1,))
