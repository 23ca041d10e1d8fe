import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.ngram.vocabulary import BEGIN, END, UNKNOWN, Vocabulary, encode_corpus, fold


def test_ids_follow_frequency_then_the_alphabet() -> None:
    vocabulary = Vocabulary.from_counts({"b": 2, "a": 2, "c": 9, "d": 1}, min_count=2, size=2)
    assert vocabulary.words == ("<unk>", "<s>", "</s>", "c", "a")


def test_a_text_cannot_forge_boundaries() -> None:
    vocabulary = Vocabulary.from_counts({"a": 1, "<s>": 5, "</s>": 5})
    assert vocabulary.ids(["<s>", "a", "</s>", "<unk>", "z"]).tolist() == [
        UNKNOWN,
        3,
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
    ]


@pytest.mark.parametrize("word", ["", "two words", "tab\tbed", "line\u2028end"])
def test_words_that_no_format_can_hold_are_refused(word: str) -> None:
    with pytest.raises(LaconicError, match="word 3 of the vocabulary"):
        Vocabulary(("<unk>", "<s>", "</s>", word))


def test_faulty_vocabularies_are_refused() -> None:
    with pytest.raises(LaconicError, match="twice: 'a'"):
        Vocabulary(("<unk>", "<s>", "</s>", "a", "a"))
    with pytest.raises(LaconicError, match="starts with <unk> <s> </s>"):
        Vocabulary(("a", "b", "c"))
    with pytest.raises(LaconicError, match="folding"):
        Vocabulary(("<unk>", "<s>", "</s>"), "upper")  # type: ignore[arg-type]
    with pytest.raises(LaconicError, match="at least 1"):
        Vocabulary.from_counts({"a": 1}, min_count=0)


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("''", '"'),
        ("“Yes", '"Yes'),
        ("‘", "'"),
        ("o’clock", "o'clock"),
        ("---", "--"),
        ("1990–91", "0000-00"),
        ("-", "-"),
    ],
)
def test_news_folding(word: str, folded: str) -> None:
    assert fold(word, "news") == folded
    assert fold(folded, "news") == folded
    assert fold(word, "none") == word


def test_corpora_are_encoded_between_boundaries_and_rare_words_become_unknown() -> None:
    vocabulary, tokens = encode_corpus(
        [["1990", "was", "good"], [], ["1991", "was", "<s>"]], min_count=2, folding="news"
    )
    assert vocabulary.words[3:] == ("0000", "was")
    assert vocabulary.id("1812") == 3
    assert tokens.tolist() == [BEGIN, 3, 4, UNKNOWN, END, BEGIN, 3, 4, UNKNOWN, END]
    assert tokens.dtype == np.int32


def test_an_empty_corpus_is_an_error() -> None:
    with pytest.raises(LaconicError, match="at least one sentence"):
        encode_corpus([[]])
