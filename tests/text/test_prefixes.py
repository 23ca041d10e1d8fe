"""What the white space of a text costs, pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.sentence import Sentence
from laconic.text.detokenise import article_growth, layout, space_between
from laconic.text.prefixes import Writer
from laconic.text.tokenise import tokenise
from tests.text.test_detokenise import odd_english


def in_bytes(text: str) -> int:
    return len(text.encode())


@pytest.mark.parametrize("cost", [len, in_bytes])
@given(odd_english | st.text(max_size=30).map(tokenise))
def test_all_gaps_at_once_are_those_of_each_pair(cost: Callable[[str], int], sentence: Sentence) -> None:
    gaps = Writer(sentence).gaps(cost)
    roles, _ = layout(sentence.words, sentence.spaces)
    for left, right in combinations(range(len(sentence)), 2):
        growth = article_growth(left, right, sentence.words, sentence.spaces, roles)
        assert gaps[left, right] == cost(space_between(sentence, left, right)) + growth


def test_an_article_grows_before_a_vowel() -> None:
    sentence = tokenise("a small apple (5%)")
    gaps = Writer(sentence).gaps()
    assert (gaps[0, 1], gaps[0, 2]) == (1, 2)  # an apple
    assert (gaps[3, 4], gaps[4, 5]) == (0, 0)  # (5%
