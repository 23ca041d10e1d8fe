import numpy as np
from hypothesis import given, settings

from laconic.forest.hypergraph import Hypergraph
from laconic.forest.shape import UNIT
from tests.forest.strategies import forests
from tests.oracles.forest import ForestTwin


def derivations(forest: Hypergraph) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The parts, in preorder, and the symbols of all derivations of a forest's shape."""
    shape, emissions = forest.shape, forest.emissions
    below: list[list[tuple[tuple[int, ...], tuple[int, ...]]]] = [[((), ())]]
    for item in range(UNIT + 1, len(shape.first) - 1):
        found = []
        for edge in range(shape.first[item], shape.first[item + 1]):
            template = emissions.templates[shape.part[edge]]
            emits = emissions.items[emissions.item_starts[template] : emissions.item_starts[template + 1]]
            for left_parts, left in below[shape.left[edge]]:
                for right_parts, right in below[shape.right[edge]]:
                    symbols = [{-1: left, -2: right}.get(code, (code,)) for code in emits.tolist()]
                    found.append(((int(shape.part[edge]), *left_parts, *right_parts), sum(symbols, ())))
        below.append(found)
    return below[-1]


@given(forests(possible=False))
@settings(max_examples=80)
def test_derivations_scores_and_yields_stay(forest: Hypergraph) -> None:
    free = forest.rescored(np.zeros(forest.edge_count))
    expected = sorted((d.edges, d.symbols) for d in ForestTwin(free).derivations)
    found = derivations(forest)
    assert sorted((forest.edges_in(np.array(parts)), symbols) for parts, symbols in found) == expected
    for parts, _ in found:
        edges = list(forest.edges_in(np.array(parts)))
        assert np.isclose(forest.part_scores[list(parts)].sum(), forest.scores[edges].sum())


@given(forests(possible=False))
@settings(max_examples=30)
def test_tails_come_before_what_they_make(forest: Hypergraph) -> None:
    shape = forest.shape
    heads = np.repeat(np.arange(len(shape.first) - 1), np.diff(shape.first))
    assert np.all(shape.left < heads)
    assert np.all(shape.right < heads)
    assert len(forest.part_scores) == shape.part.max() + 1
