"""The Lagrangian walk: its bound holds, its certificates are true, and exact search completes it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit
from laconic.decode.path import PathDecoder
from laconic.errors import InfeasibleBudget
from laconic.forest import limits
from laconic.forest.hull import walk_hull

TOLERANCE = 1e-7


@st.composite
def hulls(draw: st.DrawFn):
    """Points (cost, score) and a limit that lies between the least and the greatest cost."""
    count = draw(st.integers(1, 12))
    score = st.one_of(st.integers(-9, 9).map(float), st.floats(-9, 9))
    points = draw(st.lists(st.tuples(score, st.integers(0, 30)), min_size=count, max_size=count))
    costs = [cost for _, cost in points]
    least = draw(st.integers(0, max(costs)))
    most = draw(st.integers(max(least, min(costs)), 40))
    return points, least, most


@settings(max_examples=300, deadline=None)
@given(hull=hulls())
def test_bound_and_certificate_over_plain_points(hull) -> None:
    points, least, most = hull

    def solve(multiplier):
        score, cost = max(points, key=lambda point: point[0] - multiplier * point[1])
        return score, cost, (score, cost)

    relaxation = walk_hull(solve, least, most)
    within = [score for score, cost in points if least <= cost <= most]
    best = max(within, default=-np.inf)
    assert relaxation.bound >= best - TOLERANCE
    # No multiplier bounds more tightly: compare with the duals at all slopes between two points.
    slopes = {(a - b) / (c - d) for a, c in points for b, d in points if c != d} | {0.0}
    target = relaxation.target
    allowed = [slope for slope in slopes if slope * relaxation.multiplier > 0 or slope == 0]
    duals = [max(score - slope * (cost - target) for score, cost in points) for slope in allowed]
    assert relaxation.bound <= min(duals) + TOLERANCE
    if relaxation.answer is not None:
        score, cost = relaxation.answer
        assert least <= cost <= most
        assert score == relaxation.score <= best
    if relaxation.certified:
        assert relaxation.score >= best - TOLERANCE


def test_a_limit_that_does_not_bind_takes_one_pass() -> None:
    relaxation = walk_hull(lambda multiplier: (5.0 - multiplier * 0, 3, "answer"), 0, 9)
    assert (relaxation.answer, relaxation.passes, relaxation.certified) == ("answer", 1, True)


@pytest.mark.parametrize(("least", "most"), [(0, 1), (30, 40)])
def test_a_limit_out_of_reach_is_refused(least: int, most: int) -> None:
    points = [(1.0, 5), (2.0, 11), (0.0, 26)]

    def solve(multiplier):
        score, cost = max(points, key=lambda point: point[0] - multiplier * point[1])
        return score, cost, None

    with pytest.raises(InfeasibleBudget):
        walk_hull(solve, least, most)


@pytest.mark.parametrize("seed", range(4))
def test_certified_answers_are_best_on_decoders(seed) -> None:
    generator = np.random.default_rng(seed)
    words = 14
    arc, bigram = generator.normal(size=(words + 1,) * 2), generator.normal(size=(words + 2,) * 2)
    prices = generator.normal(size=words)
    prices[3], prices[5] = np.inf, -np.inf
    certified = 0
    for decoder in (CompressiveParser(arc, bigram), PathDecoder(bigram)):
        scores = decoder.frontier(prices=prices).scores
        for length in np.flatnonzero(scores > -np.inf).tolist():
            query = decoder._query(prices, Limit(length, length))
            relaxation = limits.relaxed(decoder._shape, query.scores, query.costs, length, length)
            assert relaxation.bound >= scores[length] - TOLERANCE
            if relaxation.certified:
                certified += 1
                found = decoder._solution(query, relaxation.answer)  # type: ignore[arg-type]
                assert len(found.kept) == length
                assert (found.score, relaxation.score) == pytest.approx((scores[length], scores[length]))
    assert certified >= 10


@pytest.mark.parametrize("sharpness", [0.0, 1.0, 3.0, 1e7], ids=["whole", "normal", "sharp", "huge"])
@pytest.mark.parametrize("second_order", [False, True], ids=["first", "second"])
def test_pruned_search_equals_the_full_chart(
    monkeypatch: pytest.MonkeyPatch, sharpness: float, second_order: bool
) -> None:
    monkeypatch.setattr(limits, "_CHEAP_TABLE", 0)  # always relax, then prune
    generator = np.random.default_rng(17)
    searched = []
    search = limits._search
    monkeypatch.setattr(limits, "_search", lambda *given: searched.append(0) or search(*given))  # type: ignore[func-returns-value]
    for words in (7, 13, 19):
        arc, bigram, sibling = (generator.normal(size=(words + k,) * d) for k, d in ((1, 2), (2, 2), (1, 3)))
        if sharpness == 0.0:
            arc, bigram, sibling = np.round(arc), np.round(bigram), np.round(sibling)
        else:
            arc, bigram = sharpness * arc, sharpness * bigram
        parser = CompressiveParser(arc, bigram, sibling=sibling if second_order else None)
        for costs in ((1,) * words, tuple(generator.integers(0, 12, size=words).tolist())):
            scores = parser.frontier(costs=costs).scores
            for most in generator.integers(0, len(scores), size=12).tolist():
                for least in (most, int(generator.integers(0, most + 1))):
                    expected = scores[least : most + 1].max()
                    if expected > -np.inf:
                        found = parser.best(limit=Limit(least, most, costs))
                        assert found.score == pytest.approx(expected, rel=1e-12, abs=1e-12)
                        assert least <= sum(costs[word] for word in found.kept) <= most
    assert len(searched) > 10  # the walk alone must not have done it all
