"""What the encoder sees of words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.annotate.network import Network
from laconic.annotate.pieces import LOWER, MIXED, MOST_PIECES_A_WORD, TITLE, UPPER, Pieces, case_of
from laconic.files import read_lines
from tests.oracles.pieces import library_pieces

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


KNOWN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZéñßİΣſK0123456789.,'-–—’“()[]"


def odd_words(count: int, seed: int) -> Iterator[str]:
    """Words of known letters with some from anywhere in Unicode, sometimes long."""
    chance = random.Random(seed)
    blocks = [start for start in range(0, 0x110000, 0x80) if start < 0x32000 or start >= 0xE0000]
    for _ in range(count):
        letters = chance.choices(KNOWN, k=chance.choice((1, 2, 3, 5, 8, 13, 120)))
        for _ in range(chance.randrange(4)):
            # The lower planes hold nearly all that is written.
            block = chance.choice(blocks[: 0x3100 >> 7] if chance.random() < 0.5 else blocks)
            letters.insert(chance.randrange(len(letters) + 1), chr(block + chance.randrange(0x80)))
        yield "".join(letters)


@pytest.fixture(scope="module")
def vocabulary() -> dict[str, int]:
    path = Path(str(resources.files("laconic"))) / "models" / "annotator" / "inventory.json"
    listed = json.loads(path.read_text(encoding="utf-8"))["vocabulary"]
    return {piece: number for number, piece in enumerate(listed)}


def differing(vocabulary: dict[str, int], words: Iterable[str]) -> list[str]:
    """Words of which ours and the library's pieces differ."""
    ours, theirs = Pieces(vocabulary).of_word, library_pieces(vocabulary)
    return [word for word in words if ours(word) != theirs(word)]


def test_pieces_equal_the_library(vocabulary: dict[str, int]) -> None:
    assert differing(vocabulary, odd_words(4000, seed=1)) == []
    assert differing(vocabulary, (f"a{chr(code)}b" for code in range(0x3100))) == []


def test_the_comparison_can_fail(vocabulary: dict[str, int]) -> None:
    library = library_pieces(vocabulary)
    assert library("na\u0308ive") != library("naZive") and library("a\u200bb") != library("a b")


@pytest.mark.slow
def test_a_million_words_have_the_pieces_of_the_library(vocabulary: dict[str, int]) -> None:
    every_character = (f"a{chr(code)}b" for code in range(0x110000))
    assert differing(vocabulary, every_character) == []
    assert differing(vocabulary, odd_words(1_000_000, seed=2)) == []
    texts = Path(__file__).parents[3] / "shared" / "data"
    words = {
        word
        for path in sorted(texts.rglob("*"))
        if path.is_file() and path.suffix in (".txt", ".jsonl", ".conllu", ".mrg", ".gz")
        for _, line in read_lines(path)
        for word in line.split()
    }
    assert differing(vocabulary, words) == []
