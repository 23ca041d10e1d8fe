"""Paths under constraints are those of enumeration, of every order."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from laconic.decode.constrained import ConstrainedPath, Constraint
from laconic.decode.contract import Limit
from laconic.decode.path import NgramPathDecoder, PathDecoder
from laconic.errors import InfeasibleBudget

WORDS = 6


def decoder_of(order: int, seed: int) -> PathDecoder | NgramPathDecoder:
    generator = np.random.default_rng(seed)
    if order == 2:
        return PathDecoder(generator.normal(size=(WORDS + 2, WORDS + 2)))
    table = generator.normal(size=(WORDS + 2,) * 3)
    return NgramPathDecoder(lambda *ngram: float(table[ngram]), words=WORDS, order=3)


def constraints(seed: int) -> list[Constraint]:
    generator = np.random.default_rng(seed)
    one, other, third = (int(word) for word in generator.choice(WORDS, 3, replace=False))
    return [
        Constraint("implied", ((other, 1.0), (one, -1.0)), low=0.0),
        Constraint("one of two", ((one, 1.0), (third, 1.0)), low=1.0),
    ]


def fulfilled(kept: tuple[int, ...], rules: list[Constraint]) -> bool:
    return all(
        rule.low <= sum(value for word, value in rule.terms if word in kept) <= rule.high for rule in rules
    )


@pytest.mark.parametrize("few", [1, 8, 1000])
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_within_constraints_prices_and_limits_is_that_of_enumeration(
    order: int, seed: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.decode.constrained._FEW", few)
    monkeypatch.setattr("laconic.decode.constrained._FOR_EACH_WORD", 0)
    decoder, rules = decoder_of(order, seed), constraints(seed)
    path = ConstrainedPath(
        decoder.ngrams(), WORDS, rules, likely=lambda prices: decoder.word_marginals(prices=prices)
    )
    prices = np.random.default_rng(seed + 50).normal(size=WORDS)
    prices[seed] = -np.inf
    scores = {}
    for size in range(1, WORDS + 1):
        for kept in combinations(range(WORDS), size):
            pins = np.full(WORDS, -np.inf)
            pins[list(kept)] = np.inf
            if fulfilled(kept, rules) and seed not in kept:
                scores[kept] = decoder.best(prices=pins).score + float(prices[list(kept)].sum())
    for limit in (None, Limit(2, 3), Limit(4, 4), Limit(7, 7, (1, 4, 2, 3, 1, 2))):
        costs = limit.costs if limit is not None and limit.costs else (1,) * WORDS
        within = [
            kept
            for kept in scores
            if limit is None or limit.least <= sum(costs[word] for word in kept) <= limit.most
        ]
        ranked = sorted(within, key=lambda kept: -scores[kept])
        if not ranked:
            with pytest.raises(InfeasibleBudget):
                path.best(prices=prices, limit=limit)
            continue
        found = list(path.best_first(prices=prices, limit=limit))
        assert [each.kept for each in found] == ranked[: len(found)]
        assert [each.score for each in found] == pytest.approx(
            [scores[kept] for kept in ranked[: len(found)]]
        )
        assert len(found) == min(len(ranked), 9)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_an_outline_has_every_length_that_there_is_and_no_score_below_the_best(order: int, seed: int) -> None:
    decoder, rules = decoder_of(order, seed), constraints(seed)
    path = ConstrainedPath(
        decoder.ngrams(), WORDS, rules, likely=lambda prices: decoder.word_marginals(prices=prices)
    )
    prices = np.random.default_rng(seed).normal(size=WORDS)
    prices[seed], prices[seed + 1] = np.inf, -np.inf
    outline = path.outline(prices=prices)
    for length in range(WORDS + 1):
        there_are = any(
            fulfilled(kept, rules) and seed in kept and seed + 1 not in kept
            for kept in combinations(range(WORDS), length)
        )
        assert (outline.scores[length] > -np.inf) == there_are
        if there_are:
            kept = outline.solution(length).kept
            assert len(kept) == length and fulfilled(kept, rules)
            assert seed in kept and seed + 1 not in kept
            best = path.best(prices=prices, limit=Limit(length, length))
            assert outline.scores[length] >= best.score - 1e-9


@pytest.mark.parametrize("listed", [1, 4000])
@pytest.mark.parametrize("seed", range(4))
def test_the_selections_listed_are_those_of_enumeration_or_some_of_them(
    seed: int, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.decode.constrained._LISTED", listed)
    rules = constraints(seed)
    path = ConstrainedPath(decoder_of(2, seed).ngrams(), WORDS, rules, likely=lambda prices: prices)
    prices = np.zeros(WORDS)
    prices[seed], prices[seed + 1] = np.inf, -np.inf
    costs = (1, 4, 2, 3, 1, 2)
    for limit in (None, Limit(2, 3), Limit(6, 7, costs), Limit(99, 99)):
        there_are = {
            kept
            for size in range(1, WORDS + 1)
            for kept in combinations(range(WORDS), size)
            if fulfilled(kept, rules) and seed in kept and seed + 1 not in kept
            if limit is None
            or limit.least <= sum((limit.costs or (1,) * WORDS)[word] for word in kept) <= limit.most
        }
        found = path.selections(prices=prices, limit=limit)
        assert len(set(found.kept)) == len(found.kept) and set(found.kept) <= there_are
        assert set(found.kept) == there_are or (listed == 1 and not found.are_all)


@pytest.mark.parametrize("few", [1, 1000])
def test_nothing_is_no_compression(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("laconic.decode.constrained._FEW", few)
    monkeypatch.setattr("laconic.decode.constrained._FOR_EACH_WORD", 0)
    path = ConstrainedPath(decoder_of(2, 0).ngrams(), WORDS, likely=lambda prices: prices)
    with pytest.raises(InfeasibleBudget):
        path.best(limit=Limit(0, 3, (4,) * WORDS))


def test_words_that_are_all_pinned_need_no_programme(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder, rules = decoder_of(3, 0), constraints(0)
    path = ConstrainedPath(decoder.ngrams(), WORDS, rules, likely=lambda prices: prices)
    monkeypatch.delattr("laconic.decode.programme.Programme.maximised")
    for kept in combinations(range(WORDS), 3):
        pins = np.full(WORDS, -np.inf)
        pins[list(kept)] = np.inf
        try:
            [found] = path.best_first(prices=pins)
        except InfeasibleBudget:
            assert not fulfilled(kept, rules)
        else:
            assert (found.kept, found.score) == (kept, pytest.approx(decoder.best(prices=pins).score))
            assert fulfilled(kept, rules)


def test_a_refusal_names_the_constraint() -> None:
    decoder = decoder_of(2, 0)
    both = Constraint("both or neither", ((0, 1.0), (1, -1.0)), 0.0, 0.0)
    easy = Constraint("something", tuple((word, 1.0) for word in range(WORDS)), low=1.0)
    path = ConstrainedPath(decoder.ngrams(), WORDS, [both, easy], likely=lambda prices: prices)
    pins = np.zeros(WORDS)
    pins[0], pins[1] = np.inf, -np.inf
    with pytest.raises(InfeasibleBudget, match="the constraint 'both or neither' and the limit rule out"):
        path.best(prices=pins)
    with pytest.raises(InfeasibleBudget, match="the limit and the pinned words rule out"):
        path.best(limit=Limit(WORDS + 1, WORDS + 1))


@pytest.mark.parametrize("seed", [6, 7])
def test_what_no_selection_fulfils_is_infeasible_and_no_failure_of_the_solver(
    seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    together = [
        Constraint("together", ((one, 1.0), (other, -1.0)), 0.0, 0.0) for one, other in ((0, 1), (1, 3))
    ]
    implied = [Constraint("implied", ((3, 1.0), (2, -1.0)), low=0.0)]
    table = np.random.default_rng(seed).normal(size=(6,) * 3)
    decoder = NgramPathDecoder(lambda *ngram: float(table[ngram]), words=4, order=3)
    path = ConstrainedPath(decoder.ngrams(), 4, together + implied, likely=lambda prices: prices)
    with pytest.raises(InfeasibleBudget, match="'together'"):
        path.best(limit=Limit(2, 2))
    assert capfd.readouterr().out == ""
