"""Stems, chunks, brackets and siblings: the small rules that features rest on."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.systems.dependency.chunks import chunks
from laconic.systems.dependency.rows import sibling_cells
from laconic.systems.dependency.stems import verb_stem
from laconic.trees.constituency import Tree
from tests.strategies import trees
from tests.systems.dependency.sentences import compressions


@pytest.mark.parametrize(
    "forms",
    [
        "close closes closed closing",
        "try tries tried trying",
        "stop stops stopped stopping",
        "pass passes passed passing",
        "watch watches watched watching",
        "say says said saying",
        "take takes took taken taking",
        "agree agrees agreed",
        "tell tells told telling",
    ],
)
def test_the_forms_of_a_verb_share_a_stem(forms: str) -> None:
    assert len({verb_stem(form) for form in forms.split()}) == 1


def test_different_verbs_differ() -> None:
    verbs = ("close", "try", "stop", "pass", "watch", "say", "take", "tell", "sing", "bring", "need", "be")
    assert len({verb_stem(verb) for verb in verbs}) == len(verbs)


def test_chunks_are_flat_phrases() -> None:
    nested = (
        "S",
        ("NP", ("NP", ("DT", "The"), ("NN", "head")), ("PP", ("IN", "of"), ("NP", ("NN", "state")))),
        ("VP", ("MD", "may"), ("VP", ("VB", "go"), ("ADVP", ("RB", "soon")), ("VP", ("VB", "home")))),
        (".", "."),
    )
    numbers, labels = chunks(Tree.from_nested(nested))
    assert numbers == (0, 0, 1, 2, 3, 3, 4, 5, 6)
    assert labels == ("NP", "NP", "PP", "NP", "VP", "VP", "ADVP", "VP", "S")


@given(trees())
def test_chunks_cut_every_sentence(tree: Tree) -> None:
    numbers, labels = chunks(tree)
    assert len(numbers) == len(labels) == len(tree.words)
    steps = [after - before for before, after in pairwise(numbers)]
    assert numbers[0] == 0
    assert set(steps) <= {0, 1}
    assert all(step or one == other for step, (one, other) in zip(steps, pairwise(labels), strict=True))


@given(compressions(6))
def test_siblings_go_outwards_from_the_head(compression: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    kept, heads = compression
    side = 7
    for word, head, cell in zip(kept, heads, sibling_cells(kept, heads, side), strict=True):
        h, previous, m = cell // side**2, cell // side % side, cell % side
        assert (m, h) == (word + 1, kept[head] + 1 if head >= 0 else 0)
        others = [
            other + 1
            for other, its in zip(kept, heads, strict=True)
            if its == head and min(h, m) < other + 1 < max(h, m)
        ]
        assert previous == (h if not others else max(others) if h < m else min(others))


@given(st.text(max_size=12))
def test_any_word_has_a_stem(word: str) -> None:
    assert verb_stem(word) == verb_stem(word.lower())
