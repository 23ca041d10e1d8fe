import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import InfeasibleBudget
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import log_partition
from laconic.forest.k_best import k_best
from laconic.forest.sampling import sample
from laconic.forest.strata import stratify
from tests.forest.strategies import forests
from tests.oracles.forest import ForestTwin


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
            stratify(forest, costs, least=least, most=most)
        assert caught.value.possible == (min(possible), max(possible))
        return
    strata = stratify(forest, costs, least=least, most=most)
    assert strata.totals.tolist() == sorted(cost for cost in possible if least <= cost <= most)
    assert math.isclose(log_partition(strata.forest), within.log_partition(), rel_tol=1e-9, abs_tol=1e-9)

    found = k_best(strata.forest, len(within.derivations) + 1)
    projected = [strata.project(derivation) for derivation in found]
    assert sorted(d.edges for d in projected) == sorted(d.edges for d in within.derivations)
    assert np.allclose([d.score for d in projected], [d.score for d in within.ranked()])
    assert all(d.symbols() == p.symbols() for d, p in zip(found, projected, strict=True))

    expected = strata.marginals()
    assert np.allclose(expected.edges, within.edge_marginals())
    assert math.isclose(expected.entropy, within.entropy(), rel_tol=1e-9, abs_tol=1e-9)
    totals = [within.expectation(lambda d, t=t: twin.cost(d, costs) == t) for t in strata.totals]
    assert np.allclose(strata.total_probabilities(), totals)

    allowed = {derivation.edges for derivation in within.derivations}
    draws = sample(strata.forest, np.random.default_rng(1), count=5)
    assert {strata.project(draw).edges for draw in draws} <= allowed


@given(forests())
@settings(max_examples=20)
def test_features_survive(forest: Hypergraph) -> None:
    weights = np.array([0.5, -1.0, 0.25, 2.0])
    scored = forest.scored(weights)
    strata = stratify(scored, forest.edge_costs())
    assert np.allclose(strata.forest.scored(weights).scores, strata.forest.scores)


def test_an_open_limit_has_no_most() -> None:
    builder = ForestBuilder(range(1))
    root = builder.node("root")
    for _ in range(3):
        builder.edge(root)
    forest = builder.build(root)
    assert stratify(forest, [1, 3, 9], least=2).totals.tolist() == [3, 9]
    with pytest.raises(InfeasibleBudget, match=r"costs at least 10 \(nearest: 9\)"):
        stratify(forest, [1, 3, 9], least=10)
