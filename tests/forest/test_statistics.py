from hypothesis import given, settings

from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from tests.forest.strategies import forests
from tests.oracles.forest import ForestTwin
from tests.oracles.statistics import Statistics, statistics


@given(forests(possible=False))
@settings(max_examples=30)
def test_derivations_are_counted(forest: Hypergraph) -> None:
    counted = statistics(forest)
    assert counted.derivations == len(ForestTwin(forest).derivations)
    assert counted.density == forest.edge_count / forest.node_count


def test_counts_are_exact_beyond_floats() -> None:
    builder = ForestBuilder(range(1))
    node = builder.node(0)
    builder.edge(node)
    for level in range(1, 101):
        below, node = node, builder.node(level)
        for _ in range(3):
            builder.edge(node, [below])
    assert statistics(builder.build(node)) == Statistics(101, 301, 300, 3**100, 1)
