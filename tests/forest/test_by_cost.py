import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import best, best_by_cost, best_within
from tests.forest.strategies import forests
from tests.oracles.forest import ForestTwin


def close(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)


def edge_costs(data: st.DataObject, forest: Hypergraph, *, most: int = 3) -> list[int]:
    return data.draw(st.lists(st.integers(0, most), min_size=forest.edge_count, max_size=forest.edge_count))


def nearest(possible: dict[int, float], least: int, most: int) -> tuple[int, int]:
    """The costs on either side of a limit, or the one that there is."""
    below, above = [c for c in possible if c < least], [c for c in possible if c > most]
    return (max(below, default=min(above, default=0)), min(above, default=max(below, default=0)))


@given(forests(), st.data(), st.sampled_from([1, 3, 20]))
@settings(max_examples=100)
def test_the_best_of_every_cost_equals_enumeration(
    forest: Hypergraph, data: st.DataObject, most: int
) -> None:
    costs = edge_costs(data, forest, most=most)
    table = best_by_cost(forest, costs)
    expected = ForestTwin(forest).best_by_cost(costs)
    assert set(np.flatnonzero(table.scores > -np.inf)) == set(expected)
    for cost, score in expected.items():
        derivation = table.derivation(cost)
        assert close(table.scores[cost], score)
        assert close(derivation.score, score)
        assert sum(costs[edge] for edge in derivation.edges) == cost
        assert close(float(forest.scores[list(derivation.edges)].sum()), score)


@given(forests(), st.data())
@settings(max_examples=100)
def test_limits_change_nothing_within_them(forest: Hypergraph, data: st.DataObject) -> None:
    costs = edge_costs(data, forest)
    expected = ForestTwin(forest).best_by_cost(costs)
    least = data.draw(st.integers(0, max(expected) + 1))
    most = data.draw(st.integers(least, max(expected) + 2))
    within = {cost: score for cost, score in expected.items() if least <= cost <= most}
    table = best_by_cost(forest, costs, least=least, most=most)
    assert {cost for cost in np.flatnonzero(table.scores > -np.inf) if cost >= least} == set(within)
    for cost, score in within.items():
        assert close(table.scores[cost], score)
        assert sum(costs[edge] for edge in table.derivation(cost).edges) == cost
    if within:
        derivation = best_within(forest, costs, least, most)
        assert close(derivation.score, max(within.values()))
        assert least <= sum(costs[edge] for edge in derivation.edges) <= most
    else:
        with pytest.raises(InfeasibleBudget) as caught:
            best_within(forest, costs, least, most)
        assert caught.value.possible == nearest(expected, least, most)


@given(forests())
@settings(max_examples=30)
def test_the_best_of_all_costs_is_the_best(forest: Hypergraph) -> None:
    costs = forest.edge_costs()
    assert close(best_by_cost(forest, costs).scores.max(), best(forest).score)


def test_the_error_says_what_is_possible() -> None:
    builder = ForestBuilder(range(1))
    root = builder.node("root")
    for _ in range(3):
        builder.edge(root)
    forest = builder.build(root)
    with pytest.raises(InfeasibleBudget, match="has 4 to 6 of cost; possible: 3 or 9") as caught:
        best_within(forest, [1, 3, 9], 4, 6)
    assert caught.value.possible == (3, 9)
    with pytest.raises(InfeasibleBudget, match=r"has 0 of cost; possible: 1$"):
        best_by_cost(forest, [1, 3, 9]).derivation(0)
    with pytest.raises(InfeasibleBudget, match=r"has -3 to -1 of cost; possible: 1$"):
        best_within(forest, [1, 3, 9], -3, -1)


def test_bad_costs_are_errors() -> None:
    builder = ForestBuilder(range(1))
    builder.edge(builder.node("root"))
    forest = builder.build(0)
    with pytest.raises(LaconicError, match="edge 0 costs -1"):
        best_by_cost(forest, [-1])
    with pytest.raises(LaconicError, match=r"edge 0 costs 1\.5"):
        best_by_cost(forest, [1.5])
    with pytest.raises(LaconicError, match="1 edges but costs of shape"):
        best_by_cost(forest, [1, 2])


def test_a_forest_without_possible_derivation_is_infeasible() -> None:
    builder = ForestBuilder(range(1))
    builder.edge(builder.node("root"), score=-math.inf)
    forest = builder.build(0)
    assert len(best_by_cost(forest, [0]).scores) == 0
    with pytest.raises(InfeasibleBudget, match="rule out all derivations"):
        best_within(forest, [0], 0, 5)
