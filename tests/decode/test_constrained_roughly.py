"""What is found for long sentences under constraints keeps to them, is scored right, and is near the best."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

pytest.importorskip("scipy")

from laconic.decode.constrained import ConstrainedPath
from laconic.decode.constrained_roughly import RoughConstrainedPath
from laconic.decode.contract import Limit
from laconic.errors import InfeasibleBudget
from tests.decode.test_constrained import WORDS, constraints, decoder_of, fulfilled


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_answers_keep_to_everything_and_are_near_the_best(order: int, seed: int) -> None:
    decoder, rules = decoder_of(order, seed), constraints(seed)
    likely = {"likely": lambda prices: decoder.word_marginals(prices=prices)}
    exact = ConstrainedPath(decoder.ngrams(), WORDS, rules, **likely)
    long = RoughConstrainedPath(decoder.ngrams(), WORDS, rules, **likely)
    prices = np.random.default_rng(seed + 50).normal(size=WORDS)
    prices[seed] = -np.inf
    for limit in (None, Limit(2, 3), Limit(4, 4), Limit(3, 5, (1, 2, 1, 2, 1, 2))):
        try:
            best = exact.best(prices=prices, limit=limit)
        except InfeasibleBudget:
            with pytest.raises(InfeasibleBudget):
                long.best(prices=prices, limit=limit)
            continue
        found = list(long.best_first(prices=prices, limit=limit))
        assert found[0].score == pytest.approx(best.score, rel=0.02)
        assert len({each.kept for each in found}) == len(found)
        for each in found:
            assert fulfilled(each.kept, rules) and seed not in each.kept
            assert each.score <= best.score + 1e-9
            costs = limit.costs if limit is not None and limit.costs else (1,) * WORDS
            assert limit is None or limit.least <= sum(costs[word] for word in each.kept) <= limit.most


@pytest.mark.parametrize("seed", range(4))
def test_with_every_word_pinned_the_score_is_that_of_the_path(seed: int) -> None:
    decoder, rules = decoder_of(2, seed), constraints(seed)
    long = RoughConstrainedPath(decoder.ngrams(), WORDS, rules, likely=lambda prices: prices)
    for size in range(1, WORDS + 1):
        for kept in combinations(range(WORDS), size):
            pins = np.full(WORDS, -np.inf)
            pins[list(kept)] = np.inf
            if fulfilled(kept, rules):
                found = long.best(prices=pins)
                assert (found.kept, found.score) == (kept, pytest.approx(decoder.best(prices=pins).score))
            else:
                with pytest.raises(InfeasibleBudget):
                    long.best(prices=pins)


@pytest.mark.parametrize("seed", range(4))
def test_selections_grow_and_keep_to_constraints_and_pins(seed: int) -> None:
    decoder, rules = decoder_of(2, seed), constraints(seed)
    long = RoughConstrainedPath(
        decoder.ngrams(), WORDS, rules, likely=lambda prices: decoder.word_marginals(prices=prices)
    )
    prices = np.zeros(WORDS)
    prices[seed] = np.inf
    frontier = long.outline(prices=prices)
    found = [frontier.solution(size) for size in np.flatnonzero(frontier.scores > -np.inf).tolist()]
    assert found[-1].kept == tuple(range(WORDS))
    for smaller, larger in pairwise(found):
        assert set(smaller.kept) < set(larger.kept)
    assert all(fulfilled(each.kept, rules) and seed in each.kept for each in found)
