"""Only what is missing is annotated, and everything keeps its place and its own trees."""

from __future__ import annotations

from laconic.corpora.pair import Pair
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated, parsed, parsed_pairs
from laconic.text.tokenise import tokenise
from tests.systems.dependency.sentences import PRODUCTION
from tests.systems.toy_grammars import flat_tree, toy_pairs


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


def test_a_tree_is_found_or_kept() -> None:
    bare = tokenise("Heavy rain fell on Monday.")
    found = parsed(bare)
    assert found.tree is not None
    assert found.tree.words == bare.words
    own = flat_tree(bare)
    assert parsed(own) is own
    assert parsed(tokenise("")).tree is None


def test_pairs_get_the_trees_of_sources_and_references() -> None:
    bare = Pair.aligned("1", tokenise("Heavy rain fell ."), [["rain", "fell", "."], ["rain", "fell"]])
    empty = Pair.aligned("2", tokenise("Rain fell ."), [[]])
    known = toy_pairs()[0]
    [one, other] = parsed_pairs([bare, empty, known], references=True)
    assert one.source.tree is not None
    assert one.reference_trees is not None
    assert [tree.words for tree in one.reference_trees] == list(one.references)
    assert other.source is known.source
    [one] = parsed_pairs([bare])
    assert one.source.tree is not None
    assert one.reference_trees is None


def test_a_pair_without_words_is_left_out() -> None:
    assert list(parsed_pairs([Pair.aligned("1", Sentence.from_words([]), [[]])])) == []
