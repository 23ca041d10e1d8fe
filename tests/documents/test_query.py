"""A question makes worth more what it shares with a text, and what may answer it."""

from __future__ import annotations

import pytest

from laconic.documents.query import Query
from laconic.text.tokenise import tokenise

WALL = tokenise("The harbour wall was rebuilt by Ada Thornbury in 1871.")
COST = tokenise("It cost less than the bridge.")
BREAD = tokenise("Rye bread was sold to night porters.")
TAGS = ("DT", "NN", "NN", "VBD", "VBN", "IN", "NNP", "NNP", "IN", "CD", ".")


def query(text: str) -> Query:
    return Query.of(text, [WALL, COST, BREAD])


def test_relevance_is_that_of_shared_words_whatever_their_form() -> None:
    assert query("Who rebuilds harbour walls?").relevance([[WALL], [BREAD]]) == [1.0, 0.0]


def test_what_follows_and_what_stands_beside_is_relevant_too() -> None:
    wall, cost, bread = query("Who built the harbour wall?").relevance([[WALL, COST, BREAD]])
    assert wall == 1.0
    assert wall > cost > bread > 0.0


def test_a_question_about_something_else_changes_nothing() -> None:
    other = query("Why do cats purr?")
    assert other.relevance([[WALL], [], [BREAD]]) == [0.0, 0.0]
    assert set(other.worth(WALL, 0.0)) == {0.0}


@pytest.mark.parametrize("text", ["", "?", "   ", "Who?", "…"])
def test_a_question_without_content_changes_nothing(text: str) -> None:
    assert query(text).relevance([[WALL, COST]]) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("When was the wall rebuilt?", "1871"),
        ("Who rebuilt the wall?", "Ada"),
        ("Where is the wall?", "Thornbury"),
    ],
)
def test_words_of_the_kind_that_is_asked_for_are_worth_more(text: str, word: str) -> None:
    tagged = WALL.annotated(tags=TAGS)
    worth = dict(zip(WALL.words, query(text).worth(tagged, 1.0), strict=True))
    assert worth[word] > worth["by"] > 0.0
    assert worth["wall"] > worth["by"]
