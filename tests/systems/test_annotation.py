"""Only what is missing is annotated, and everything keeps its place."""

from __future__ import annotations

from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.text.tokenise import tokenise
from tests.systems.dependency.sentences import PRODUCTION


def test_missing_annotation_is_found_in_place() -> None:
    strange = PRODUCTION.annotated(relations=["odd"] * len(PRODUCTION))
    bare, empty = tokenise("Stocks fell."), tokenise("")
    half = Sentence.from_words(["It", "rained"]).annotated(tags=["XX", "XX"])
    found = annotated([strange, bare, empty, half])
    assert found[0] is strange
    assert found[1].words == bare.words
    assert found[1].heads == (1, -1, 1)
    assert found[1].tree is not None
    assert found[2] is empty
    assert found[3].tags == ("PRP", "VBD")
    assert annotated([]) == []
