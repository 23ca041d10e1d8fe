import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.forest.hypergraph import Hypergraph
from laconic.forest.semiring import Semiring, inside, lift, normalised, plus, ratio, times
from tests.forest.strategies import forests
from tests.oracles.forest import PlainForest

scores = st.floats(-2000, 2000) | st.sampled_from([0.0, -math.inf])
semirings = pytest.mark.parametrize("semiring", list(Semiring))

Element = tuple[float, int]


def as_score(semiring: Semiring, element: Element) -> float:
    value, exponent = element
    if semiring is Semiring.MAX:
        return value
    return -math.inf if value == 0 else math.log(value) + exponent * 512 * math.log(2)


def same(semiring: Semiring, left: Element, right: Element) -> bool:
    scores = as_score(semiring, left), as_score(semiring, right)
    return scores[0] == scores[1] or math.isclose(*scores, rel_tol=1e-13, abs_tol=1e-12)


def add(semiring: Semiring, left: Element, right: Element) -> Element:
    total = plus(semiring.value, *left, *right)
    return total if semiring is Semiring.MAX else normalised(*total)


def multiply(semiring: Semiring, left: Element, right: Element) -> Element:
    return times(semiring.value, *left, *right)


@semirings
@given(scores, scores, scores)
@settings(max_examples=60)
def test_the_axioms_of_a_semiring_hold(semiring: Semiring, x: float, y: float, z: float) -> None:
    a, b, c = (lift(semiring.value, score) for score in (x, y, z))
    zero, one = lift(semiring.value, -math.inf), lift(semiring.value, 0.0)
    assert same(semiring, add(semiring, a, b), add(semiring, b, a))
    assert same(semiring, add(semiring, add(semiring, a, b), c), add(semiring, a, add(semiring, b, c)))
    assert same(
        semiring,
        multiply(semiring, multiply(semiring, a, b), c),
        multiply(semiring, a, multiply(semiring, b, c)),
    )
    assert same(
        semiring,
        multiply(semiring, a, add(semiring, b, c)),
        add(semiring, multiply(semiring, a, b), multiply(semiring, a, c)),
    )
    assert same(semiring, add(semiring, a, zero), a)
    assert same(semiring, multiply(semiring, a, one), a)
    assert same(semiring, multiply(semiring, a, zero), zero)


@given(scores, scores)
def test_operations_are_those_of_scores(x: float, y: float) -> None:
    def log_add(left: float, right: float) -> float:
        return float(np.logaddexp(left, right))

    for semiring, expected_plus in ((Semiring.MAX, max), (Semiring.SUM, log_add)):
        a, b = lift(semiring.value, x), lift(semiring.value, y)
        assert math.isclose(
            as_score(semiring, add(semiring, a, b)), expected_plus(x, y), rel_tol=1e-13, abs_tol=1e-12
        )
        assert math.isclose(as_score(semiring, multiply(semiring, a, b)), x + y, rel_tol=1e-13, abs_tol=1e-12)


@given(st.floats(-2000, 2000), st.floats(0, 1200))
def test_a_part_of_a_whole_is_their_ratio(score: float, gap: float) -> None:
    part, whole = lift(Semiring.SUM.value, score - gap), lift(Semiring.SUM.value, score)
    assert math.isclose(ratio(*part, *whole), math.exp((score - gap) - score), rel_tol=1e-11, abs_tol=1e-300)


@given(forests(possible=False))
@settings(max_examples=60)
def test_inside_is_the_plain_recurrence(forest: Hypergraph) -> None:
    plain = PlainForest.of(forest)
    best, _ = plain.viterbi()
    assert np.array_equal(inside(forest, Semiring.MAX).nodes, best)
    total = inside(forest, Semiring.SUM)
    logs = [as_score(Semiring.SUM, pair) for pair in zip(total.nodes, total.node_exponents, strict=True)]
    expected, expected_edges = plain.log_inside()
    assert np.allclose(logs, expected, rtol=1e-12, atol=1e-12)
    edge_logs = [as_score(Semiring.SUM, pair) for pair in zip(total.edges, total.edge_exponents, strict=True)]
    assert np.allclose(edge_logs, expected_edges, rtol=1e-12, atol=1e-12)


@given(forests(), st.sampled_from([-1500.0, -400.0, -180.0, 180.0, 400.0, 1500.0]))
@settings(max_examples=40)
def test_scores_of_any_size_neither_overflow_nor_underflow(forest: Hypergraph, shift: float) -> None:
    forest = forest.rescored(forest.scores * 300 + shift)
    expected, _ = PlainForest.of(forest).log_inside()
    assert math.isclose(inside(forest, Semiring.SUM).log_partition(), expected[-1], rel_tol=1e-12)
