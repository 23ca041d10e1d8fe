"""What a caller names is found as it stands in the sentence, and what is no phrase is refused."""

from __future__ import annotations

from typing import Any

import pytest

from laconic import LaconicError, Sentence, tokenise
from laconic.text.phrases import find_phrase, find_phrases, phrases_of


def named(text: str, phrase: str) -> list[str]:
    sentence = tokenise(text)
    return [sentence.words[index] for index in find_phrase(sentence, phrase)]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The U.S. team left.", "U.S."),
        ("It was Mr. Vane.", "Mr."),
        ("Harbour Corp. sold it.", "harbour corp."),
        ("At 5 p.m. it rained.", "5 p.m."),
        ("In Jan. 2031 it rained.", "in Jan."),
        ("J. R. Tully left.", "J. R."),
        ("1. Open the door", "1."),
    ],
)
def test_a_stop_that_belongs_to_the_last_word_is_found(text: str, phrase: str) -> None:
    assert " ".join(named(text, phrase)).casefold() == phrase.casefold()


def test_the_same_phrase_is_found_where_its_stop_ends_the_sentence() -> None:
    assert named("The U.S. team left the U.S.", "U.S.") == ["U.S.", "U.S", "."]


def test_a_word_does_not_bring_the_stop_behind_it() -> None:
    assert named("It was late.", "late") == ["late"]
    assert named("It was late.", "late.") == ["late", "."]


def test_spacing_does_not_matter_between_words_but_does_within() -> None:
    assert named("An\u00a0old \t ferry", "old ferry") == ["old", "ferry"]
    assert find_phrase(Sentence.from_words(["He", "ca", "n't", "go"]), "can't") == [1, 2]
    assert named("Someone else", "some one") == []
    assert named("some one else", "someone") == []


@pytest.mark.parametrize("phrase", ["", " ", "\u200b", "\x00"])
def test_a_phrase_without_a_word_is_an_error(phrase: str) -> None:
    with pytest.raises(LaconicError, match="no word"):
        find_phrase(tokenise("It was late."), phrase)


def test_a_string_is_one_phrase_not_its_letters() -> None:
    assert phrases_of("late") == ("late",)
    assert find_phrases(tokenise("It was late."), "late") == [2]


def test_an_iterator_is_read_once() -> None:
    assert phrases_of(iter(["late", "it"])) == ("late", "it")


@pytest.mark.parametrize("given", [b"late", None, 3, [b"late"], [None], ["late", 3], [["late"]]])
def test_what_is_no_phrase_is_an_error_that_shows_it(given: Any) -> None:
    with pytest.raises(LaconicError, match=r"to keep or drop (is|are)"):
        phrases_of(given)


def test_a_phrase_that_does_not_appear_is_an_error_that_names_both() -> None:
    with pytest.raises(LaconicError, match=r"'U\.K\.' is not in the sentence 'The U\.S\. team left\.'"):
        find_phrases(tokenise("The U.S. team left."), ["U.K."])
