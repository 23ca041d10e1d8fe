from hypothesis import given, settings

from laconic.forest.builder import ForestBuilder
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph, slot
from tests.forest.strategies import forests
from tests.oracles.forest import ForestTwin


@given(forests())
@settings(max_examples=40)
def test_yields_and_words_are_those_of_the_edges(forest: Hypergraph) -> None:
    twin = ForestTwin(forest)
    for expected in twin.derivations:
        derivation = Derivation(forest, expected.score, expected.edges)
        assert derivation.symbols() == expected.symbols
        assert derivation.words() == twin.words(expected)


def test_a_fold_meets_every_edge_after_its_tails_in_order() -> None:
    builder = ForestBuilder(range(3))
    root, left, right = (builder.node(key) for key in ("root", "left", "right"))
    builder.edge(root, [left, right], emits=[slot(1), 1, slot(0)])
    builder.edge(left, emits=[0])
    builder.edge(right, [left], emits=[slot(0), 2])
    forest = builder.build(root)
    edges = {forest.name(int(forest.heads[edge])): edge for edge in range(3)}
    derivation = Derivation(forest, 0.0, (edges["root"], edges["left"], edges["right"], edges["left"]))
    assert derivation.symbols() == (0, 2, 1, 0)
    names = derivation.fold(lambda edge, below: (forest.name(int(forest.heads[edge])), *below))
    assert names == ("root", ("left",), ("right", ("left",)))
