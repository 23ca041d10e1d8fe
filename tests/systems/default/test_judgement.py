"""The judge by its laws: what is torn or lost never speaks for an answer; the same everywhere."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate.annotator import Analysis, annotate
from laconic.errors import ModelError
from laconic.systems.default.judgement import Judge, Traits, traits
from laconic.systems.default.protections import Protection, protecting_ties, protections
from laconic.systems.default.source_tree import SourceTree
from laconic.text.tokenise import tokenise
from tests.storage.crafting import craft
from tests.systems.default.readings import analyses

FOUND = st.builds(Traits, *[st.floats(0, 50)] * len(Traits._fields))


@given(FOUND, st.sampled_from(Traits._fields), st.floats(0, 50))
def test_more_of_any_trait_never_raises_it(found: Traits, name: str, more: float) -> None:
    judge = Judge.shipped()
    worse = found._replace(**{name: getattr(found, name) + more})
    assert 0.0 <= judge.judged(worse) <= judge.judged(found) <= 1.0


@settings(max_examples=50)
@given(analyses(), st.data())
def test_nothing_is_better_than_the_whole_sentence(analysis: Analysis, data: st.DataObject) -> None:
    count = len(analysis.sentence)
    kept = tuple(sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1))))
    judge = Judge.shipped()
    assert traits(analysis, tuple(range(count))) == Traits(0.0, 0, 0.0, 0.0)
    assert judge.judged(traits(analysis, kept)) <= judge.judged(traits(analysis, tuple(range(count))))


def without(example: str) -> tuple[str, list[int]]:
    """The text of an example of the table, and the words that are kept: those not in brackets."""
    text = re.sub(r"[\[\]]", "", example)
    inside, flags = False, []
    for char in example:
        if char in "[]":
            inside = char == "["
        else:
            flags.append(inside)
    kept, place = [], 0
    for number, word in enumerate(tokenise(text).words):
        place = text.index(word, place)
        if not flags[place]:
            kept.append(number)
        place += len(word)
    return text, kept


HARD = [row for row in protections() if row.price is None]


@pytest.mark.parametrize("row", HARD, ids=lambda row: row.name)
def test_tearing_what_is_protected_lowers_it_clearly(row: Protection) -> None:
    judge = Judge.shipped()
    for example in row.tears:
        text, kept = without(example)
        sentence = tokenise(text)
        whole = judge.probability(sentence, range(len(sentence)))
        assert judge.probability(sentence, kept) < whole - 0.2, example


NEGATED = [
    "The mayor of the old town did not resign on Monday, officials said.",
    "There is no evidence of a fire in the harbour, and the police never closed the road.",
    "The film, which few visitors know, is not as long as the book, but it is good.",
    "She said that they had hardly slept and could not come to the meeting in May.",
]


@pytest.mark.parametrize("text", NEGATED)
def test_tearing_a_negation_never_raises_it(text: str) -> None:
    judge, [sentence] = Judge.shipped(), annotate([text], threads=1)
    negation_ties = [tie for tie, row in protecting_ties(SourceTree(sentence)) if "negation" in row.torn]
    generator = np.random.default_rng(0)
    torn = 0
    for _ in range(60):
        kept = frozenset(np.flatnonzero(generator.random(len(sentence)) < 0.8).tolist())
        for tie in negation_ties:
            left = kept.difference(tie.needed)
            if tie.broken_by(left) and not tie.broken_by(kept):
                torn += 1
                assert judge.probability(sentence, left) <= judge.probability(sentence, kept)
    assert torn > 20


def test_what_readers_like_less_is_less_probable() -> None:
    judge, sentence = (
        Judge.shipped(),
        tokenise("She bought a small boat in May because the old one had sunk."),
    )
    answers = (
        "She bought a small boat in May .",
        "She bought a boat .",
        "She bought .",
    )
    kept = [[sentence.words.index(word) for word in answer.split()] for answer in answers]
    judged = [judge.probability(sentence, words) for words in kept]
    assert all(better > worse for better, worse in pairwise(judged))


def test_no_word_is_never_good() -> None:
    sentence = tokenise("It fell again.")
    assert Judge.shipped().probability(sentence, []) == Judge.shipped().probability(sentence, [3]) == 0.0


def test_weights_are_whole_and_come_back(tmp_path: Path) -> None:
    judge = Judge(700, {"torn": 180, "run_ons": 0, "brevity": 600, "dearest": 100})
    judge.save(tmp_path / "judge")
    again = Judge.load(tmp_path / "judge")
    assert (again.base, again.weights, again.signature) == (judge.base, judge.weights, judge.signature)
    assert judge.judged(Traits(0.0, 0, 0.0, 0.0)) == round(1 / (1 + np.exp(-700 / 256)), 4)


def test_a_judge_that_likes_what_is_torn_is_refused(tmp_path: Path) -> None:
    Judge(700, dict.fromkeys(Traits._fields, 1)).save(tmp_path / "judge")
    card = tmp_path / "judge" / "card.json"
    settings_of = json.loads(card.read_text())["settings"]
    settings_of["weights"]["torn"] = -1
    craft(tmp_path / "judge", settings=settings_of)
    with pytest.raises(ModelError, match="torn"):
        Judge.load(tmp_path / "judge")
