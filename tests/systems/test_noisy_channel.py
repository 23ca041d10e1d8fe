"""The noisy channel as a system: it keeps to every request, normalises by length, and round-trips."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from laconic.budget import Budget
from laconic.budgets import Request
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.sentence import Sentence
from laconic.systems.noisy_channel import NoisyChannel
from laconic.systems.system import System
from laconic.text.tokenise import tokenise
from tests.storage.crafting import craft
from tests.systems.strategies import requests
from tests.systems.toy_grammars import flat_tree, toy_pairs


@pytest.fixture(scope="module")
def system() -> NoisyChannel:
    return NoisyChannel().fit(toy_pairs() * 3)


@given(requests())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_answer_keeps_to_the_request(
    system: NoisyChannel, asked: tuple[Sentence, Budget | None, list[int], list[int]]
) -> None:
    sentence, budget, keep, drop = asked
    sentence = flat_tree(sentence)
    request = Request.of(sentence, budget, keep, drop)
    try:
        answer = system.compress(sentence, budget, keep=keep, drop=drop)
    except InfeasibleBudget:
        assert budget is not None
        return
    assert answer.kept is not None
    assert request.least <= request.cost(answer) <= request.most
    assert set(keep) <= set(answer.kept)
    assert not set(drop) & set(answer.kept)


def test_the_best_has_the_highest_logarithm_over_length(system: NoisyChannel) -> None:
    sentence = toy_pairs()[1].source
    scores = system.decoder(sentence).frontier().scores
    answer = system.compress(sentence)
    normalised = [scores[length] / length for length in range(1, len(sentence) + 1)]
    assert answer.score is not None
    assert answer.score / len(answer.words) == pytest.approx(max(normalised))
    for length in range(1, len(sentence) + 1):
        assert len(system.compress(sentence, Budget.exactly(length, unit="pieces")).words) == length


def test_it_is_a_system(system: NoisyChannel) -> None:
    assert isinstance(system, System)
    assert system.name == "noisy-channel"


def test_saving_and_loading_gives_the_same_answers(tmp_path: Path, system: NoisyChannel) -> None:
    system.save(tmp_path)
    again = NoisyChannel.load(tmp_path)
    for pair in toy_pairs():
        one, other = (
            each.compress(pair.source, Budget.exactly(3, unit="pieces")) for each in (system, again)
        )
        assert one.kept == other.kept
        assert one.score == pytest.approx(other.score, rel=0.02)


def test_what_is_rare_can_be_forgotten(system: NoisyChannel) -> None:
    sparse = NoisyChannel(least=4).fit(toy_pairs() * 3)
    assert sparse.channel is not None and system.channel is not None
    assert 0 < len(sparse.channel.templates) < len(system.channel.templates)
    assert sparse.compress(toy_pairs()[0].source).words
    with pytest.raises(LaconicError, match="no production was seen 99 times"):
        NoisyChannel(least=99).fit(toy_pairs())


def test_mistakes_are_named(tmp_path: Path, system: NoisyChannel) -> None:
    with pytest.raises(ModelError, match="not trained"):
        NoisyChannel().compress(toy_pairs()[0].source)
    with pytest.raises(ModelError, match="cannot be saved"):
        NoisyChannel().save(tmp_path)
    with pytest.raises(LaconicError, match="at least once"):
        NoisyChannel(least=0)
    with pytest.raises(LaconicError, match="an empty sentence has no tree"):
        system.decoder(tokenise(""))
    system.save(tmp_path)
    craft(tmp_path, lines={"productions": ["0\tS\tNP VP"]})
    with pytest.raises(ModelError, match="a line holds a count and 2 fields"):
        NoisyChannel.load(tmp_path)


def test_an_empty_sentence_stays_empty(system: NoisyChannel) -> None:
    assert system.compress(tokenise("")).text == ""
    with pytest.raises(InfeasibleBudget):
        system.compress(tokenise(""), Budget.exactly(1, unit="pieces"))
