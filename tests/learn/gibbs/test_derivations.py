"""The rules of a state are those of its derivation."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.grammar.grammar import AlignedTrees
from laconic.learn.gibbs.chain import Chain, GibbsOptions
from laconic.learn.gibbs.corpus import SampledPairs
from laconic.learn.gibbs.derivations import derived_rules
from tests.grammar.strategies import deletion_pairs
from tests.learn.gibbs.corpora import RAIN, pair
from tests.learn.gibbs.test_sampler import alignments
from tests.oracles.gibbs import rules_of


@settings(max_examples=40)
@given(st.lists(deletion_pairs(), min_size=1, max_size=3), st.integers(0, 1000))
def test_rules_are_those_of_the_definition(pair_list, seed) -> None:
    pairs = SampledPairs.of(pair_list)
    chain = Chain(pairs, GibbsOptions(sweeps=1), np.random.default_rng(seed))
    chain.advance()
    found = alignments(pairs, chain.alignment)
    expected = sum((rules_of(trees, one) for trees, one in zip(pairs.pairs, found, strict=True)), Counter())
    assert derived_rules(pairs, chain.alignment) == expected
    assert len(expected) == chain.grammar_size


def test_rules_whose_sides_change_places_are_told_apart() -> None:
    there, back = ("S", ("A", "so")), ("S", ("B", "so"))
    pairs = SampledPairs.of([pair(there, back), pair(back, there)])
    alignment = np.array([0, 1, 2, 3], np.int32)
    chain = Chain(pairs, GibbsOptions(), np.random.default_rng(0), alignment)
    assert chain.grammar_size == len(derived_rules(pairs, alignment)) == 4


def test_rules_whose_branches_change_places_are_told_apart() -> None:
    def branching(second: str, third: str) -> AlignedTrees:
        words = ("X", ("X", ("N", "a"), ("N", second)), ("X", ("N", third), ("N", "a")))
        return pair(words, words)

    pairs = SampledPairs.of([branching("b", "c"), branching("c", "b")])
    alignment = np.full(14, -2, np.int32)
    alignment[[0, 7]] = 0, 7
    chain = Chain(pairs, GibbsOptions(), np.random.default_rng(0), alignment)
    assert chain.grammar_size == len(derived_rules(pairs, alignment)) == 2


def test_an_alignment_of_other_pairs_is_an_error() -> None:
    with pytest.raises(LaconicError, match="an alignment of 3 source nodes"):
        derived_rules(SampledPairs.of(RAIN), np.zeros(3, np.int32))
