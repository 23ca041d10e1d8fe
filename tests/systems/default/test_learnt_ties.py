"""Learnt ties: whole weights, summed; what people seldom tear is dear, what they often tear is cheap."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate.annotator import Analysis
from laconic.budget import Budget
from laconic.errors import ModelError
from laconic.systems.default.bonds import NO_TEAR, Tear, bonds
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.learnt_ties import LEAST, STEP, LearntTies, features
from laconic.systems.default.prices import NOTED
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import MOST_ALTERNATIVES, PricedTies, Tie, listed
from laconic.text.tokenise import tokenise
from tests.storage.crafting import craft
from tests.systems.default.readings import analyses


def priced(learnt: LearntTies, tree: SourceTree) -> dict[Tie, float]:
    """The ties of a sentence, each at its highest price."""
    return dict(PricedTies(learnt.ties(tree), listed(()), len(tree)).items())


def price_of(compressor: Compressor, text: str, kept: str) -> float:
    """What learnt ties ask for keeping these words of a text, the last that fit."""
    sentence = compressor.compress(text).sentence
    place, chosen = len(sentence), []
    for word in reversed(kept.split()):
        place = max(at for at in range(place) if sentence.words[at] == word)
        chosen.append(place)
    found = priced(LearntTies.shipped(), SourceTree(sentence))
    return sum(price for tie, price in found.items() if tie.broken_by(frozenset(chosen)))


@pytest.mark.parametrize(
    ("text", "torn", "whole"),
    [
        ("She bought a boat in May.", "She bought in May .", "She bought a boat ."),
        ("The film is based on a true story.", "The film is based .", "The film is based on a story ."),
        ("They are looking for a house.", "They are looking .", "They are looking for a house ."),
        ("They have been seen.", "They been seen .", "They have been seen ."),
        ("The cook and the gardener left.", "The cook and left .", "The cook left ."),
        ("She wants to sell the house.", "She wants .", "She wants to sell the house ."),
        ("The old mayor resigned on Monday.", "The mayor Monday .", "The mayor resigned ."),
        ("He put the keys in the drawer.", "He put .", "He put the keys in the drawer ."),
        ("The wedding had to be postponed as guests fled the war.", "The wedding had to be postponed the war .",
         "The wedding had to be postponed ."),
        ("They know what we saw.", "They know what we .", "They know what we saw ."),
        ("She lives in Paris.", "She lives Paris .", "She lives in Paris ."),
        ("She met an old friend.", "She met an old .", "She met an friend ."),
        ("A man came up to me and asked where she was.", "asked where she was .", "A man asked where she was ."),
    ],
)  # fmt: skip
def test_what_breaks_a_sentence_is_dearer_than_what_shortens_it(
    compressor: Compressor, text: str, torn: str, whole: str
) -> None:
    words = set(tokenise(text).words)
    assert set(torn.split()) <= words and set(whole.split()) <= words
    assert price_of(compressor, text, torn) > price_of(compressor, text, whole) + 1.0


def test_an_adjunct_costs_less_than_an_object(compressor: Compressor) -> None:
    text = "She bought a boat in May."
    assert price_of(compressor, text, "She bought a boat .") < NOTED
    assert price_of(compressor, text, "She bought .") >= NOTED


@settings(max_examples=40, deadline=None)
@given(analyses(9), st.data())
def test_prices_are_sums_of_whole_weights(analysis: Analysis, data: st.DataObject) -> None:
    tree = SourceTree(analysis.sentence)
    names = sorted({name for word in range(len(tree)) for name in _features(tree, word)})
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    weights = {name: generator.integers(-2000, 2000, len(Tear)).astype(np.int16) for name in names}
    learnt = LearntTies(weights)
    found = learnt.prices(tree)
    for word in range(len(tree)):
        expected = sum(
            (weights[name].astype(int) for name in _features(tree, word)), np.zeros(len(Tear), int)
        )
        assert (found[word] == expected * STEP).all()
    # Whatever is torn at once costs what its dearest bond costs by itself, or more.
    ties = priced(learnt, tree)
    assert all(price > LEAST for price in ties.values())
    for bond in bonds(tree):
        assert len(bond.needed) <= MOST_ALTERNATIVES and not set(bond.given) & set(bond.needed)
        words = frozenset(range(len(tree))) - set(bond.needed)
        if bond.beside == bond.at_most == NO_TEAR:
            paid = sum(price for tie, price in ties.items() if tie.broken_by(words))
            assert paid >= min(found[bond.dependent, bond.tear], paid + LEAST) - LEAST - 1e-9


def _features(tree: SourceTree, word: int) -> list[str]:
    return features(tree, word) if tree.heads[word] >= 0 and not tree.is_mark(word) else []


def test_a_tie_is_torn_only_when_all_given_and_none_needed_are_kept() -> None:
    tie = Tie((0, 2), (1, 3), "")
    assert tie.broken_by(frozenset({0, 2}))
    assert not tie.broken_by(frozenset({0}))
    assert not tie.broken_by(frozenset({0, 2, 3}))
    assert Tie((), (1,), "").broken_by(frozenset({0}))


def test_weights_are_stored_and_damage_is_refused(tmp_path: Path) -> None:
    weights = {"obj ": np.arange(len(Tear), dtype=np.int16), "det ": np.ones(len(Tear), np.int16)}
    LearntTies(weights).save(tmp_path)
    sentence = tokenise("She sang it.").annotated(
        tags=("PRP", "VBD", "PRP", "."), heads=(1, -1, 1, 1), relations=("nsubj", "root", "obj", "punct")
    )
    tree = SourceTree(sentence)
    assert (LearntTies.load(tmp_path).prices(tree) == LearntTies(weights).prices(tree)).all()
    craft(tmp_path, arrays={"weights": np.ones((2, len(Tear)), np.float32)})
    with pytest.raises(ModelError, match="weights"):
        LearntTies.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        (
            "They will have to sort this out and report back to us, because nobody seems to know who ordered it.",
            0.5,
        ),
        ("Please tell the driver to wait outside the station until the last of the guests has arrived.", 0.5),
        ("The house they were looking for burned down last night, and nobody was hurt.", 0.6),
    ],
)
def test_below_an_upper_limit_grammar_comes_before_length(
    compressor: Compressor, text: str, ratio: float
) -> None:
    answer = compressor.compress(text, Budget.at_most(ratio=ratio, unit="pieces"))
    assert answer.notes == () and len(answer.words) >= 4
