"""The shipped models of grammars: raw text in, exact lengths out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic
from laconic.budget import Budget
from laconic.systems.registry import SYSTEMS, open_system
from laconic.text.tokenise import tokenise

TEXT = "The city council, which met on Tuesday evening, plans to consider the matter again next month."
SYNCHRONOUS = ("bayesian", "em", "variational")
MODELS = Path(laconic.__file__).parent / "models"


@pytest.mark.parametrize("name", ["markov", "noisy-channel", *SYNCHRONOUS])
def test_raw_text_is_compressed_to_any_length(name: str) -> None:
    system = open_system(name)
    sentence = tokenise(TEXT)
    natural = system.compress(sentence)
    assert 0 < len(natural.words) <= len(sentence)
    for length in range(1, len(sentence) + 1, 4):
        answer = system.compress(sentence, Budget.exactly(length, unit="pieces"), keep=[2])
        assert len(answer.words) == length
        assert "council" in answer.words
    assert len(system.compress(sentence, Budget.at_most(40, unit="characters")).text) <= 40


@pytest.mark.parametrize("name", ["markov", "noisy-channel"])
def test_models_are_small_and_have_a_card(name: str) -> None:
    assert SYSTEMS[name].trained
    folder = MODELS / name
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= 4 * 2**20
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert {"name", "what", "command", "options", "training", "licences", "scores on google.dev"} <= set(card)


@pytest.mark.parametrize("name", SYNCHRONOUS)
def test_synchronous_models_are_smaller_and_say_what_they_were_learnt_from(name: str) -> None:
    folder = MODELS / name
    assert sum(path.stat().st_size for path in folder.iterdir()) < 2**20
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert set(card["scores"]) == {"spoken.dev", "written.dev"}
    assert {"name", "what", "command", "options", "training", "licences", "needs", "rules", "seed"} <= set(
        card
    )


def test_the_markov_grammar_leaves_out_the_relative_clause_before_the_subject() -> None:
    answer = open_system("markov").compress(tokenise(TEXT), Budget.exactly(9, unit="pieces"))
    assert "council" in answer.words
    assert "which" not in answer.words
