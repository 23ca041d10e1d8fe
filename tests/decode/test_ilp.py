"""The integer programme against enumeration, and the charts against the integer programme."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit
from laconic.errors import InfeasibleBudget, LaconicError
from tests.decode.problems import problems
from tests.oracles.compressive import BruteForceParser, crosses, trees
from tests.oracles.ilp_parser import IlpParser


@settings(max_examples=40, deadline=None)
@given(problem=problems(4), second=st.booleans(), single_root=st.booleans(), projective=st.booleans())
def test_programme_equals_enumeration(problem, second, single_root, projective) -> None:
    arc, bigram, sibling, prices, limit = problem
    options = {"sibling": sibling if second else None, "single_root": single_root, "projective": projective}
    programme, oracle = IlpParser(arc, bigram, **options), BruteForceParser(arc, bigram, **options)
    try:
        expected = oracle.best(prices=prices, limit=limit)
    except InfeasibleBudget:
        with pytest.raises(InfeasibleBudget, match="rule out"):
            programme.best(prices=prices, limit=limit)
        return
    found = programme.best(prices=prices, limit=limit)
    assert found.score == pytest.approx(expected.score, abs=1e-5)
    assert oracle.score(found, prices) == pytest.approx(found.score)
    assert found.heads in trees(len(found.kept), single_root=single_root, projective=projective)


def informed_scores(words, generator):
    """Noise in which one compression with its tree stands out, as trained scores make it."""
    arc, bigram = generator.normal(size=(words + 1,) * 2), generator.normal(size=(words + 2,) * 2)
    gold = CompressiveParser(generator.normal(size=arc.shape), generator.normal(size=bigram.shape)).best()
    path = np.array([0, *(word + 1 for word in gold.kept), words + 1])
    bigram[path[:-1], path[1:]] += 1.5
    places = np.array(gold.kept) + 1
    heads = np.array([0 if head == -1 else places[head] for head in gold.heads])
    arc[heads, places] += 1.5
    return arc - 0.5, bigram - 0.5


def compare(words, seed) -> None:
    arc, bigram = informed_scores(words, np.random.default_rng(seed))
    parser = CompressiveParser(arc, bigram)
    for limit in (None, Limit(words // 3, words // 3)):
        expected = parser.best(limit=limit)
        crossing = IlpParser(arc, bigram, projective=False).best(limit=limit)
        planar = IlpParser(arc, bigram).best(limit=limit)
        assert planar.score == pytest.approx(expected.score, abs=1e-5)
        assert (planar.kept, planar.heads) == (expected.kept, expected.heads)
        assert crossing.score >= expected.score - 1e-5
        assert crosses(crossing.heads) or crossing.score == pytest.approx(expected.score, abs=1e-5)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [8, 12, 15])
def test_charts_equal_the_solver(words: int) -> None:
    compare(words, seed=words)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_charts_equal_the_solver_on_long_sentences(seed) -> None:
    compare(25, seed)


def test_second_order_chart_equals_the_solver() -> None:
    generator = np.random.default_rng(3)
    arc, bigram = informed_scores(8, generator)
    sibling = generator.normal(scale=0.5, size=(9, 9, 9))
    expected = CompressiveParser(arc, bigram, sibling=sibling).best()
    found = IlpParser(arc, bigram, sibling=sibling).best()
    assert found.score == pytest.approx(expected.score, abs=1e-5)
    assert (found.kept, found.heads) == (expected.kept, expected.heads)


def test_without_scipy_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(LaconicError, match=r"pip install 'laconic\[ilp\]'"):
        IlpParser(np.zeros((3, 3)), np.zeros((4, 4))).best()
