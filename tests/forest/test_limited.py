import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import InfeasibleBudget
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import checked_costs, marginals
from laconic.forest.lazy import k_best_parts
from laconic.forest.limited import limited
from laconic.forest.sums import sums
from laconic.forest.tables import cells_within, cost_table
from tests.forest.questions import k_best
from tests.forest.strategies import forests
from tests.forest.test_by_cost import nearest
from tests.oracles.forest import ForestTwin, edges_of


@given(forests(), st.data())
@settings(max_examples=80)
def test_every_query_within_a_limit_equals_enumeration(forest: Hypergraph, data: st.DataObject) -> None:
    costs = data.draw(st.lists(st.integers(0, 3), min_size=forest.edge_count, max_size=forest.edge_count))
    twin = ForestTwin(forest)
    possible = twin.best_by_cost(costs)
    least = data.draw(st.integers(0, max(possible) + 1))
    most = data.draw(st.integers(least, max(possible) + 1))
    within = twin.within(costs, least, most)
    if not within.derivations:
        with pytest.raises(InfeasibleBudget) as caught:
            limited(forest, costs, least=least, most=most)
        assert caught.value.possible == nearest(possible, least, most)
        return
    product = limited(forest, costs, least=least, most=most)
    totals = sorted(cost for cost in possible if least <= cost <= most)
    assert len(edges_of(product.forest, product.forest.root)) == len(totals)
    assert math.isclose(
        marginals(product.forest).log_partition, within.log_partition(), rel_tol=1e-9, abs_tol=1e-9
    )

    found = k_best(product.forest, len(within.derivations) + 1)
    projected = [product.project(derivation) for derivation in found]
    assert sorted(d.edges for d in projected) == sorted(d.edges for d in within.derivations)
    assert np.allclose([d.score for d in projected], [d.score for d in within.ranked()])
    assert all(d.symbols() == p.symbols() for d, p in zip(found, projected, strict=True))


@given(forests(), st.data())
@settings(max_examples=80)
def test_tables_answer_within_a_limit_as_enumeration_does(forest: Hypergraph, data: st.DataObject) -> None:
    costs = data.draw(st.lists(st.integers(0, 3), min_size=forest.edge_count, max_size=forest.edge_count))
    twin = ForestTwin(forest)
    possible = twin.best_by_cost(costs)
    least = data.draw(st.integers(0, max(possible) + 1))
    most = data.draw(st.integers(least, max(possible) + 1))
    within = twin.within(costs, least, most)
    shape, scores, part_costs = forest.shape, forest.part_scores, checked_costs(forest, costs)
    table = cost_table(shape, scores, part_costs, least, most)
    totals = sums(shape, scores, part_costs, cells_within(shape, scores, part_costs, least, most))
    if not within.derivations:
        assert totals.log_partition == -math.inf
        assert k_best_parts(shape, scores, part_costs, table, 3) == []
        return
    assert math.isclose(totals.log_partition, within.log_partition(), rel_tol=1e-9, abs_tol=1e-9)
    assert np.allclose(totals.posteriors()[1 : forest.edge_count + 1], within.edge_marginals())
    found = k_best_parts(shape, scores, part_costs, table, len(within.derivations) + 1)
    assert sorted(forest.edges_in(parts) for _, parts in found) == sorted(d.edges for d in within.derivations)
    assert np.allclose([score for score, _ in found], [d.score for d in within.ranked()])
    different = within.ranked(distinct=True)
    found = k_best_parts(shape, scores, part_costs, table, len(different) + 1, forest.emissions)
    assert np.allclose([score for score, _ in found], [d.score for d in different])


@given(forests())
@settings(max_examples=20)
def test_features_survive(forest: Hypergraph) -> None:
    weights = np.array([0.5, -1.0, 0.25, 2.0])
    product = limited(forest.scored(weights), forest.edge_costs())
    assert np.allclose(product.forest.scored(weights).scores, product.forest.scores)


@pytest.mark.parametrize("bounds", [{"_MANY_EDGES": 0, "_WAYS": 1}, {"_MOST_EDGES": 0}])
@given(forests(), st.data())
@settings(max_examples=80)
def test_of_too_many_edges_the_best_at_every_cost_stay(
    bounds: dict[str, int], forest: Hypergraph, data: st.DataObject
) -> None:
    costs = data.draw(st.lists(st.integers(0, 3), min_size=forest.edge_count, max_size=forest.edge_count))
    whole = limited(forest, costs)
    with pytest.MonkeyPatch.context() as patch:
        for name, bound in bounds.items():
            patch.setattr(f"laconic.forest.limited.{name}", bound)
        some = limited(forest, costs)
    assert some.forest.edge_count <= whole.forest.edge_count
    part_costs = checked_costs(forest, costs)
    of_whole, of_some = (
        ForestTwin(product.forest).best_by_cost(part_costs[product.forest.origins].tolist())
        for product in (whole, some)
    )
    assert of_some == pytest.approx(of_whole)


def test_where_there_are_too_many_edges_still_each_cell_has_its_best_way_alone() -> None:
    builder = ForestBuilder(range(6))
    words = [builder.node(word) for word in range(6)]
    root = builder.node("root")
    for number, word in enumerate(words):
        builder.edge(word, emits=[0], score=0.1 * number**2)
        builder.edge(word)
    builder.edge(root, words)
    forest = builder.build(root)
    costs = forest.edge_costs()
    whole = limited(forest, costs).forest
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("laconic.forest.limited._MOST_EDGES", whole.edge_count // 2)
        some = limited(forest, costs).forest
    assert some.edge_count < whole.edge_count


def test_an_open_limit_has_no_most() -> None:
    builder = ForestBuilder(range(1))
    root = builder.node("root")
    for _ in range(3):
        builder.edge(root)
    forest = builder.build(root)
    product = limited(forest, [1, 3, 9], least=2)
    assert [product.project(found).edges for found in k_best(product.forest, 3)] == [(1,), (2,)]
    with pytest.raises(InfeasibleBudget, match=r"possible: 9$"):
        limited(forest, [1, 3, 9], least=10)
