"""Every row of the table of protections changes its examples, and leaves alone what it must."""

from __future__ import annotations

import pytest

from laconic.annotate import annotate
from laconic.sentence import Sentence
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.protections import Protection, protecting_ties, protections, words_of
from laconic.systems.default.source_tree import SourceTree
from laconic.text.tokenise import tokenise

ROWS = [pytest.param(row, id=row.name) for row in protections()]


def without_brackets(example: str) -> tuple[Sentence, frozenset[int]]:
    """The annotated sentence, and the words outside of brackets."""
    outside, left_out = [], False
    for character in example:
        if character in "[]":
            left_out = character == "["
        else:
            outside.append(not left_out)
    sentence = tokenise(example.replace("[", "").replace("]", ""))
    kept, place = [], 0
    for word, text in enumerate(sentence.words):
        if outside[place]:
            kept.append(word)
        place += len(text) + len(sentence.spaces[word])
    [parsed] = annotate([sentence], threads=1)
    return parsed, frozenset(kept)


def broken(row: Protection, example: str) -> bool:
    sentence, kept = without_brackets(example)
    found = protecting_ties(SourceTree(sentence))
    return any(tie.broken_by(kept) for tie, maker in found if maker is row)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_changes_its_examples(row: Protection) -> None:
    assert row.tears
    assert [example for example in row.tears if not broken(row, example)] == []


@pytest.mark.parametrize("row", ROWS)
def test_a_row_leaves_alone_what_it_must(row: Protection) -> None:
    assert row.allows
    assert [example for example in row.allows if broken(row, example)] == []


def test_rows_have_names_of_their_own_and_a_price_or_none() -> None:
    names = [row.name for row in protections()]
    assert len(set(names)) == len(names)
    assert all(row.price is None or 0 < row.price < 20 for row in protections())
    assert {"not", "never", "n't"} <= words_of("negation", "clipped negation")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The mayor of the small town did not resign on Monday after a long meeting.", "not"),
        ("The old company never paid the 20 workers who were injured in the fire.", "never"),
        ("Nobody in the large audience could hear what the speaker said about the plan.", "Nobody"),
    ],
)
def test_a_negation_stays_at_every_length_that_keeps_what_it_denies(
    compressor: Compressor, text: str, word: str
) -> None:
    frontier = compressor.frontier(text)
    for compression in frontier:
        assert not [note for note in compression.notes if note.startswith("a negation is gone")]
    assert any(word in compression.words for compression in frontier)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Such old skills are in little demand now.", "little"),
        ("The school has produced few leaders of note.", "few"),
        ("The band is no longer cool, my niece says.", "no longer"),
        ("The senator falsely claimed that the law would raise taxes.", "falsely claimed"),
        ("The note has sparked rumours that the firm is for sale.", "rumours"),
    ],
)
def test_at_the_natural_length_nothing_is_flipped(compressor: Compressor, text: str, said: str) -> None:
    for register in (None, "news", "spoken"):
        answer = compressor.with_manner(register=register).compress(text)
        # Either what is said stays as it was said, or what it is said of goes with it.
        assert said in answer.text or not answer.notes
        assert not any("gone" in note or "as if" in note or "fact" in note for note in answer.notes)


def test_what_must_be_torn_is_reported(compressor: Compressor) -> None:
    sentence = tokenise("The mayor did not resign.")
    answer = compressor.compress(sentence, keep=[4], drop=[3])
    assert "a negation is gone: 'resign' without 'not'" in answer.notes
