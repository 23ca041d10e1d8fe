"""Baselines keep what they promise, meet every budget on the final text, or say what is possible."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from laconic.budget import Budget
from laconic.budgets import Request
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.sentence import Sentence
from laconic.storage import Content, write_model
from laconic.systems.everything import Everything
from laconic.systems.truncate import Truncate
from laconic.text.detokenise import standing
from laconic.text.tokenise import tokenise
from tests.systems.strategies import requests

SENTENCE = tokenise("On Monday, the old show (a new one) ended, he said.")

Case = tuple[Sentence, Budget | None, list[int], list[int]]


def beginnings(case: Case) -> list[Compression]:
    """Every answer that truncation can give, the shortest first."""
    sentence, _, keep, drop = case
    free = [index for index in range(len(sentence)) if index not in {*keep, *drop}]
    return [
        Compression.by_deletion(sentence, standing(sentence, sorted({*free[:count], *keep})))
        for count in range(len(free) + 1)
    ]


@given(requests())
def test_truncate_is_the_longest_beginning_that_fits(case: Case) -> None:
    sentence, budget, keep, drop = case
    request = Request.of(sentence, budget, keep, drop)
    answers = beginnings(case)
    standing_pins = [answer for answer in answers if request.keep.issubset(answer.kept or ())]
    wanted = len(answers) - 1
    if budget is None or budget.most is None:
        wanted = max(0, round(0.7 * len(sentence)) - len(keep))
    fitting = [
        (abs(count - wanted), count)
        for count, answer in enumerate(answers)
        if answer in standing_pins and request.least <= request.cost(answer) <= request.most
    ]
    expected = [answers[min(fitting)[1]]] if fitting else []
    try:
        found = Truncate().compress(sentence, budget, keep=keep, drop=drop)
    except InfeasibleBudget as error:
        assert not expected
        costs = {request.cost(answer) for answer in standing_pins}
        assert (error.possible is None) == (not costs or budget is None)
        assert set(error.possible or ()) <= costs
        assert not any(request.least <= cost <= request.most for cost in error.possible or ())
    else:
        assert [found] == expected


@given(requests())
def test_everything_keeps_all_or_refuses(case: Case) -> None:
    sentence, budget, keep, drop = case
    request = Request.of(sentence, budget, keep, drop)
    kept = standing(sentence, [index for index in range(len(sentence)) if index not in drop])
    whole = Compression.by_deletion(sentence, kept)
    can_be_had = request.keep.issubset(kept)
    try:
        assert Everything().compress(sentence, budget, keep=keep, drop=drop) == whole
        assert can_be_had and request.least <= request.cost(whole) <= request.most
    except InfeasibleBudget as error:
        assert error.possible == ((request.cost(whole), request.cost(whole)) if can_be_had else None)
        assert not (can_be_had and request.least <= request.cost(whole) <= request.most)


def test_everything_counts_no_mark_that_is_not_in_its_text() -> None:
    sentence = tokenise(": 1}")
    assert Everything().compress(sentence, Budget.exactly(1, unit="pieces"), drop=["1"]).words == ("}",)
    with pytest.raises(InfeasibleBudget, match="of whatever length"):
        Everything().compress(sentence, Budget.at_most(9, unit="pieces"), keep=[":"], drop=["1"])


def test_characters_are_those_of_the_final_text() -> None:
    for most in range(len(SENTENCE.text) + 1):
        assert len(Truncate().compress(SENTENCE, Budget.at_most(most, unit="characters")).text) <= most
    exact = Truncate().compress(SENTENCE, Budget.exactly(23, unit="characters"))
    assert exact.text == "On Monday, the old show"


def test_the_natural_length_is_seven_tenths_and_is_learnt() -> None:
    assert len(Truncate().compress(SENTENCE).words) == round(0.7 * len(SENTENCE))
    pairs = [
        Pair.aligned("1", Sentence.from_words(["a", "b", "c", "d"]), [["a"], ["a", "b"]]),
        Pair.aligned("2", Sentence.from_words(["a", "b"]), [["b"]]),
    ]
    assert Truncate().fit(pairs).ratio == pytest.approx((0.25 + 0.5 + 0.5) / 3)
    assert Everything().fit(pairs) == Everything()
    with pytest.raises(LaconicError, match="no sentence to learn"):
        Truncate().fit([])


def test_refusals_say_what_was_asked_and_what_is_possible() -> None:
    with pytest.raises(
        InfeasibleBudget, match=r"'On Monday, .*…' has at most 1 piece, keeping 2 .*possible: 2$"
    ):
        Truncate().compress(SENTENCE, Budget.at_most(1, unit="pieces"), keep=[0, 1])
    with pytest.raises(InfeasibleBudget, match=r"has exactly 5 characters; possible: 2 or"):
        Truncate().compress(SENTENCE, Budget.exactly(5, unit="characters"))
    with pytest.raises(InfeasibleBudget, match=r"at least 16 pieces, dropping 1 given word; possible: 15$"):
        Truncate().compress(SENTENCE, Budget.at_least(16, unit="pieces"), drop=[3])
    with pytest.raises(InfeasibleBudget, match=r"has 3 to 4 pieces; possible: 16$"):
        Everything().compress(SENTENCE, Budget.between(3, 4, unit="pieces"))
    with pytest.raises(InfeasibleBudget, match=r"at most 2 cost"):
        Everything().compress(SENTENCE, Budget.at_most(2, unit=len))


def test_bad_requests_are_named() -> None:
    with pytest.raises(LaconicError, match="no word 16 to keep or drop in a sentence of 16 words"):
        Everything().compress(SENTENCE, drop=[16])
    with pytest.raises(LaconicError, match=r"word 3 \('the'\) is both to be kept and to be dropped"):
        Truncate().compress(SENTENCE, keep=[3], drop=[3])
    with pytest.raises(LaconicError, match=r"'On' costs -1"):
        Truncate().compress(SENTENCE, Budget.at_most(3, unit=lambda word: -1))
    with pytest.raises(LaconicError, match=r"between 0 and 1, not 1\.5"):
        Truncate(1.5)


def test_an_empty_sentence_stays_empty() -> None:
    for system in (Truncate(), Everything()):
        assert system.compress(tokenise("  ")).text == ""
        assert system.compress(tokenise(""), Budget.at_most(3, unit="pieces")).text == ""
        with pytest.raises(InfeasibleBudget):
            system.compress(tokenise(""), Budget.exactly(1, unit="pieces"))


def test_ten_thousand_words() -> None:
    sentence = tokenise("word " * 10_000)
    assert len(Truncate().compress(sentence, Budget.exactly(4_321, unit="pieces")).words) == 4_321
    assert len(Truncate().compress(sentence, Budget.at_most(7_777, unit="characters")).text) == 7_774


def test_saving_and_loading_gives_the_same_system(tmp_path: Path) -> None:
    for system in (Truncate(0.25), Everything()):
        system.save(tmp_path / system.name)
        assert type(system).load(tmp_path / system.name) == system


def test_damaged_models_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"card\.json is missing"):
        Truncate.load(tmp_path)
    Everything().save(tmp_path)
    with pytest.raises(ModelError, match="a model of 'everything', expected one of 'truncate'"):
        Truncate.load(tmp_path)
    for ratio in (None, True, "0.5", 1.5, 10**400):
        write_model(tmp_path, "truncate", Content({"ratio": ratio}))
        with pytest.raises(ModelError, match="`ratio` must be a number of at least 0 and at most 1"):
            Truncate.load(tmp_path)
