"""Bonds: arcs are torn in many ways; of ties between the same words the dearest counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.systems.default.bonds import Tear, bonds
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import PricedTies, Tie, listed


def test_a_list_makes_bonds_of_every_kind(compressor: Compressor) -> None:
    text = "She came and told us that the cook of the inn and the old gardener had left because of him."
    found = {bond.tear for bond in bonds(SourceTree(compressor.compress(text).sentence))}
    assert found == set(Tear)


PARTS = st.lists(st.integers(0, 5), max_size=3, unique=True).map(tuple)


@given(
    st.lists(
        st.tuples(
            st.builds(Tie, PARTS, PARTS.filter(bool), st.sampled_from("abc")),
            st.sampled_from([0.0, 0.5, 1, 2]),
        )
    ),
    st.integers(0, 9),
    st.sets(st.integers(0, 5)),
)
def test_the_dearest_of_the_same_counts(priced: list[tuple[Tie, float]], cut: int, kept: set[int]) -> None:
    dearest: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Tie, float]] = {}
    for tie, price in priced:
        if price > dearest.get(tie[:2], (tie, 0.0))[1]:
            dearest[tie[:2]] = tie, price
    ties = PricedTies(listed(priced[:cut]), listed(priced[cut:]), 6)
    assert list(ties.items()) == list(dearest.values())
    torn = [each for each in ties.items() if each[0].broken_by(frozenset(kept))]
    assert ties.torn_by(kept) == torn
    assert ties.broken(kept)[1] == pytest.approx(sum(price for _, price in torn))
    words, given_counts, ends, prices = ties.arrays
    assert len(words) == (ends[-1] if len(ends) else 0) and len(given_counts) == len(ends) == len(prices)
    assert np.all(prices > 0)
