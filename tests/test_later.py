"""Fields that are made when they are read: once, and unseen by whoever compares, copies or stores."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from laconic.later import at_hand, later
from laconic.sentence import Sentence
from laconic.trees.constituency import Tree

WORDS = ("Stocks", "fell")
TREE = Tree.from_nested(("S", ("NP", ("NNS", "Stocks")), ("VP", ("VBD", "fell"))))


def lazy_sentence(made: list[Tree]) -> Sentence:
    def make() -> Tree:
        made.append(TREE)
        return TREE

    return Sentence(WORDS, (" ", ""), tree=later(make))


def test_a_field_is_made_once_when_it_is_read() -> None:
    made: list[Tree] = []
    sentence = lazy_sentence(made)
    assert (sentence.text, at_hand(sentence, "tree"), made) == ("Stocks fell", None, [])
    assert sentence.tree is sentence.tree is at_hand(sentence, "tree") is TREE
    assert made == [TREE]


def test_values_are_the_same_whether_made_or_not() -> None:
    made = Sentence(WORDS, (" ", ""), tree=TREE)
    assert lazy_sentence([]) == made and hash(lazy_sentence([])) == hash(made)
    assert pickle.loads(pickle.dumps(lazy_sentence([]))) == made  # noqa: S301
    assert copy.deepcopy(lazy_sentence([])) == replace(lazy_sentence([]), lead="") == made
    assert lazy_sentence([]) != Sentence(WORDS, (" ", ""))
    with pytest.raises(FrozenInstanceError):
        lazy_sentence([]).tree = TREE  # type: ignore[misc]
