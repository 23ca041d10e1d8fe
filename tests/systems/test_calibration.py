"""The price of a word, against the evaluation of every price one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.metrics.evaluation import evaluate
from laconic.systems.calibration import best_price
from laconic.systems.markov import Markov
from tests.systems.toy_grammars import toy_pairs

PRICES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, -0.25, -0.5, -1.0, -2.0, -4.0, -8.0)


def keeping(pair: Pair, *kept: int) -> Pair:
    return replace(pair, references=(tuple(pair.source.words[word] for word in kept),), kept=(kept,))


def test_the_best_price_has_the_highest_f1() -> None:
    pairs = toy_pairs()
    system = Markov().fit(pairs)
    whole = [keeping(pair, *range(len(pair.source))) for pair in pairs]
    short = [keeping(pair, 0) for pair in pairs]
    chosen = []
    for development in (pairs, whole, short, [*whole, *short]):
        scores = {
            price: evaluate(replace(system, word_price=price), development)["positional_f1"].score.macro
            for price in PRICES
        }
        chosen.append(best_price(system.decoder, development, PRICES))
        assert scores[chosen[-1]] == pytest.approx(max(scores.values()))
    assert chosen[2] < chosen[0] < chosen[1]


def test_references_that_are_no_deletions_are_passed_over() -> None:
    pairs = toy_pairs()
    system = Markov().fit(pairs)
    rewritten = replace(pairs[0], references=(("Wholly", "new"),), kept=(None,))
    whole = [keeping(pair, *range(len(pair.source))) for pair in pairs]
    assert best_price(system.decoder, [rewritten, *whole], PRICES) == best_price(
        system.decoder, whole, PRICES
    )
    with pytest.raises(LaconicError, match="no pair to choose the price"):
        best_price(system.decoder, [rewritten], PRICES)
