"""Probabilities of arcs sum to one, follow the formulas, and survive the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from laconic.errors import LaconicError, ModelError
from laconic.grammar.dependency_grammar import DependencyGrammar, Smoothing, fold, load_dependency_grammar
from laconic.sentence import Sentence
from tests.storage.crafting import craft


def sentence(words: str, tags: str, heads: list[int]) -> Sentence:
    return Sentence.from_words(words.split()).annotated(tags=tags.split(), heads=heads)


CORPUS = [
    sentence("the dog barked", "DT NN VBD", [1, 2, -1]),
    sentence("the cat saw the dog", "DT NN VBD DT NN", [1, 2, -1, 4, 2]),
    sentence("a dog slept", "DT NN VBD", [1, 2, -1]),
]
SMOOTHING = Smoothing(min_count=2, tags=2.0, words=4.0)


def grammar() -> DependencyGrammar:
    return DependencyGrammar.estimate(CORPUS, smoothing=SMOOTHING)


def test_what_is_known() -> None:
    assert grammar().words == ("<unknown>", "dog", "the")
    assert grammar().tags == ("<unknown>", "ROOT", "DT", "NN", "VBD")
    assert fold("4th") == "0th"


@pytest.mark.parametrize(("head_word", "head_tag"), [("dog", "NN"), ("saw", "VBD"), ("new", "XX")])
@pytest.mark.parametrize("before", [True, False])
def test_dependents_of_a_head_sum_to_one(head_word: str, head_tag: str, before: bool) -> None:
    model = grammar()
    total = 0.0
    for tag in model.tags:
        for word in model.words:
            pair = [(word, tag), (head_word, head_tag)]
            words, tags = zip(*(pair if before else pair[::-1]), strict=True)
            scores = model.log_probabilities(words, tags)
            total += np.exp(scores[2, 1] if before else scores[1, 2])
    assert total == pytest.approx(1.0)


def test_a_probability_by_hand() -> None:
    # Arcs to the left: the<-dog, dog<-barked, the<-cat, cat<-saw, the<-dog, a<-dog, dog<-slept; 7 in all.
    scores = grammar().log_probabilities(["the", "dog"], ["DT", "NN"])
    side = (4 + 1) / (7 + 5)  # p(DT | left)
    tag = (4 + 2 * side) / (4 + 2)  # p(DT | left, NN)
    lexical = (3 + 2 * tag) / (3 + 2)  # p(DT | left, NN, dog)
    emitted = (3 + 4 / 3) / (4 + 4)  # p(the | DT)
    spelled = (3 + 4 * emitted) / (4 + 4)  # p(the | left, NN, DT)
    assert scores[2, 1] == pytest.approx(np.log(lexical * spelled))
    assert scores[0, 0] == scores[1, 1] == scores[1, 0] == 0.0
    assert scores[0, 2] < 0.0


def test_the_seen_is_likelier_than_the_unseen() -> None:
    scores = grammar().log_probabilities(["the", "dog", "barked"], ["DT", "NN", "VBD"])
    assert scores[2, 1] > scores[3, 1]  # the noun, not the verb, takes the determiner
    assert np.argmax(scores[0, 1:]) == 2  # the verb is the root


def test_saving_and_loading_gives_the_same_scores(tmp_path: Path) -> None:
    grammar().save(tmp_path)
    words, tags = ["the", "dog", "saw", "it"], ["DT", "NN", "VBD", "PRP"]
    stored = DependencyGrammar.load(tmp_path)
    assert np.array_equal(stored.log_probabilities(words, tags), grammar().log_probabilities(words, tags))


def test_faults_are_named(tmp_path: Path) -> None:
    with pytest.raises(LaconicError, match="no sentences"):
        DependencyGrammar.estimate([])
    with pytest.raises(LaconicError, match="no tags or no heads to count: 'It fell'"):
        DependencyGrammar.estimate([Sentence.from_words(["It", "fell"])])
    with pytest.raises(LaconicError, match="2 words but 1 tags"):
        grammar().log_probabilities(["a", "b"], ["DT"])
    with pytest.raises(LaconicError, match="strengths above 0"):
        Smoothing(tags=0.0)
    with pytest.raises(ModelError, match="no model here"):
        DependencyGrammar.load(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lines": {"tags": ["DT", "NN"]}}, "`tags` must be a text that starts with <unknown> and ROOT"),
        ({"arrays": {"tag_counts": np.zeros(3, np.uint32)}}, "`tag_counts` must be .* at least 1"),
        ({"arrays": {"head_keys": np.zeros(3, np.uint32)}}, "`head_keys` must be an array"),
        (
            {"arrays": {"head_keys": np.zeros(0, np.uint32), "head_counts": np.zeros(0, np.uint32)}},
            "the way to",
        ),
        (
            {"settings": {"smoothing": {"min_count": 1, "tags": "30", "words": 400.0}}},
            "`smoothing.tags` must be",
        ),
        ({"settings": {"smoothing": {"min_count": 1, "tags": -1.0, "words": 400.0}}}, "strengths above 0"),
    ],
)
def test_stored_counts_are_checked(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    grammar().save(tmp_path)
    craft(tmp_path, **change)
    with pytest.raises(ModelError, match=message):
        DependencyGrammar.load(tmp_path)


def test_the_shipped_grammar_knows_english() -> None:
    words, tags = ["The", "council", "met", "."], ["DT", "NN", "VBD", "."]
    scores = load_dependency_grammar().log_probabilities(words, tags)
    assert np.argmax(scores[2:, 1]) == 0  # "council" takes "The"
    assert np.argmax(scores[:4, 4]) == 3  # "met" takes the stop
