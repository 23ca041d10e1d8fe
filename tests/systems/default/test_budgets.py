"""Every budget is met on the final text, or nothing in the whole space of compressions meets it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate.annotator import Analysis
from laconic.budget import Budget, TextCost, Unit
from laconic.budgets import Meeting, Request
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.filling import Filling
from laconic.systems.default.reading import Reading
from laconic.systems.default.scoring import Weights
from laconic.text.tokenise import tokenise
from tests.oracles.compressor import subsets
from tests.systems.default.readings import analyses, random_analysis, random_sentence

PIECES = TextCost(lambda text: len(text.encode()) // 3 + text.count("e"), "pieces")


def letters(word: str) -> int:
    """A cost for each word that can be 0."""
    return sum(map(str.isalpha, word))


def meeting(reading: Reading, request: Request, *, fill: bool) -> Meeting:
    """What answers a request; with `fill`, an upper limit is used up."""
    if fill and request.budget is not None and request.budget.least is None:
        return Filling(reading.space, request, reading)
    return Meeting(reading.space, request)


UNITS: list[Unit] = ["pieces", "characters", letters, PIECES, "words"]


def random_budget(generator: np.random.Generator, unit: Unit, most: int) -> Budget:
    """A budget of any kind in this unit."""
    amount = int(generator.integers(0, most + 1))
    match generator.integers(0, 6):
        case 0:
            return Budget.at_least(amount, unit=unit)
        case 1 | 2:
            return Budget.exactly(amount, unit=unit)
        case 3:
            return Budget.between(amount, amount + int(generator.integers(0, 5)), unit=unit)
        case 4:
            return Budget.at_most(ratio=float(generator.random()), unit=unit)
        case _:
            return Budget.at_most(amount, unit=unit)


def request_for(generator: np.random.Generator, analysis: Analysis, unit: Unit) -> Request:
    """A random budget with random pins on a sentence."""
    sentence = analysis.sentence
    fate = generator.choice(["free", "free", "free", "free", "keep", "drop"], size=len(sentence))
    keep, drop = (np.flatnonzero(fate == name).tolist() for name in ("keep", "drop"))
    return Request.of(sentence, random_budget(generator, unit, len(sentence.text) + 2), keep, drop)


def check_answer(answer: Compression, request: Request) -> None:
    """The answer meets the budget and keeps to the pins."""
    assert answer.kept is not None
    assert request.least <= request.cost(answer) <= request.most
    assert request.keep <= set(answer.kept) and not request.drop & set(answer.kept)
    assert answer.standing == answer.words
    assert answer == Compression.by_deletion(
        answer.sentence,
        answer.kept,
        score=answer.score,
        tree=answer.tree,
        heads=answer.heads,
        notes=answer.notes,
    )
    assert answer.heads is not None and len(answer.heads) == len(answer.kept)


@settings(max_examples=150, deadline=None)
@given(analyses(7), st.sampled_from(UNITS), st.integers(0, 2**32 - 1), st.booleans())
def test_a_budget_is_met_or_nothing_meets_it(analysis: Analysis, unit: Unit, seed: int, fill: bool) -> None:
    request = request_for(np.random.default_rng(seed), analysis, unit)
    reading = Reading(analysis, Weights())
    try:
        answer = meeting(reading, request, fill=fill).answer()
    except InfeasibleBudget as error:
        compressions = [
            Compression.by_deletion(analysis.sentence, kept)
            for kept in subsets(len(reading))
            if request.keep <= set(kept) and not request.drop & set(kept)
        ]
        # Words stand in their text. Punctuation alone is no answer, unless pinned or there is nothing else.
        whole = [c for c in compressions if c.standing == c.words]
        answers = [c for c in whole if request.keep or any(map(str.isalnum, c.text))] or whole
        costs = {request.cost(compression) for compression in answers} or {0}
        assert not any(request.least <= cost <= request.most for cost in costs)
        below, above = [c for c in costs if c < request.least], [c for c in costs if c > request.most]
        assert (
            error.possible
            == (
                (max(below) if below else min(above), min(above) if above else max(below))
                if answers
                else None
            )
            or not compressions
        )
    else:
        check_answer(answer, request)


@settings(max_examples=30, deadline=None)
@given(analyses(8), st.sampled_from(UNITS), st.integers(0, 2**32 - 1))
def test_alternatives_meet_the_budget_too_and_differ(analysis: Analysis, unit: Unit, seed: int) -> None:
    request = request_for(np.random.default_rng(seed), analysis, unit)
    reading = Reading(analysis, Weights())
    try:
        answers = [
            answer
            for answer, _ in zip(meeting(reading, request, fill=True).answers(), range(5), strict=False)
        ]
    except InfeasibleBudget:
        return
    assert len({answer.text for answer in answers}) == len(answers)
    for answer in answers:
        check_answer(answer, request)


@settings(max_examples=40, deadline=None)
@given(analyses(12), st.integers(0, 60))
def test_an_upper_limit_is_used_and_what_fits_is_left_alone(analysis: Analysis, most: int) -> None:
    sentence = analysis.sentence
    request = Request.of(sentence, Budget.at_most(most, unit="characters"), (), ())
    reading = Reading(analysis, Weights())
    try:
        answer = meeting(reading, request, fill=True).answer()
    except InfeasibleBudget as error:
        assert error.possible is not None and error.possible[0] > most
        return
    assert len(answer.text) <= most
    if len(sentence.text.strip()) <= most:
        assert answer.text == sentence.text.strip()


def test_torn_ties_are_damage_and_a_lost_comma_is_not() -> None:
    analysis = random_analysis(np.random.default_rng(3), tokenise("an old violin, a gift."))
    reading = Reading(analysis, Weights())
    for kept in subsets(len(reading)):
        solution = reading.space.only(kept)
        assert solution is not None
        written = reading.space.written(solution)
        left = frozenset(written.kept or ())
        torn = sum(price for tie, price in reading.tie_prices.items() if tie.broken_by(left))
        assert reading.damage(solution) == pytest.approx(torn)


def test_without_a_budget_the_best_of_all_is_the_answer() -> None:
    generator = np.random.default_rng(5)
    analysis = random_analysis(generator, random_sentence(generator, 9))
    reading = Reading(analysis, Weights())
    answer = meeting(reading, Request.of(analysis.sentence, None, (), ()), fill=True).answer()
    assert answer.score == reading.space.decoder.best().score


@pytest.mark.slow
def test_a_hundred_thousand_random_texts_and_budgets() -> None:
    """Raw text to final text: no budget missed, no crash; refusals are rare enough to be checked by hand."""
    generator = np.random.default_rng(2024)
    compressor = Compressor(threads=1)
    refused = 0
    for _ in range(100_000):
        sentence = random_sentence(generator, int(generator.integers(1, 30)))
        unit = UNITS[generator.integers(0, len(UNITS))]
        budget = random_budget(generator, unit, len(sentence.text))
        request = Request.of(sentence, budget, (), ())
        try:
            answer = compressor.compress(sentence, budget)
        except InfeasibleBudget as error:
            assert error.possible is not None
            refused += 1
        else:
            assert request.least <= request.cost(answer) <= request.most
    assert refused < 50_000
