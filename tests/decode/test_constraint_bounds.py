"""No path under constraints surpasses the bounds of its n-grams, and few n-grams may be on the best one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from laconic.decode.constraint_bounds import NgramPaths
from laconic.decode.contract import Limit
from laconic.decode.programme import Rows
from tests.decode.test_constrained import WORDS, constraints, decoder_of, fulfilled

COSTS = (1, 4, 2, 3, 1, 2)


@pytest.mark.parametrize("limit", [None, Limit(2, 3), Limit(7, 7, COSTS), Limit(0, 3, (0,) * len(COSTS))])
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_no_path_surpasses_the_bounds_of_its_ngrams_or_of_its_length(
    order: int, seed: int, limit: Limit | None
) -> None:
    decoder, constrained = decoder_of(order, seed), constraints(seed)
    scores = decoder.ngrams()
    prices = np.random.default_rng(seed + 50).normal(size=WORDS)
    prices[seed], prices[seed + 1] = np.inf, -np.inf
    rows = Rows()
    costs = (1,) * WORDS if limit is None or limit.costs is None else limit.costs
    if limit is not None:
        rows.weigh(enumerate(map(float, costs)), limit.least, limit.most)
    for rule in constrained:
        rows.weigh(rule.terms, rule.low, rule.high)
    paths, values = NgramPaths(scores, WORDS), np.array(list(scores.values()))
    bounds = dict(zip(scores, paths.bounds(values, prices, rows, limit).tolist(), strict=True))
    of_lengths = paths.bounds_of_lengths(values, prices, rows)
    for size in range(1, WORDS + 1):
        for kept in combinations(range(WORDS), size):
            pinned = seed in kept and seed + 1 not in kept
            within = limit is None or limit.least <= sum(costs[word] for word in kept) <= limit.most
            if not (pinned and within and fulfilled(kept, constrained)):
                continue
            places = (*(0,) * (order - 1), *(word + 1 for word in kept), WORDS + 1)
            ngrams = [places[start : start + order] for start in range(len(places) - order + 1)]
            score = sum(scores[ngram] for ngram in ngrams)
            score += sum(float(prices[word]) for word in kept if word != seed)
            assert min(bounds[ngram] for ngram in ngrams) >= score - 1e-9
            assert of_lengths[size] >= score - 1e-9
    assert max(bounds.values()) < np.inf
    skipping = [ngram for ngram in scores if ngram[-2] < seed + 1 < ngram[-1]]
    assert skipping and all(bounds[ngram] == -np.inf for ngram in skipping)


def test_multipliers_find_the_bound_that_no_constraint_as_such_gives() -> None:
    # Word 0 is worth 3 and needs word 1, which costs 2; the whole is worth 1.
    scores = {
        (i, j): {1: 3.0, 2: -2.0}.get(j, 0.0) for i in range(3) for j in range(i + 1, 4) if (i, j) != (0, 3)
    }
    rows = Rows()
    rows.add([1], [0], low=0.0, high=np.inf)
    bounds = NgramPaths(scores, 2).bounds(np.array(list(scores.values())), np.zeros(2), rows)
    assert bounds.max() == pytest.approx(1.0, abs=1e-3)
