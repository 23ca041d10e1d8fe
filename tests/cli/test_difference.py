"""Differences cover the whole sentence, in order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.cli.difference import plain_difference
from laconic.compression import Compression
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.text.difference import stretches

sentences = st.lists(
    st.tuples(st.sampled_from(["a", "bc", "."]), st.sampled_from(["", " "])), max_size=8
).map(lambda pairs: Sentence(tuple(word for word, _ in pairs), tuple(space for _, space in pairs)))


@given(sentences, st.sets(st.integers(0, 7)))
def test_stretches_are_the_sentence_and_alternate(sentence: Sentence, kept: set[int]) -> None:
    parts = list(stretches(sentence, kept))
    assert "".join(text + space for text, space, _ in parts) == sentence.text
    assert all(earlier[2] != later[2] for earlier, later in pairwise(parts))
    kept_letters = sum(len(sentence.words[index]) for index in kept if index < len(sentence))
    assert sum(len(text.replace(" ", "")) for text, _, stays in parts if stays) == kept_letters


def test_a_rewritten_sentence_has_no_difference() -> None:
    rewritten = Compression(Sentence.from_words(["It", "fell"]), None, ("Down",), "Down")
    with pytest.raises(LaconicError, match="rewrites sentences"):
        plain_difference(rewritten)
