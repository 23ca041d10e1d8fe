from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.ngram.kneser_ney import EstimationOptions, estimate
from laconic.ngram.pruning import prune, with_fresh_backoffs
from tests.ngram.corpora import assert_same, listing, sentences
from tests.oracles import ngram as oracle


def history_of(model, values):
    """P(h) by the chain rule."""
    history = {}  # type: ignore[var-annotated]
    for ngram in sorted(values, key=len):
        own = 1.0 if ngram == (1,) else values[ngram][0]
        history[ngram] = own * (history[ngram[:-1]] if len(ngram) > 1 else 1.0)
    return history


@given(corpus=sentences, order=st.integers(2, 3), threshold=st.sampled_from([1e-3, 3e-3, 1e-2, 3e-2]))
@settings(max_examples=40, deadline=None)
def test_pruning_equals_the_twin(corpus, order, threshold) -> None:
    model = estimate(corpus, EstimationOptions(order=order))
    values = listing(model)
    history = history_of(model, values)
    size = len(model.vocabulary)
    costs = [
        np.expm1(
            oracle.entropy_of_leaving_out(
                values, ngram, order=order, vocabulary_size=size, history_probability=history[ngram[:-1]]
            )
        )
        for ngram in values
        if len(ngram) > 1
    ]
    assume(min(abs(cost - threshold) for cost in costs) > 1e-6)  # rounding may not decide
    twin = oracle.prune(values, threshold, order=order, vocabulary_size=size, history=history)
    assert_same(listing(prune(model, threshold)), twin, tolerance=1e-4)


@given(corpus=sentences, order=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_fresh_backoffs_of_an_estimated_model_are_its_own(corpus, order) -> None:
    model = estimate(corpus, EstimationOptions(order=order))
    assert_same(listing(with_fresh_backoffs(model)), listing(model), tolerance=1e-3)


def test_higher_thresholds_keep_less_and_cost_more() -> None:
    generator = np.random.default_rng(5)
    corpus = [[str(word) for word in generator.zipf(1.5, size=8) if word < 50] for _ in range(400)]
    model = estimate(corpus, EstimationOptions(order=3))
    pruned = [prune(model, threshold) for threshold in (1e-6, 1e-5, 1e-4, 1e-3)]
    kept = [set(listing(smaller)) for smaller in [model, *pruned]]
    assert all(less < more for more, less in pairwise(kept))
    perplexities = [smaller.perplexity(corpus).perplexity for smaller in [model, *pruned]]
    assert perplexities == sorted(perplexities)


def test_history_probabilities_weigh_the_cost() -> None:
    corpus = [["a", "b"], ["a", "c"], ["a", "b"]]
    model = estimate(corpus, EstimationOptions(order=2))
    contexts = len(model.tables.backoffs)
    assert prune(model, 1e-3, history_probabilities=np.zeros(contexts)).offsets[2] == contexts
    assert prune(model, 1e-3, history_probabilities=np.ones(contexts)).offsets[2] > contexts
    with pytest.raises(LaconicError, match="2 history probabilities for"):
        prune(model, 1e-3, history_probabilities=np.ones(2))


def test_a_threshold_out_of_range_is_refused() -> None:
    with pytest.raises(LaconicError, match="threshold"):
        prune(estimate([["a"]]), 1.5)
