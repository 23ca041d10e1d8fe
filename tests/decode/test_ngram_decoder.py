import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.contract import Decoder, Limit
from laconic.decode.cube_pruning import Beam
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.ngram import estimate
from tests.decode.language_models import models, symbol_ids
from tests.forest.strategies import deletion_forests
from tests.oracles.cube_pruning import scored_twin

price = st.sampled_from([0.0, 1.5, -2.0, math.inf, -math.inf])


def decoder_and_twin(forest, model, *, beam=None):
    ids = symbol_ids(model, forest.symbol_count)
    words = int(forest.symbol_words.max()) + 1
    decoder = NgramForestDecoder(forest, model, words=words, symbol_ids=ids, weight=0.5, beam=beam)
    return decoder, scored_twin(forest, model, ids, 0.5)


def priced(twin, prices):
    """What prices make of derivations: (score, kept words) of those that they allow."""
    demanded = {word for word, price in enumerate(prices) if price == math.inf}
    for derivation in twin.derivations:
        kept = twin.words(derivation)
        added = sum(prices[word] for word in kept if prices[word] < math.inf)
        if demanded <= set(kept) and added > -math.inf:
            yield derivation.score + added, kept, derivation


@given(forest=deletion_forests(), model=models, data=st.data())
@settings(max_examples=40, deadline=None)
def test_best_and_k_best_obey_prices(forest, model, data: st.DataObject) -> None:
    decoder, twin = decoder_and_twin(forest, model)
    count = int(forest.symbol_words.max()) + 1
    prices = data.draw(st.lists(price, min_size=count, max_size=count))
    allowed = sorted(priced(twin, prices), key=lambda scored: -scored[0])
    if not allowed:
        with pytest.raises(InfeasibleBudget):
            decoder.best(prices=prices)
        return
    assert decoder.best(prices=prices).score == pytest.approx(allowed[0][0], abs=1e-4)
    solutions = decoder.k_best_derivations(5, prices=prices)
    assert [each.score for each in solutions] == pytest.approx([score for score, *_ in allowed[:5]], abs=1e-4)
    kept_by = {derivation.edges: kept for _, kept, derivation in allowed}
    for solution in solutions:
        assert solution.kept == kept_by[solution.derivation.edges]
        assert solution.derivation.forest is forest


@given(forest=deletion_forests(), model=models, least=st.integers(0, 4), more=st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_limits_are_met_exactly_and_by_the_best(forest, model, least, more) -> None:
    exact, twin = decoder_and_twin(forest, model)
    narrow, _ = decoder_and_twin(forest, model, beam=Beam(1, 1))
    inside = [d for d in twin.derivations if least <= len(d.symbols) <= least + more]
    limit = Limit(least, least + more)
    if not inside:
        for decoder in (exact, narrow):
            with pytest.raises(InfeasibleBudget):
                decoder.best(limit=limit)
        return
    score = max(derivation.score for derivation in inside)
    assert exact.best(limit=limit).score == pytest.approx(score, abs=1e-4)
    within_beam = narrow.best(limit=limit)
    assert within_beam.score <= score + 1e-4
    assert least <= len(within_beam.derivation.symbols()) <= least + more
    assert [each.score for each in exact.k_best_derivations(3, limit=limit)] == pytest.approx(
        sorted((derivation.score for derivation in inside), reverse=True)[:3], abs=1e-4
    )


@given(forest=deletion_forests(foreign=False), model=models, data=st.data())
@settings(max_examples=30, deadline=None)
def test_the_frontier_is_the_best_at_every_cost(forest, model, data: st.DataObject) -> None:
    decoder, twin = decoder_and_twin(forest, model)
    count = forest.symbol_count
    costs = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    frontier = decoder.frontier(costs=costs)
    best: dict[int, float] = {}
    for derivation in twin.derivations:
        cost = sum(costs[word] for word in derivation.symbols)
        best[cost] = max(best.get(cost, -math.inf), derivation.score)
    for cost, score in enumerate(frontier.scores):
        if cost not in best:
            assert score == -math.inf
            continue
        assert score == pytest.approx(best[cost], abs=1e-4)
        solution = frontier.solution(cost)
        assert solution.score == pytest.approx(score)
        assert sum(costs[word] for word in solution.kept) == cost
        limited = decoder.best(limit=Limit(cost, cost, tuple(costs)))
        assert limited.score == pytest.approx(score)
    assert max(best) < len(frontier.scores)


@given(forest=deletion_forests(), model=models)
@settings(max_examples=30, deadline=None)
def test_even_the_narrowest_beam_finds_every_possible_length(forest, model) -> None:
    decoder, twin = decoder_and_twin(forest, model, beam=Beam(1, 1))
    exact = {}  # type: ignore[var-annotated]
    for derivation in twin.derivations:
        length = len(derivation.symbols)
        exact[length] = max(exact.get(length, -math.inf), derivation.score)
    scores = decoder.frontier().scores
    assert {length for length, score in enumerate(scores) if score > -math.inf} == exact.keys()
    assert all(scores[length] <= score + 1e-4 for length, score in exact.items())


@given(forest=deletion_forests(), model=models)
@settings(max_examples=30, deadline=None)
def test_marginals_are_expectations(forest, model) -> None:
    decoder, twin = decoder_and_twin(forest, model)
    expected = [
        twin.expectation(lambda d, word=word: word in twin.words(d))
        for word in range(int(forest.symbol_words.max()) + 1)
    ]
    assert decoder.word_marginals() == pytest.approx(expected, abs=1e-4)


def test_samples_follow_their_scores() -> None:
    model = estimate([["a", "b"], ["a"], ["b"]])
    builder = ForestBuilder(range(2))
    top = builder.node("top")
    for emitted in ([], [0], [1], [0, 1]):
        builder.edge(top, emits=emitted)
    forest = builder.build(top)
    ids = model.vocabulary.ids(["a", "b"])
    decoder = NgramForestDecoder(forest, model, words=2, symbol_ids=ids, beam=None)
    generator = np.random.default_rng(11)
    drawn = [each.kept for each in decoder.samples(2000, generator)]
    scores = {solution.kept: math.exp(solution.score) for solution in decoder.k_best(4)}
    total = sum(scores.values())
    for kept, weight in scores.items():
        assert drawn.count(kept) / 2000 == pytest.approx(weight / total, abs=0.04)


def test_distinct_yields() -> None:
    model = estimate([["a", "b"]])
    builder = ForestBuilder(range(1))
    top = builder.node("top")
    for score in (0.0, -1.0):
        builder.edge(top, emits=[0], score=score)
    builder.edge(top, score=-5.0)
    decoder = NgramForestDecoder(builder.build(top), model, words=1, symbol_ids=[model.vocabulary.id("a")])
    assert [each.kept for each in decoder.k_best_derivations(3)] == [(0,), (0,), ()]
    assert [each.kept for each in decoder.k_best(3)] == [(0,), ()]


def test_costs_of_symbols_that_copy_no_word() -> None:
    model = estimate([["a", "b"]])
    builder = ForestBuilder([0, -1])
    top = builder.node("top")
    builder.edge(top, emits=[0, 1])
    builder.edge(top, emits=[0], score=-50.0)
    ids = model.vocabulary.ids(["a", "b"])
    decoder: Decoder = NgramForestDecoder(builder.build(top), model, words=1, symbol_ids=ids)
    assert decoder.best(limit=Limit(2, 2)).derivation.symbols() == (0, 1)
    assert decoder.best(limit=Limit(0, 3, (2, 5))).derivation.symbols() == (0,)
    assert decoder.best(limit=Limit(0, 9, (2, 5))).derivation.symbols() == (0, 1)


def test_the_frontier_reaches_the_whole_sentence() -> None:
    model = estimate([["a", "b"]])
    builder = ForestBuilder([0])
    builder.edge(builder.node("top"), emits=[0])
    decoder = NgramForestDecoder(builder.build(0), model, words=3, symbol_ids=[model.vocabulary.id("a")])
    assert len(decoder.frontier().scores) == 4
    assert len(decoder.frontier(costs=[1, 4, 5]).scores) == 11


def test_wrong_sizes_are_named() -> None:
    model = estimate([["a", "b"]])
    builder = ForestBuilder([0, 1])
    builder.edge(builder.node("top"), emits=[0, 1])
    ids = model.vocabulary.ids(["a", "b"])
    with pytest.raises(LaconicError, match="copies word 1, but the sentence has 1 words"):
        NgramForestDecoder(builder.build(0), model, words=1, symbol_ids=ids)
    decoder = NgramForestDecoder(builder.build(0), model, words=2, symbol_ids=ids)
    with pytest.raises(LaconicError, match="costs must be 2 integers"):
        decoder.best(limit=Limit(0, 9, (1, 1, 1)))
    with pytest.raises(LaconicError, match="prices must be 2 numbers"):
        decoder.best(prices=[0.0])
