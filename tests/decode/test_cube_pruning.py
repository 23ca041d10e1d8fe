import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.cube_pruning import Beam, intersect
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import slot
from laconic.forest.inference import best
from laconic.ngram import EstimationOptions, estimate
from laconic.ngram.vocabulary import BEGIN, END
from tests.decode.language_models import closed, models, symbol_ids
from tests.forest.questions import k_best
from tests.forest.strategies import forests
from tests.oracles.cube_pruning import scored_twin

weights = st.sampled_from([1.0, 0.3, 0.0, -0.5])


@given(forest=forests(), model=models, weight=weights)
@settings(max_examples=60, deadline=None)
def test_without_a_beam_every_derivation_is_there_once_with_its_score(forest, model, weight) -> None:
    ids = symbol_ids(model, forest.symbol_count)
    twin = scored_twin(forest, model, ids, weight)
    found = intersect(forest, model, symbol_ids=ids, weight=weight)
    projected = [found.project(derivation) for derivation in k_best(found.forest, 10_000)]
    expected = {derivation.edges: derivation.score for derivation in twin.derivations}
    assert len(projected) == len(expected)
    for derivation in projected:
        assert derivation.score == pytest.approx(expected[derivation.edges], abs=1e-4)
    scores = [derivation.score for derivation in projected]
    assert scores == sorted(scores, reverse=True)


beams = st.builds(
    lambda unique, more: Beam(unique, unique + more),
    st.integers(1, 4),
    st.integers(0, 3),
)


@given(forest=forests(), model=models, weight=weights, beam=beams)
@settings(max_examples=60, deadline=None)
def test_a_beam_never_scores_above_exact_nor_wrongly(forest, model, weight, beam) -> None:
    ids = symbol_ids(model, forest.symbol_count)
    twin = scored_twin(forest, model, ids, weight)
    found = intersect(forest, model, symbol_ids=ids, weight=weight, beam=beam)
    derivation = found.project(best(found.forest))
    assert derivation.score <= twin.best_score() + 1e-4
    (same,) = [other for other in twin.derivations if other.edges == derivation.edges]
    assert derivation.score == pytest.approx(same.score, abs=1e-4)
    assert derivation.symbols() == same.symbols


@given(forest=forests(), model=models, weight=weights)
@settings(max_examples=40, deadline=None)
def test_a_wide_beam_is_exact(forest, model, weight) -> None:
    ids = symbol_ids(model, forest.symbol_count)
    exact = intersect(forest, model, symbol_ids=ids, weight=weight)
    wide = intersect(forest, model, symbol_ids=ids, weight=weight, beam=Beam(1000, 10_000))
    assert best(wide.forest).score == best(exact.forest).score
    assert wide.forest.edge_count == exact.forest.edge_count


@given(forest=forests(), model=models)
@settings(max_examples=40, deadline=None)
def test_the_impossible_stays_out_whatever_the_weight(forest, model) -> None:
    model = closed(model)
    ids = symbol_ids(model, forest.symbol_count)
    for weight in (1.0, 0.0, -1.0):
        twin = scored_twin(forest, model, ids, weight)
        if twin.derivations:
            found = intersect(forest, model, symbol_ids=ids, weight=weight)
            assert len(k_best(found.forest, 10_000)) == len(twin.derivations)
        else:
            with pytest.raises(InfeasibleBudget, match="the language model rule out all"):
                intersect(forest, model, symbol_ids=ids, weight=weight)


def test_reordered_words_are_scored_in_their_new_order() -> None:
    model = estimate([["b", "a"], ["b", "a"], ["a", "c"]], EstimationOptions(order=2))
    builder = ForestBuilder(range(2))
    top, left, right = builder.node("top"), builder.node("left"), builder.node("right")
    kept = builder.edge(top, [left, right], emits=[slot(0), slot(1)])
    swapped = builder.edge(top, [left, right], emits=[slot(1), slot(0)])
    builder.edge(left, emits=[0])
    builder.edge(right, emits=[1])
    forest = builder.build(top)
    found = intersect(forest, model, symbol_ids=model.vocabulary.ids(["a", "b"]))
    first, second = (found.project(derivation) for derivation in k_best(found.forest, 2))
    assert (first.symbols(), second.symbols()) == ((1, 0), (0, 1))
    assert [forest.origins[each.edges[0]] for each in (first, second)] == [swapped, kept]
    assert first.score == pytest.approx(model.score_sentence(["b", "a"]), abs=1e-6)
    assert second.score == pytest.approx(model.score_sentence(["a", "b"]), abs=1e-6)


def test_a_wider_beam_repairs_a_search_error() -> None:
    """Alone, x is the better word; but the model wants y after the words that come later."""
    after_many = [[before, "x"] for before in "cdefgh"]
    model = estimate([*after_many, *[["a", "y", "b"]] * 9], EstimationOptions(order=3))
    builder = ForestBuilder(range(4))
    top, word = builder.node("top"), builder.node("word")
    builder.edge(top, [word], emits=[0, slot(0), 3])
    builder.edge(word, emits=[1])
    builder.edge(word, emits=[2])
    forest = builder.build(top)
    ids = model.vocabulary.ids(["a", "x", "y", "b"])
    narrow = best(intersect(forest, model, symbol_ids=ids, beam=Beam(1, 1)).forest)
    wide = best(intersect(forest, model, symbol_ids=ids, beam=Beam(2, 2)).forest)
    assert narrow.symbols() == (0, 1, 3)
    assert wide.symbols() == (0, 2, 3)
    assert wide.score > narrow.score


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"symbol_ids": [3]}, "2 symbols"),
        ({"symbol_ids": [3.0, 4.0]}, "as many integers"),
        ({"symbol_ids": [3, 99]}, "symbol 1 has id 99"),
        ({"symbol_ids": [BEGIN, 3]}, "symbol 0 has id 1, which is no word"),
        ({"symbol_ids": [3, END]}, "symbol 1 has id 2, which is no word"),
        ({"symbol_ids": [3, 4], "weight": math.nan}, "finite"),
    ],
)
def test_wrong_arguments_are_named(wrong, message: str) -> None:
    builder = ForestBuilder(range(2))
    builder.edge(builder.node("top"), emits=[0, 1])
    model = estimate([["a", "b"]])
    with pytest.raises(LaconicError, match=message):
        intersect(builder.build(0), model, **wrong)


@pytest.mark.parametrize(("unique", "total"), [(0, 5), (5, 4)])
def test_impossible_beams_are_refused(unique: int, total: int) -> None:
    with pytest.raises(LaconicError, match="1 <= unique <= total"):
        Beam(unique, total)


def test_many_items_at_one_node() -> None:
    """More items than the search's tables start with, so that they grow."""
    words = [f"w{number}" for number in range(600)]
    generator = np.random.default_rng(1)
    corpus = [[words[number] for number in generator.integers(0, 600, 6)] for _ in range(800)]
    model = estimate(corpus, EstimationOptions(order=2))
    builder = ForestBuilder(range(len(words)))
    top, word = builder.node("top"), builder.node("word")
    builder.edge(top, [word, word])
    for number in range(len(words)):
        builder.edge(word, emits=[number])
    found = intersect(builder.build(top), model, symbol_ids=model.vocabulary.ids(words))
    derivation = found.project(best(found.forest))
    pairs = [(first, second) for first in words for second in words if generator.random() < 0.02]
    assert all(model.score_sentence(pair) <= derivation.score + 1e-5 for pair in pairs)
    chosen = [words[symbol] for symbol in derivation.symbols()]
    assert derivation.score == pytest.approx(model.score_sentence(chosen), abs=1e-5)
