import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph, slot
from laconic.forest.prices import check_copied_once, priced
from tests.forest.strategies import deletion_forests, forests
from tests.oracles.forest import Enumerated, ForestTwin


@given(deletion_forests(), st.data())
@settings(max_examples=100)
def test_prices_equal_enumeration(forest: Hypergraph, data: st.DataObject) -> None:
    words = int((forest.symbol_words >= 0).sum())
    price = st.floats(-2, 2) | st.sampled_from([math.inf, -math.inf])
    prices = np.array(data.draw(st.lists(price, min_size=words, max_size=words)))
    demanded = set(np.flatnonzero(prices == math.inf).tolist())
    forbidden = set(np.flatnonzero(prices == -math.inf).tolist())
    twin = ForestTwin(forest)

    def allowed(derivation: Enumerated) -> bool:
        kept = set(twin.words(derivation))
        return demanded <= kept and not forbidden & kept

    finite = np.where(np.isfinite(prices), prices, 0.0)
    expected = {
        derivation.edges: derivation.score + finite[list(twin.words(derivation))].sum()
        for derivation in twin.derivations
        if allowed(derivation)
    }
    if demanded and not expected:
        with pytest.raises(InfeasibleBudget, match="no derivation keeps all of words"):
            priced(forest, prices)
        return
    found = {d.edges: d.score for d in ForestTwin(priced(forest, prices)).derivations}
    assert found.keys() == expected.keys()
    assert all(math.isclose(found[edges], score, abs_tol=1e-9) for edges, score in expected.items())


@given(forests(possible=False))
@settings(max_examples=60)
def test_a_word_copied_twice_is_found(forest: Hypergraph) -> None:
    # Whatever the scores: what a forest can copy depends on its structure alone.
    twin = ForestTwin(forest.rescored(np.zeros(forest.edge_count)))
    copies = [[forest.symbol_words[s] for s in d.symbols] for d in twin.derivations]
    repeated = {word for found in copies for word in found if word >= 0 and found.count(word) > 1}
    if repeated:
        with pytest.raises(LaconicError, match="can be copied twice"):
            check_copied_once(forest)
    else:
        check_copied_once(forest)
    for word in range(4):
        chosen = np.arange(4) == word
        if word in repeated:
            with pytest.raises(LaconicError, match=f"word {word} can be copied twice"):
                check_copied_once(forest, chosen)
        else:
            check_copied_once(forest, chosen)


def test_words_beyond_the_first_sixty_four_are_found() -> None:
    builder = ForestBuilder(range(130))
    root, leaf = builder.node("root"), builder.node("leaf")
    builder.edge(leaf, emits=[3, 129])
    builder.edge(root, [leaf], emits=[slot(0), 64, 129])
    with pytest.raises(LaconicError, match="word 129 can be copied twice, by edge 1 of node root"):
        check_copied_once(builder.build(root))


def test_the_error_says_what_goes_together() -> None:
    builder = ForestBuilder(range(3))
    root = builder.node("root")
    builder.edge(root, emits=[0, 2])
    builder.edge(root, emits=[1])
    forest = builder.build(root)
    message = r"no derivation keeps all of words \[0, 1\]; at most 1 of them go together"
    with pytest.raises(InfeasibleBudget, match=message):
        priced(forest, [math.inf, math.inf, 0.0])
    with pytest.raises(InfeasibleBudget, match=r"words \[0\] and none of \[2\]; at most 0 of them"):
        priced(forest, [math.inf, 0.0, -math.inf])
    with pytest.raises(InfeasibleBudget, match="none is left at all"):
        priced(forest, [math.inf, -math.inf, -math.inf])


def test_bad_prices_are_errors() -> None:
    builder = ForestBuilder(range(2))
    builder.edge(builder.node("root"), emits=[0, 1])
    forest = builder.build(0)
    with pytest.raises(LaconicError, match="words 0 to 1 but the prices have shape"):
        priced(forest, [1.0])
    with pytest.raises(LaconicError, match="the price of word 1 is not a number"):
        priced(forest, [0.0, math.nan])
