"""Joint decoding: its bound is never below the joint optimum, and equals it with a certificate."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.decode.compressive import CompressiveParser
from laconic.decode.dual_decomposition import JointDecoder, JointSearcher
from laconic.decode.path import PathDecoder
from laconic.errors import InfeasibleBudget, LaconicError
from tests.decode.problems import problems, scores


def joint_scores(first, second, words, prices, limit):
    """The joint score of every selection of words that both models, the pins and the limit allow."""
    asked = np.zeros(words) if prices is None else prices
    found = {}
    for size in range(1, words + 1):
        for kept in combinations(range(words), size):
            pins = np.full(words, -np.inf)
            pins[list(kept)] = np.inf
            if any(asked[word] == (-np.inf if word in kept else np.inf) for word in range(words)):
                continue
            try:
                total = sum(model.best(prices=pins, limit=limit).score for model in (first, second))
            except InfeasibleBudget:
                continue
            found[kept] = total + sum(asked[word] for word in kept if np.isfinite(asked[word]))
    return found


@st.composite
def joint_problems(draw: st.DrawFn):
    arc, bigram, _, prices, limit = draw(problems())
    words = len(arc) - 1
    other = draw(scores(words).filter(lambda drawn: len(drawn[0]) - 1 == words))[1]
    return CompressiveParser(arc, bigram), PathDecoder(other), words, prices, limit


@given(joint_problems())
def test_the_bound_holds_and_certificates_are_true(problem) -> None:
    first, second, words, prices, limit = problem
    truth = joint_scores(first, second, words, prices, limit)
    try:
        found = JointSearcher(first, second, words).agree(prices=prices, limit=limit)
    except InfeasibleBudget:
        # One of the models may allow nothing; that both allow something, but never the same, takes rounds to see.
        assert not truth or len(truth) < 2**words - 1
        return
    optimum = max(truth.values())
    assert found.bound >= optimum - 1e-9
    assert found.solution.score == pytest.approx(truth[found.solution.kept])
    assert found.solution.score <= optimum + 1e-9
    if found.certified:
        assert found.solution.score == pytest.approx(optimum)
    assert min(step.dual for step in found.rounds) == found.bound
    assert [step.primal for step in found.rounds] == sorted(step.primal for step in found.rounds)


def test_models_that_agree_need_one_round() -> None:
    bigram = np.zeros((5, 5))
    bigram[0, 1] = bigram[1, 3] = bigram[3, 4] = 1.0
    path = PathDecoder(bigram)
    found = JointSearcher(path, path, 3).agree()
    assert found.certified and len(found.rounds) == 1
    assert found.solution.kept == (0, 2) and found.solution.score == 6.0


def choice(*worth):
    """A model that keeps one of three words."""
    bigram = np.full((5, 5), -np.inf)
    for word, value in enumerate(worth, start=1):
        bigram[0, word], bigram[word, 4] = value, 0.0
    return PathDecoder(bigram)


def test_prices_lead_to_what_neither_would_keep() -> None:
    """The first wants word 0 or 1, the second 1 or 2: together 1."""
    found = JointSearcher(choice(3.0, 2.0, -5.0), choice(-5.0, 2.0, 3.0), 3).agree()
    assert found.certified and found.solution.kept == (1,) and found.solution.score == 4.0
    assert len(found.rounds) > 1 and not found.rounds[0].agreed


def test_a_warm_start_agrees_at_once() -> None:
    first, second = choice(3.0, 2.0, -5.0), choice(-5.0, 2.0, 3.0)
    cold = JointSearcher(first, second, 3).agree()
    warm = JointSearcher(first, second, 3, start=cold.prices).agree()
    assert len(warm.rounds) == 1 and warm.certified and warm.solution.kept == cold.solution.kept


@pytest.mark.parametrize(("words", "lengths"), [(12, 12), (60, 60), (61, 31), (120, 30)])
def test_a_long_sentence_is_outlined_at_some_of_its_lengths(words: int, lengths: int) -> None:
    path = PathDecoder(np.random.default_rng(words).normal(size=(words + 2, words + 2)))
    decoder = JointDecoder(
        JointSearcher(path, path, words),
        likely=lambda prices: np.full(words, 0.5),
        listed=lambda prices, limit: path.selections(prices=prices, limit=limit),
    )
    found = np.flatnonzero(decoder.outline().scores > -np.inf)
    assert (len(found), found[-1]) == (lengths, words)


def test_models_that_allow_nothing_together_are_refused() -> None:
    one, other = np.full((4, 4), -np.inf), np.full((4, 4), -np.inf)
    one[0, 1] = one[1, 3] = other[0, 2] = other[2, 3] = 0.0
    with pytest.raises(InfeasibleBudget, match="in 5 rounds the two models found no compression"):
        JointSearcher(PathDecoder(one), PathDecoder(other), 2, rounds=5).best()


@pytest.mark.parametrize("options", [{"rounds": 0}, {"scale": 0.0}, {"scale": np.inf}])
def test_options_are_checked(options) -> None:
    path = PathDecoder(np.zeros((3, 3)))
    with pytest.raises(LaconicError, match="needs a round and a positive scale"):
        JointSearcher(path, path, 1, **options)
