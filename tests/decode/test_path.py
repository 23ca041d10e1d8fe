"""The path decoder against enumeration, and against the parser whose arcs are silent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Decoder, Limit
from laconic.decode.path import NgramPathDecoder, PathDecoder
from laconic.errors import InfeasibleBudget, LaconicError
from tests.decode.problems import problems
from tests.oracles.compressive import BruteForceNgramPath, BruteForcePath


@settings(max_examples=80, deadline=None)
@given(problem=problems(8), k=st.integers(1, 9), distinct=st.booleans())
def test_every_question_equals_enumeration(problem, k, distinct) -> None:
    _, bigram, _, paid, limit = problem
    decoder, oracle = PathDecoder(bigram), BruteForcePath(bigram)
    request = {"prices": paid, "limit": limit}
    try:
        expected = oracle.k_best(k, **request)
    except InfeasibleBudget:
        for ask in (decoder.best, decoder.word_marginals, lambda **options: decoder.k_best(k, **options)):
            with pytest.raises(InfeasibleBudget):
                ask(**request)
        return
    best = decoder.best(**request)
    assert best.heads is None
    assert best.score == pytest.approx(expected[0].score)
    assert oracle.score(best, paid) == pytest.approx(best.score)
    found = (decoder.k_best if distinct else decoder.k_best_derivations)(k, **request)
    assert [solution.score for solution in found] == pytest.approx([solution.score for solution in expected])
    assert len({solution.kept for solution in found}) == len(found)
    assert decoder.log_partition(**request) == pytest.approx(oracle.log_partition(**request))
    np.testing.assert_allclose(
        decoder.bigram_marginals(**request), oracle.bigram_marginals(**request), atol=1e-9
    )
    np.testing.assert_allclose(decoder.word_marginals(**request), oracle.word_marginals(**request), atol=1e-9)
    costs = None if limit is None else limit.costs
    np.testing.assert_allclose(
        decoder.frontier(prices=paid, costs=costs).scores,
        oracle.frontier(prices=paid, costs=costs).scores,
        atol=1e-9,
    )


@settings(max_examples=60, deadline=None)
@given(
    problem=problems(8),
    order=st.sampled_from([2, 3, 3, 4]),
    seed=st.integers(0, 99),
    whole=st.booleans(),
    k=st.integers(1, 9),
)
def test_paths_of_any_order_equal_enumeration(problem, order, seed, whole, k) -> None:
    _, bigram, _, paid, limit = problem
    words = len(bigram) - 2
    generator = np.random.default_rng(seed)
    ngram = generator.normal(size=(words + 2,) * order)
    ngram = np.round(ngram) if whole else ngram
    ngram[generator.random(ngram.shape) < 0.1] = -np.inf
    decoder = NgramPathDecoder(lambda *positions: ngram[positions], words=words, order=order)
    oracle = BruteForceNgramPath(ngram, words, order)
    request = {"prices": paid, "limit": limit}
    try:
        expected = oracle.k_best(k, **request)
    except InfeasibleBudget:
        for ask in (decoder.best, decoder.word_marginals, lambda **options: decoder.k_best(k, **options)):
            with pytest.raises(InfeasibleBudget):
                ask(**request)
        return
    assert oracle.score(decoder.best(**request), paid) == pytest.approx(expected[0].score)
    found = decoder.k_best(k, **request)
    assert [solution.score for solution in found] == pytest.approx([solution.score for solution in expected])
    assert decoder.log_partition(**request) == pytest.approx(oracle.log_partition(**request))
    np.testing.assert_allclose(decoder.word_marginals(**request), oracle.word_marginals(**request), atol=1e-9)
    costs = None if limit is None else limit.costs
    np.testing.assert_allclose(
        decoder.frontier(prices=paid, costs=costs).scores,
        oracle.frontier(prices=paid, costs=costs).scores,
        atol=1e-9,
    )


@pytest.mark.parametrize(
    ("order", "seed"), [(order, seed) for order in (2, 3, 4, 5) for seed in range(1 if order > 3 else 3)]
)
def test_twelve_words_equal_enumeration(order: int, seed: int) -> None:
    """All 4,095 selections, by n-grams of every order: the best of every length, the first of all, and their sum."""
    words = 12
    generator = np.random.default_rng(seed)
    ngram, prices = generator.normal(size=(words + 2,) * order), generator.normal(size=words)
    path = [PathDecoder(ngram)] if order == 2 else []
    paths = [NgramPathDecoder(lambda *positions: ngram[positions], words=words, order=order), *path]
    scores = {}
    for number in range(1, 1 << words):
        kept = [word for word in range(words) if number >> word & 1]
        steps = [0] * (order - 1) + [word + 1 for word in kept] + [words + 1]
        ends = range(order, len(steps) + 1)
        total = sum(ngram[tuple(steps[end - order : end])] for end in ends) + prices[kept].sum()
        scores[tuple(kept)] = float(total)
    ranked = sorted(scores, key=lambda kept: -scores[kept])
    total = np.logaddexp.reduce(list(scores.values()))
    for decoder in paths:
        assert [each.kept for each in decoder.k_best(25, prices=prices)] == ranked[:25]
        assert decoder.log_partition(prices=prices) == pytest.approx(total)
        frontier = decoder.frontier(prices=prices)
        for length in range(1, words + 1):
            best = next(kept for kept in ranked if len(kept) == length)
            assert decoder.best(prices=prices, limit=Limit(length, length)).kept == best
            assert frontier.solution(length).kept == best
        expected = [
            sum(np.exp(score - total) for kept, score in scores.items() if word in kept)
            for word in range(words)
        ]
        assert decoder.word_marginals(prices=prices) == pytest.approx(expected)


def test_every_ngram_is_scored_once_and_bigrams_are_the_path() -> None:
    words = 7
    bigram = np.random.default_rng(3).normal(size=(words + 2, words + 2))
    asked = []
    decoder = NgramPathDecoder(lambda *pair: asked.append(pair) or bigram[pair], words=words, order=2)  # type: ignore[func-returns-value]
    assert len(asked) == len(set(asked))
    path = PathDecoder(bigram)
    assert [each.kept for each in decoder.k_best(9)] == [each.kept for each in path.k_best(9)]
    assert decoder.bigram_marginals() == pytest.approx(path.bigram_marginals())
    with pytest.raises(LaconicError, match=r"n-gram \(0, 0, 1\)"):
        NgramPathDecoder(lambda *_: np.nan, words=1, order=3)
    with pytest.raises(LaconicError, match="order 1"):
        NgramPathDecoder(lambda *_: 0.0, words=1, order=1)


def test_samples_follow_the_distribution() -> None:
    generator = np.random.default_rng(7)
    bigram = generator.normal(size=(7, 7))
    decoder, oracle = PathDecoder(bigram), BruteForcePath(bigram)
    limit = Limit(2, 4)
    count = 4000
    drawn = [sample.kept for sample in decoder.samples(count, generator, limit=limit)]
    total = oracle.log_partition(limit=limit)
    for solution in oracle.everything(None, limit):
        probability = np.exp(solution.score - total)
        deviation = np.sqrt(probability * (1 - probability) / count)
        assert abs(drawn.count(solution.kept) / count - probability) < 5 * deviation + 1 / count


def test_a_parser_with_silent_arcs_finds_the_same_words() -> None:
    generator = np.random.default_rng(1)
    for words in (1, 2, 15, 40):
        bigram = generator.normal(size=(words + 2, words + 2))
        parser = CompressiveParser(np.zeros((words + 1, words + 1)), bigram)
        decoder = PathDecoder(bigram)
        assert decoder.best().kept == parser.best().kept
        assert decoder.frontier().scores == pytest.approx(parser.frontier().scores)


def test_the_path_is_a_decoder_that_keeps_at_least_one_word() -> None:
    bigram = np.zeros((4, 4))
    bigram[0, 3] = 100.0
    decoder: Decoder = PathDecoder(bigram)
    assert decoder.best().score == 0.0
    with pytest.raises(InfeasibleBudget) as caught:
        decoder.best(limit=Limit(0, 0))
    assert caught.value.possible == (1, 1)


@pytest.mark.parametrize(
    "bigram", [np.zeros((2, 2)), np.zeros((3, 4)), np.full((4, 4), np.nan), "words", [[1], []]]
)
def test_bad_scores_are_refused(bigram) -> None:
    with pytest.raises(LaconicError, match="bigram score"):
        PathDecoder(bigram)


def test_a_length_far_below_the_hull_is_found() -> None:
    # Words come in couples: an odd number of them breaks one, at a price that no path through a word need pay.
    words = 30
    bigram = np.full((words + 2, words + 2), -1000.0)
    bigram[0, 1::2] = 0.0
    for first in range(1, words, 2):
        bigram[first, first + 1] = 0.0
        bigram[first + 1, first + 2 :: 2] = bigram[first + 1, -1] = 0.0
    decoder = PathDecoder(bigram)
    solution = decoder.best(limit=Limit(15, 15))
    assert (len(solution.kept), solution.score) == (15, decoder.frontier().scores[15])
