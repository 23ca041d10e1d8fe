from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.trees.dependency import (
    ancestors,
    check_heads,
    dependents,
    depths,
    is_projective,
    projectivise,
    restrict_heads,
    top_down,
)
from tests.strategies import head_sequences


def dominates(heads, above, word):
    """Whether `above` is the word or one of its ancestors, by walking."""
    while word not in (above, -1):
        word = heads[word]
    return word == above


def has_no_crossing(heads):
    """Projectivity by its definition: a head dominates every word between itself and its dependent."""
    return all(
        dominates(heads, head, between)
        for word, head in enumerate(heads)
        if head >= 0
        for between in range(min(word, head) + 1, max(word, head))
    )


@given(head_sequences())
def test_trees_pass(heads) -> None:
    assert check_heads(heads) is None  # type: ignore[func-returns-value]


def test_the_empty_sentence_passes() -> None:
    assert check_heads(()) is None  # type: ignore[func-returns-value]


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=6))
def test_check_accepts_exactly_the_trees(heads) -> None:
    in_range = all(head < len(heads) for head in heads)
    is_tree = (
        in_range and heads.count(-1) == 1 and all(_reaches_root(heads, word) for word in range(len(heads)))
    )
    if is_tree:
        check_heads(heads)
    else:
        with pytest.raises(LaconicError):
            check_heads(heads)


def _reaches_root(heads, word):
    for _ in heads:
        word = heads[word]
        if word == -1:
            return True
    return False


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((-1, -1), r"one root, not 2 \(words \[0, 1\]\)"),
        ((1, 0), r"words \[0, 1\] form a cycle"),
        ((-1, 2, 3, 1, 0), r"words \[1, 2, 3\] form a cycle"),
        ((-1, 1), r"words \[1\] form a cycle"),
        ((-1, 4, 3, 2, 3), r"words \[2, 3\] form a cycle"),
        ((-1, 2), "word 1 has head 2, outside"),
        ((-1, -2), "word 1 has head -2, outside"),
    ],
)
def test_faults_are_named(heads, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        check_heads(heads)


def test_long_chains_are_checked_in_linear_time() -> None:
    heads = [*range(1, 200_000), -1]
    check_heads(heads)
    assert depths(heads)[0] == 199_999
    assert is_projective(heads)


@given(head_sequences())
def test_relations_between_words(heads) -> None:
    below = dependents(heads)
    for word in range(len(heads)):
        assert below[word] == tuple(d for d, head in enumerate(heads) if head == word)
        above = ancestors(heads, word)
        assert set(above) == {a for a in range(len(heads)) if a != word and dominates(heads, a, word)}
        assert depths(heads)[word] == len(above)
    order = top_down(heads)
    assert sorted(order) == list(range(len(heads)))
    assert all(order.index(head) < order.index(word) for word, head in enumerate(heads) if head >= 0)


@given(head_sequences())
def test_projectivity_is_its_definition(heads) -> None:
    assert is_projective(heads) == has_no_crossing(heads)


@given(head_sequences(projective=True))
def test_projective_trees_stay_as_they_are(heads) -> None:
    assert is_projective(heads)
    assert projectivise(heads) == heads


@given(head_sequences())
def test_lifting_gives_a_projective_tree_with_heads_among_the_ancestors(heads) -> None:
    lifted = projectivise(heads)
    check_heads(lifted)
    assert has_no_crossing(lifted)
    assert all(
        new in (old, *ancestors(heads, word))
        for word, (new, old) in enumerate(zip(lifted, heads, strict=True))
    )


def test_the_shortest_arc_is_lifted_first() -> None:
    # "A hearing is scheduled on it today": hearing -> on crosses scheduled -> today, so both rise to "is".
    assert projectivise((1, 2, -1, 2, 1, 4, 3)) == (1, 2, -1, 2, 2, 4, 2)
    # The arc 2 -> 0 is shorter than 0 -> 3 and rises to the root; then so must 3.
    assert projectivise((2, -1, 1, 0)) == (1, -1, 1, 1)


@given(head_sequences(), st.data())
def test_restriction_keeps_domination(heads, data: st.DataObject) -> None:
    kept = sorted(data.draw(st.sets(st.sampled_from(range(len(heads))), min_size=1)))
    smaller = restrict_heads(heads, kept)
    check_heads(smaller)
    loose = [word for word in kept if not set(ancestors(heads, word)) & set(kept)]
    for index, word in enumerate(kept):
        nearest = next((a for a in ancestors(heads, word) if a in kept), None)
        if nearest is not None:
            assert kept[smaller[index]] == nearest
        elif word == loose[0]:
            assert smaller[index] == -1
        else:
            assert kept[smaller[index]] == loose[0]


def test_restriction_to_nothing_and_outside() -> None:
    assert restrict_heads((1, -1), []) == ()
    with pytest.raises(LaconicError, match="within 0 to 1"):
        restrict_heads((1, -1), [2])
