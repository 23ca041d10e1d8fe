"""Bonds: the kernel lists what the tree says, arc by arc; of ties between the same words the dearest counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate.annotator import Analysis
from laconic.sentence import Sentence
from laconic.systems.default.bonds import Tear, bonds
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import PricedTies, Tie, listed
from tests.oracles.bonds import bonds as bonds_of_the_tree
from tests.systems.default.readings import analyses

RELATIONS = [
    *(
        "nsubj",
        "nsubj:pass",
        "expl",
        "aux",
        "aux:pass",
        "cop",
        "case",
        "mark",
        "cc",
        "det",
        "advmod",
        "punct",
    ),
    *(
        "conj",
        "appos",
        "flat",
        "nmod",
        "nmod:poss",
        "compound",
        "compound:prt",
        "ccomp",
        "xcomp",
        "parataxis",
    ),
    *("obl", "acl:relcl", "fixed"),
]


@st.composite
def trees(draw: st.DrawFn) -> SourceTree:
    """A tree of any shape over words of any tag, in which small words may have words below them."""
    count = draw(st.integers(1, 14))
    order = draw(st.permutations(range(count)))
    heads = [-1] * count
    for place in range(1, count):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    relations = ["root" if head < 0 else draw(st.sampled_from(RELATIONS)) for head in heads]
    tags = [draw(st.sampled_from(["NN", "VBD", "MD", "IN"])) for _ in heads]
    sentence = Sentence.from_words([f"w{word}" for word in range(count)])
    return SourceTree(sentence.annotated(tags=tags, heads=heads, relations=relations))


@settings(max_examples=200, deadline=None)
@given(trees())
def test_the_kernel_lists_what_the_tree_says(tree: SourceTree) -> None:
    assert list(bonds(tree)) == list(bonds_of_the_tree(tree))


@settings(max_examples=40, deadline=None)
@given(analyses(9))
def test_the_same_of_sentences(analysis: Analysis) -> None:
    tree = SourceTree(analysis.sentence)
    assert list(bonds(tree)) == list(bonds_of_the_tree(tree))


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
