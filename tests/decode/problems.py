"""Random sentences for the decoders: scores, prices, limits, as hypothesis draws them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from laconic.decode.contract import Limit

ORDERS = ("first", "second")


@st.composite
def scores(draw: st.DrawFn, most_words=5):
    """(arc, bigram, sibling): continuous, or whole numbers so that ties abound; some or none forbidden."""
    words = draw(st.integers(1, most_words))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    whole = draw(st.booleans())
    forbidden = draw(st.sampled_from([0.0, 0.0, 0.1, 0.3]))
    arrays = []
    for shape in ((words + 1, words + 1), (words + 2, words + 2), (words + 1, words + 1, words + 1)):
        values = generator.normal(scale=2.0, size=shape)
        values = np.round(values) if whole else values
        arrays.append(np.where(generator.random(shape) < forbidden, -np.inf, values))
    return tuple(arrays)


@st.composite
def prices(draw: st.DrawFn, words):
    """Nothing, or prices, among them pins."""
    if draw(st.booleans()):
        return None
    price = st.one_of(st.floats(-3, 3), st.sampled_from([0.0, np.inf, -np.inf]))
    return np.array(draw(st.lists(price, min_size=words, max_size=words)))


@st.composite
def limits(draw: st.DrawFn, words):
    """Nothing, or a limit on words or on random costs, among them costs of 0."""
    if draw(st.booleans()):
        return None
    costs = draw(st.one_of(st.none(), st.lists(st.integers(0, 4), min_size=words, max_size=words)))
    total = words if costs is None else sum(costs)
    least = draw(st.integers(0, total))
    return Limit(least, draw(st.integers(least, total)), None if costs is None else tuple(costs))


@st.composite
def problems(draw: st.DrawFn, most_words=5):
    """(arc, bigram, sibling, prices, limit)."""
    arc, bigram, sibling = draw(scores(most_words))
    words = len(arc) - 1
    return arc, bigram, sibling, draw(prices(words)), draw(limits(words))
