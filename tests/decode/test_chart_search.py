"""A search with pins finds the best compression wherever that scores the threshold, and nothing where it does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laconic.arrays import Float64
from laconic.decode.chart import ChartDecoder
from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit, Solution
from laconic.decode.path import PathDecoder
from laconic.errors import InfeasibleBudget

WORDS = 8


def decoder(seed: int, *, parsed: bool, arcs: float = 1.0, scale: float = 1.0) -> ChartDecoder:
    """A decoder of random scores, in which arcs count more or less."""
    generator = np.random.default_rng(seed)
    bigram = scale * generator.normal(size=(WORDS + 2, WORDS + 2))
    arc = scale * arcs * generator.normal(size=(WORDS + 1, WORDS + 1))
    return CompressiveParser(arc, bigram) if parsed else PathDecoder(bigram)


def found_in_full(decoder: ChartDecoder, prices: Float64, limit: Limit | None) -> Solution | None:
    """The best compression; None where there is none."""
    try:
        return decoder.best(prices=prices, limit=limit)
    except InfeasibleBudget:
        return None


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.none() | st.tuples(st.integers(1, WORDS), st.integers(0, 3)),
    st.floats(-1.0, 6.0),
    st.dictionaries(st.integers(0, WORDS - 1), st.booleans(), max_size=3),
    st.sampled_from([0.02, 1.0, 5.0]),
    st.sampled_from([1.0, 1e6]),
)
def test_pins_lead_to_what_the_full_search_finds_above_a_threshold(
    seed: int,
    parsed: bool,
    within: tuple[int, int] | None,
    below: float,
    pins: dict[int, bool],
    arcs: float,
    scale: float,
) -> None:
    full = decoder(seed, parsed=parsed, arcs=arcs, scale=scale)
    costs = tuple(np.random.default_rng(seed).integers(0, 4, WORDS).tolist())
    limit = None if within is None else Limit(within[0], within[0] + within[1], costs)
    best = found_in_full(full, np.zeros(WORDS), limit)
    if best is None:
        return
    threshold = best.score - scale * below
    prices = np.zeros(WORDS)
    for word, kept in pins.items():
        prices[word] = np.inf if kept else -np.inf
    expected = found_in_full(full, prices, limit)
    again = full.search(limit=limit).best(prices)
    assert (again and again.score) == (expected and pytest.approx(expected.score))
    assume(expected is None or abs(expected.score - threshold) > 1e-9 * scale)  # rounding decides
    found = full.search(limit=limit).above(threshold)(prices)
    if expected is None or expected.score < threshold:
        assert found is None
    else:
        assert found is not None
        assert found.score == pytest.approx(expected.score)
