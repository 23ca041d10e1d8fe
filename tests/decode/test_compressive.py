"""The compressive parser against enumeration: every order, root, semiring, price and limit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Decoder, Limit
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.trees.dependency import check_heads
from tests.decode.problems import prices, problems, scores
from tests.oracles.compressive import BruteForceParser, crosses, trees

orders = pytest.mark.parametrize("order", ["first", "second"])
roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])


def twins(arc, bigram, sibling, order, single_root=True):
    options = {"sibling": sibling if order == "second" else None, "single_root": single_root}
    return CompressiveParser(arc, bigram, **options), BruteForceParser(arc, bigram, **options)


def test_numbers_of_projective_trees() -> None:
    # Rooted projective trees: binomial(3n, n) / (2n + 1); with a single root: binomial(3n - 2, n - 1) / n.
    assert [len(trees(words, single_root=False)) for words in range(1, 6)] == [1, 3, 12, 55, 273]
    assert [len(trees(words)) for words in range(1, 6)] == [1, 2, 7, 30, 143]


@orders
@roots
@settings(max_examples=100, deadline=None)
@given(problem=problems(6))
def test_best_equals_enumeration(order, single_root, problem) -> None:
    arc, bigram, sibling, paid, limit = problem
    parser, oracle = twins(arc, bigram, sibling, order, single_root)
    try:
        expected = oracle.best(prices=paid, limit=limit)
    except InfeasibleBudget:
        with pytest.raises(InfeasibleBudget):
            parser.best(prices=paid, limit=limit)
        return
    found = parser.best(prices=paid, limit=limit)
    assert found.score == pytest.approx(expected.score)
    assert found.score == pytest.approx(oracle.score(found, paid))
    assert found.heads in trees(len(found.kept), single_root=single_root)


@orders
@roots
@settings(max_examples=25, deadline=None)
@given(problem=scores(), data=st.data())
def test_frontier_equals_enumeration_at_every_cost(order, single_root, problem, data: st.DataObject) -> None:
    parser, oracle = twins(*problem, order, single_root)  # type: ignore[call-arg]
    paid = data.draw(prices(len(parser)))
    costs = data.draw(
        st.one_of(st.none(), st.lists(st.integers(0, 5), min_size=len(parser), max_size=len(parser)))
    )
    found = parser.frontier(prices=paid, costs=costs)
    try:
        expected = oracle.frontier(prices=paid, costs=costs).scores
    except InfeasibleBudget:
        expected = np.full(len(found.scores), -np.inf)
    np.testing.assert_allclose(found.scores, expected, atol=1e-9)
    for cost, score in enumerate(expected):
        if score == -np.inf:
            with pytest.raises(InfeasibleBudget, match=f"exactly {cost}"):
                found.solution(cost)
        else:
            solution = found.solution(cost)
            assert sum(1 if costs is None else costs[word] for word in solution.kept) == cost
            assert solution.score == pytest.approx(score)
            assert oracle.score(solution, paid) == pytest.approx(score)


@orders
@roots
@settings(max_examples=25, deadline=None)
@given(problem=problems(4))
def test_sums_and_marginals_equal_enumeration(order, single_root, problem) -> None:
    arc, bigram, sibling, paid, limit = problem
    parser, oracle = twins(arc, bigram, sibling, order, single_root)
    request = {"prices": paid, "limit": limit}
    try:
        expected = oracle.log_partition(**request)
    except InfeasibleBudget:
        for ask in (parser.log_partition, parser.marginals, parser.word_marginals):
            with pytest.raises(InfeasibleBudget):
                ask(**request)
        return
    assert parser.log_partition(**request) == pytest.approx(expected)
    marginals = parser.marginals(**request)
    assert marginals.log_partition == pytest.approx(expected)
    np.testing.assert_allclose(marginals.words, oracle.word_marginals(**request), atol=1e-9)
    np.testing.assert_allclose(marginals.bigrams, oracle.bigram_marginals(**request), atol=1e-9)
    np.testing.assert_allclose(marginals.arcs, oracle.arc_marginals(**request), atol=1e-9)
    np.testing.assert_allclose(parser.bigram_marginals(**request), marginals.bigrams)
    np.testing.assert_allclose(parser.word_marginals(**request), marginals.words)
    if order == "second":
        np.testing.assert_allclose(marginals.siblings, oracle.sibling_marginals(**request), atol=1e-9)
    else:
        assert marginals.siblings is None


@orders
@roots
@settings(max_examples=25, deadline=None)
@given(problem=problems(4), k=st.integers(1, 12), distinct=st.booleans())
def test_k_best_equals_enumeration(order, single_root, problem, k, distinct) -> None:
    arc, bigram, sibling, paid, limit = problem
    parser, oracle = twins(arc, bigram, sibling, order, single_root)
    request = {"prices": paid, "limit": limit}
    ask = parser.k_best if distinct else parser.k_best_derivations
    try:
        expected = oracle.k_best(k, distinct=distinct, **request)
    except InfeasibleBudget:
        with pytest.raises(InfeasibleBudget):
            ask(k, **request)
        return
    found = ask(k, **request)
    assert [solution.score for solution in found] == pytest.approx([solution.score for solution in expected])
    assert [oracle.score(solution, paid) for solution in found] == pytest.approx([s.score for s in found])
    kept = {solution.kept if distinct else (solution.kept, solution.heads) for solution in found}
    assert len(kept) == len(found)


@pytest.mark.slow
@orders
@roots
def test_seven_words_equal_enumeration_at_every_length(order, single_root) -> None:
    generator = np.random.default_rng(7)
    problem = (generator.normal(size=shape) for shape in ((8, 8), (9, 9), (8, 8, 8)))
    parser, oracle = twins(*problem, order, single_root)  # type: ignore[call-arg]
    np.testing.assert_allclose(parser.frontier().scores, oracle.frontier().scores)
    for limit in (None, *(Limit(length, length) for length in range(1, 8))):
        request = {"limit": limit}
        assert parser.best(**request).score == pytest.approx(oracle.best(**request).score)
        assert parser.log_partition(**request) == pytest.approx(oracle.log_partition(**request))
        np.testing.assert_allclose(
            parser.marginals(**request).arcs, oracle.arc_marginals(**request), atol=1e-9
        )
        found, expected = parser.k_best_derivations(20, **request), oracle.k_best(20, **request)
        assert [each.score for each in found] == pytest.approx([each.score for each in expected])


@orders
@pytest.mark.parametrize(
    "limit", [None, Limit(2, 3), Limit(3, 5, (1, 2, 0, 3))], ids=["free", "words", "costs"]
)
def test_samples_follow_the_distribution(order, limit) -> None:
    generator = np.random.default_rng(11)
    arc, bigram = generator.normal(size=(5, 5)), generator.normal(size=(6, 6))
    parser, oracle = twins(arc, bigram, generator.normal(size=(5, 5, 5)), order)
    everything = oracle.everything(None, limit)
    total = oracle.log_partition(limit=limit)
    count = 4000
    drawn = [(sample.kept, sample.heads) for sample in parser.samples(count, generator, limit=limit)]
    assert set(drawn) <= {(solution.kept, solution.heads) for solution in everything}
    for solution in everything:
        probability = np.exp(solution.score - total)
        frequency = drawn.count((solution.kept, solution.heads)) / count
        deviation = np.sqrt(probability * (1 - probability) / count)
        assert abs(frequency - probability) < 5 * deviation + 1 / count


def test_sampling_is_reproducible() -> None:
    generator = np.random.default_rng(5)
    parser = CompressiveParser(generator.normal(size=(9, 9)), generator.normal(size=(10, 10)))
    assert parser.samples(2, np.random.default_rng(3)) == parser.samples(2, np.random.default_rng(3))


@orders
@settings(max_examples=10, deadline=None)
@given(problem=problems(5))
def test_marginals_are_the_gradient_of_the_log_partition(order, problem) -> None:
    arc, bigram, sibling, _, limit = problem
    parser, _ = twins(arc, bigram, sibling, order)
    words = len(parser)
    try:
        marginals = parser.word_marginals(limit=limit)
    except InfeasibleBudget:
        return
    step = 1e-5
    for word in range(words):
        nudge = np.zeros(words)
        nudge[word] = step
        above = parser.log_partition(prices=nudge, limit=limit)
        below = parser.log_partition(prices=-nudge, limit=limit)
        assert (above - below) / (2 * step) == pytest.approx(marginals[word], abs=1e-6)


@pytest.mark.parametrize("words", [25, 60])
def test_large_sentences_agree_across_semirings(words: int) -> None:
    generator = np.random.default_rng(words)
    arc, bigram = generator.normal(size=(words + 1,) * 2), generator.normal(size=(words + 2,) * 2)
    sibling = np.zeros((words + 1,) * 3)
    first = CompressiveParser(arc, bigram)
    second = CompressiveParser(arc, bigram, sibling=sibling)
    best = first.best()
    check_heads(best.heads)  # type: ignore[arg-type]
    assert not crosses(best.heads)  # type: ignore[arg-type]
    assert second.best() == best
    assert first.frontier().scores.max() == pytest.approx(best.score)
    assert second.frontier().scores == pytest.approx(first.frontier().scores)
    assert first.k_best(1)[0] == best
    assert second.log_partition() == pytest.approx(first.log_partition())
    np.testing.assert_allclose(second.marginals().arcs, first.marginals().arcs, atol=1e-9)
    by_length = [first.log_partition(limit=Limit(length, length)) for length in (3, words // 2)]
    assert max(by_length) < first.log_partition()
    # As the scores sharpen, the sum is taken over by its largest term.
    sharp = CompressiveParser(5000 * arc, 5000 * bigram)
    assert sharp.log_partition() == pytest.approx(5000 * best.score, rel=1e-9)
    assert tuple(np.flatnonzero(sharp.word_marginals() > 0.5)) == best.kept


def test_short_and_long_compressions_need_small_tables() -> None:
    words = 40
    parser = CompressiveParser(np.zeros((words + 1,) * 2), np.zeros((words + 2,) * 2))

    def size(least, most):
        table = parser._table(parser._query(None, Limit(least, most)))
        return int(np.maximum(table.high - table.low + 1, 0).sum())

    assert max(size(3, 3), size(words - 3, words - 3)) < size(1, words) / 3


def test_prices_are_cost_augmentation_and_pins() -> None:
    generator = np.random.default_rng(2)
    arc, bigram = generator.normal(size=(8, 8)), generator.normal(size=(9, 9))
    parser = CompressiveParser(arc, bigram)
    gold = (0, 3, 4)
    hamming = np.array([-1.0 if word in gold else 1.0 for word in range(7)])
    augmented = parser.best(prices=hamming)
    loss = len(set(gold) ^ set(augmented.kept))
    plain = parser.best(prices=np.where(np.isin(np.arange(7), augmented.kept), np.inf, -np.inf))
    assert plain.kept == augmented.kept
    assert augmented.score + len(gold) == pytest.approx(plain.score + loss)
    assert parser.best(prices=np.full(7, np.inf)).kept == tuple(range(7))
    assert parser.best(prices=[-np.inf] * 6 + [0.0]).kept == (6,)


def test_one_word_is_its_own_root() -> None:
    parser = CompressiveParser([[0.0, 2.0], [0.0, 0.0]], [[0.0, 0.5, 9.0], [0.0, 0.0, 0.25], [0.0] * 3])
    only = parser.best()
    assert (only.score, only.kept, only.heads) == (2.75, (0,), (-1,))
    assert parser.k_best(5) == [only]
    assert parser.word_marginals() == pytest.approx([1.0])


def test_unread_cells_may_hold_anything() -> None:
    generator = np.random.default_rng(4)
    arc, bigram, sibling = (generator.normal(size=shape) for shape in ((5, 5), (6, 6), (5, 5, 5)))
    clean = CompressiveParser(arc, bigram, sibling=sibling).best()
    arc[np.diag_indices(5)] = arc[:, 0] = np.nan
    bigram[np.tril_indices(6)] = np.inf
    bigram[0, 5] = 1e9  # keeping nothing is not a compression
    sibling[:, :, 0] = np.nan
    assert CompressiveParser(arc, bigram, sibling=sibling).best() == clean


def test_the_parser_is_a_decoder() -> None:
    decoder: Decoder = CompressiveParser(np.zeros((3, 3)), np.zeros((4, 4)))
    assert decoder.best().score == 0.0


@pytest.mark.parametrize(
    ("arc", "bigram", "sibling", "message"),
    [
        (np.zeros((3, 3)), np.zeros((3, 4)), None, "square"),
        (np.zeros((1, 1)), np.zeros((2, 2)), None, "at least one word"),
        (np.zeros((4, 4)), np.zeros((4, 4)), None, r"arc scores of 2 words.*\(3, 3\)"),
        (np.zeros(3), np.zeros((4, 4)), None, "2 dimensions"),
        (np.zeros((3, 3)), np.zeros((4, 4)), np.zeros((3, 3)), "3 dimensions"),
        (np.zeros((3, 3)), np.zeros((4, 4)), np.zeros((3, 3, 4)), "sibling scores of 2 words"),
        ([["a"]], np.zeros((4, 4)), None, "array of numbers"),
        ([[0, 0, np.nan], [0, 0, 0], [0, 0, 0]], np.zeros((4, 4)), None, r"arc score \[0, 2\] is nan"),
        (np.zeros((3, 3)), np.full((4, 4), np.inf), None, r"bigram score \[0, 1\] is inf"),
        (np.zeros((3, 3)), np.zeros((4, 4)), np.full((3, 3, 3), np.nan), r"sibling score \[0, 0, 1\] is nan"),
    ],
)
def test_bad_scores_are_named(arc, bigram, sibling, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        CompressiveParser(arc, bigram, sibling=sibling)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"prices": [0.0]}, "prices must be 3 numbers"),
        ({"prices": [0.0, np.nan, 0.0]}, "NaN"),
        ({"limit": Limit(3, 2)}, "0 <= least <= most"),
        ({"limit": Limit(-1, 2)}, "0 <= least <= most"),
        ({"limit": Limit(0, 2, (1, 1))}, "costs must be 3 integers"),
        ({"limit": Limit(0, 2, (1, -1, 1))}, "at least 0"),
        ({"limit": Limit(0, 2, (1, 0.5, 1))}, "integers"),  # type: ignore[arg-type]
        ({"limit": Limit(1, 10**12, (10**11, 10**11, 10**11))}, "coarser unit"),
    ],
)
def test_bad_requests_are_named(request_, message: str) -> None:
    parser = CompressiveParser(np.zeros((4, 4)), np.zeros((5, 5)))
    with pytest.raises(LaconicError, match=message):
        parser.k_best(**{"k": 1} | request_)


def test_k_must_be_positive() -> None:
    with pytest.raises(LaconicError, match="at least 1, not 0"):
        CompressiveParser(np.zeros((4, 4)), np.zeros((5, 5))).k_best(0)


@pytest.mark.parametrize(
    ("limit", "possible"),
    [
        (Limit(0, 0), (1, 1)),
        (Limit(4, 9), (3, 3)),
        (Limit(1, 1, (2, 5, 5)), (2, 2)),
        (Limit(8, 9, (2, 5, 5)), (7, 10)),
        (Limit(20, 10**30, (2, 5, 5)), (12, 12)),
    ],
)
def test_infeasible_limits_say_what_is_possible(limit, possible) -> None:
    parser = CompressiveParser(np.zeros((4, 4)), np.zeros((5, 5)))
    for ask in (parser.best, parser.log_partition, lambda **options: parser.k_best(2, **options)):
        with pytest.raises(InfeasibleBudget) as caught:
            ask(limit=limit)
        assert caught.value.possible == possible


def test_no_compression_at_all() -> None:
    parser = CompressiveParser(np.zeros((4, 4)), np.zeros((5, 5)))
    for request in ({}, {"limit": Limit(1, 2)}):
        with pytest.raises(InfeasibleBudget, match="rule out all") as caught:
            parser.best(prices=np.full(3, -np.inf), **request)
        assert caught.value.possible is None
    assert (parser.frontier(prices=np.full(3, -np.inf)).scores == -np.inf).all()
