from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings

from laconic.errors import LaconicError
from laconic.forest.assembly import assemble
from laconic.forest.edges import EdgeArrays, Pools
from laconic.forest.hypergraph import Hypergraph
from tests.forest.strategies import forests


def pools(forest: Hypergraph) -> Pools:
    return Pools(*(getattr(forest, name) for name in Pools._fields))


@given(forests(possible=False))
@settings(max_examples=40)
def test_assembling_a_forest_again_changes_nothing(forest: Hypergraph) -> None:
    again = assemble(
        forest.root,
        node_count=forest.node_count,
        edges=EdgeArrays(
            heads=forest.heads,
            tail_starts=forest.tail_starts,
            tails=forest.tails,
            scores=forest.scores,
            templates=forest.templates,
            feature_rows=forest.feature_rows,
            origins=forest.origins,
        ),
        pools=pools(forest),
        keys=forest.keys,
    )
    assert again.keys == forest.keys
    for field in fields(forest):
        if field.name not in ("keys", "reorders"):
            same = map(np.array_equal, getattr(again, field.name), getattr(forest, field.name))
            assert all(same), field.name


@pytest.mark.parametrize("name", ["templates", "feature_rows"])
def test_references_outside_the_pools_are_errors(name: str) -> None:
    arrays = {
        "heads": np.zeros(1, dtype=np.int32),
        "tail_starts": np.zeros(2, dtype=np.int32),
        "tails": np.zeros(0, dtype=np.int32),
        "scores": np.zeros(1),
        "templates": np.zeros(1, dtype=np.int32),
        "feature_rows": np.zeros(1, dtype=np.int32),
        "origins": np.zeros(1, dtype=np.int32),
    }
    none = np.zeros(0, dtype=np.int32)
    empty = np.zeros(2, dtype=np.int32)
    shared = Pools(empty, none, empty, none, np.zeros(0), none)
    assert assemble(0, node_count=1, edges=EdgeArrays(**arrays), pools=shared).edge_count == 1  # type: ignore[arg-type]
    arrays[name] = np.ones(1, dtype=np.int32)
    with pytest.raises(LaconicError, match=r"edge 0 of node #0 has .* 1, which does not exist"):
        assemble(0, node_count=1, edges=EdgeArrays(**arrays), pools=shared)  # type: ignore[arg-type]
