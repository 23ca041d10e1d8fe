"""Smoothed distributions: a hand-worked example, the definition, and the laws every estimator keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.grammar.context_tree import ContextTree
from laconic.learn.witten_bell import AbsoluteDiscounting, Additive, Smoothing, WittenBell, estimate
from laconic.storage import open_model, write_model
from tests.oracles import smoothing as oracle

Data = list[tuple[tuple[int, int, int], int]]
small = st.integers(0, 2)
contexts = st.tuples(small, small, small)
data_sets: st.SearchStrategy[Data] = st.lists(st.tuples(contexts, small), max_size=25)
smoothings: st.SearchStrategy[Smoothing] = (
    st.just(WittenBell()) | st.floats(0.01, 10).map(Additive) | st.floats(0.01, 1).map(AbsoluteDiscounting)
)
removals = st.permutations(range(3)).flatmap(lambda order: st.integers(0, 3).map(lambda size: order[:size]))


def fitted(data: Data, **options: object) -> ContextTree:
    rows = np.array([row for row, _ in data], dtype=np.int32).reshape(-1, 3)
    return estimate(rows, [k for _, k in data], outcome_count=3, **options)  # type: ignore[arg-type]


@given(data_sets, contexts, removals, smoothings, st.integers(1, 3))
@settings(max_examples=200, deadline=None)
def test_estimates_equal_the_definition_and_sum_to_one(
    data: Data, context: tuple[int, int, int], removal: list[int], smoothing: Smoothing, least: int
) -> None:
    tree = fitted(data, removal=removal, smoothing=smoothing, least=least)
    estimated = np.exp(tree.log_distribution(context))
    expected = [
        oracle.probability(data, context, k, removal[::-1], outcome_count=3, smoothing=smoothing, least=least)
        for k in range(3)
    ]
    assert estimated == pytest.approx(expected)
    assert estimated.sum() == pytest.approx(1)


@given(data_sets, smoothings)
@settings(max_examples=50, deadline=None)
def test_every_stored_distribution_sums_to_one_and_is_positive(data: Data, smoothing: Smoothing) -> None:
    probabilities = np.exp(fitted(data, smoothing=smoothing).log_probabilities)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.all(probabilities > 0)


@given(data_sets, st.permutations(range(25)))
@settings(max_examples=30, deadline=None)
def test_the_order_of_observations_does_not_matter(data: Data, order: list[int]) -> None:
    shuffled = [data[place] for place in order if place < len(data)]
    one, other = fitted(data), fitted(shuffled)
    assert np.array_equal(one.values, other.values)
    assert np.array_equal(one.log_probabilities, other.log_probabilities)


def test_witten_bell_by_hand() -> None:
    # Context (0): outcomes a a a b, so n = 4, T = 2; context (1): outcome b, so n = 1, T = 1.
    # Empty: n = 5, T = 2: p(a) = (3 + 2 · 1/2) / (5 + 2) = 4/7, p(b) = (2 + 2 · 1/2) / 7 = 3/7.
    tree = estimate([[0], [0], [0], [0], [1]], [0, 0, 0, 1, 1], outcome_count=2)
    # p(a | 0) = (3 + 2 · 4/7) / (4 + 2) = 29/42; p(a | 1) = (0 + 1 · 4/7) / (1 + 1) = 2/7; 2 is new.
    assert np.exp(tree.log_distribution([0])) == pytest.approx([29 / 42, 13 / 42])
    assert np.exp(tree.log_distribution([1])) == pytest.approx([2 / 7, 5 / 7])
    assert np.exp(tree.log_distribution([2])) == pytest.approx([4 / 7, 3 / 7])


def test_more_data_overcomes_the_prior() -> None:
    tree = estimate([[0]] * 3000 + [[1]] * 1000, [0] * 3000 + [1] * 1000, outcome_count=2)
    assert np.exp(tree.log_distribution([1]))[1] > 0.999


@given(data=data_sets, context=contexts)
@settings(max_examples=50, deadline=None)
def test_arrays_give_back_the_tree_up_to_half_precision(
    data: Data, context: tuple[int, int, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree = fitted(data)
    folder = tmp_path_factory.mktemp("tree")
    write_model(folder, "tree", tree.content())
    with open_model(folder, "tree") as stored:
        again = ContextTree.from_stored(stored, tree.columns, outcomes=tree.log_probabilities.shape[1])
    assert again.log_distribution(context) == pytest.approx(tree.log_distribution(context), abs=5e-3)
    assert np.exp(again.log_distribution(context)).sum() == pytest.approx(1)


@given(data_sets, contexts, st.data())
@settings(max_examples=50, deadline=None)
def test_a_removed_context_falls_back_to_the_one_above(
    data: Data, context: tuple[int, int, int], drawn: st.DataObject
) -> None:
    tree = fitted(data)
    depth = drawn.draw(st.integers(0, 3))
    parents = tree.parents()
    depths = np.zeros(tree.node_count, dtype=int)
    for node in range(1, tree.node_count):
        depths[node] = depths[parents[node]] + 1
    shallow = tree.without(depths > depth)
    cut = (*context[:depth], *(99 for _ in context[depth:]))
    assert np.array_equal(shallow.log_distribution(context), tree.log_distribution(cut))


@given(data_sets, contexts, st.floats(0, 2))
@settings(max_examples=60, deadline=None)
def test_pruning_changes_no_distribution_by_more_than_it_may(
    data: Data, context: tuple[int, int, int], threshold: float
) -> None:
    tree = fitted(data)
    small = tree.pruned(threshold)
    assert small.node_count <= tree.node_count
    change = np.abs(small.log_distribution(context) - tree.log_distribution(context)).max()
    # Up to three contexts in a row may go, each less than the threshold from the one above.
    assert change < 3 * threshold or change == 0
    assert tree.pruned(0.0).node_count == tree.node_count
    assert tree.pruned(np.inf).node_count == 1


def test_mistakes_are_named() -> None:
    with pytest.raises(LaconicError, match=r"contexts of shape \(1, 1\) do not go with outcomes"):
        estimate([[0]], [0, 1], outcome_count=2)
    with pytest.raises(LaconicError, match="outcomes are numbers from 0 to 1"):
        estimate([[0]], [2], outcome_count=2)
    with pytest.raises(LaconicError, match="different ones of 0 to 0"):
        estimate([[0]], [1], outcome_count=2, removal=[1])
    with pytest.raises(LaconicError, match="at least once"):
        estimate([[0]], [1], outcome_count=2, least=0)
    with pytest.raises(LaconicError, match="positive weight"):
        Additive(0)
    with pytest.raises(LaconicError, match="at most at 1, not at 2"):
        AbsoluteDiscounting(2)
    with pytest.raises(LaconicError, match="at least 1 values"):
        estimate([[0]], [1], outcome_count=2).log_distribution([])
