"""What the encoder sees of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.annotate.network import Network
from laconic.annotate.pieces import LOWER, MIXED, MOST_PIECES_A_WORD, TITLE, UPPER, Pieces, case_of

VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "coun",
    "##cil",
    "##s",
    "cafe",
    "'",
    '"',
    "(",
    "-",
    "##-",
    "a",
]


@pytest.fixture
def pieces() -> Pieces:
    return Pieces({piece: number for number, piece in enumerate(VOCABULARY)})


@pytest.mark.parametrize(
    ("word", "case"),
    [
        ("council", LOWER), ("42", LOWER), ("...", LOWER), ("理事会", LOWER), ("ß", LOWER), ("\ud800", LOWER),
        ("Council", TITLE), ("A", TITLE), ("I'm", TITLE), ("É", TITLE),
        ("U.S.", UPPER), ("COUNCIL", UPPER), ("B2B", UPPER),
        ("iPhone", MIXED), ("McDonald", MIXED), ("4Th", MIXED), ("'Tis", MIXED),
    ],
)  # fmt: skip
def test_case(word: str, case: int) -> None:
    assert case_of(word) == case


def test_words_become_pieces_between_marks(pieces: Pieces) -> None:
    encoded = pieces.encode(["Councils", "café"])
    assert encoded.ids.tolist() == [2, 4, 5, 6, 7, 3]
    assert encoded.cases.tolist() == [LOWER, TITLE, TITLE, TITLE, LOWER, LOWER]
    assert (encoded.first.tolist(), encoded.last.tolist()) == ([0, 1, 4, 5], [0, 3, 4, 5])


@pytest.mark.parametrize(
    ("marks", "seen"), [(("``", "''", "“", "«"), '"'), (("’", "`", "'"), "'"), (("-LRB-", "("), "(")]
)
def test_one_mark_written_in_many_ways_is_one_piece(
    pieces: Pieces, marks: tuple[str, ...], seen: str
) -> None:
    assert {pieces.of_word(mark) for mark in marks} == {(VOCABULARY.index(seen),)}


@pytest.mark.parametrize("word", ["\ud800", "\u200b", "\0", "\ufffd", "🙃", "zzz", "\u0301", " "])
def test_what_it_cannot_see_is_unknown(pieces: Pieces, word: str) -> None:
    assert pieces.of_word(word) == (pieces.unknown,)


def test_a_lone_surrogate_hides_no_letters(pieces: Pieces) -> None:
    assert VOCABULARY.index("a") in pieces.of_word("a\ud800")


def test_no_words_are_only_marks(pieces: Pieces) -> None:
    encoded = pieces.encode([])
    assert (encoded.ids.tolist(), encoded.first.tolist(), encoded.last.tolist()) == ([2, 3], [0, 1], [0, 1])


@given(st.lists(st.text(st.characters(), min_size=1, max_size=600), max_size=8))
def test_every_word_has_its_pieces(network: Network, words: list[str]) -> None:
    encoded = network.pieces.encode(words)
    sizes = (encoded.last - encoded.first + 1)[1:-1]
    assert len(encoded.ids) == len(encoded.cases) == sizes.sum() + 2
    assert all(1 <= size <= MOST_PIECES_A_WORD for size in sizes)
    assert encoded.first[1:].tolist() == (encoded.last[:-1] + 1).tolist()
