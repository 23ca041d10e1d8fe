import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.ngram import kneser_ney
from laconic.ngram.kneser_ney import FALLBACK_DISCOUNTS, EstimationOptions, discounts, estimate
from tests.ngram.corpora import assert_same, listing, sentences, with_boundaries
from tests.oracles import ngram as oracle

options = st.builds(
    lambda order, cut_offs, min_count, size: EstimationOptions(
        order=order, cut_offs=tuple(sorted(cut_offs[: order - 1])), min_count=min_count, vocabulary_size=size
    ),
    order=st.integers(1, 4),
    cut_offs=st.lists(st.integers(1, 3), min_size=3, max_size=3),
    min_count=st.integers(1, 3),
    size=st.sampled_from([None, 2]),
)


@given(corpus=sentences, options=options)
@settings(max_examples=60, deadline=None)
def test_estimate_equals_the_twin(corpus, options) -> None:
    model = estimate(corpus, options)
    twin = oracle.modified_kneser_ney(
        with_boundaries(model.vocabulary, corpus),
        order=options.order,
        vocabulary_size=len(model.vocabulary),
        cut_offs=options.cut_offs,
        discounts=lambda counts: discounts(np.array(counts, dtype=np.int64)),
    )
    assert_same(listing(model), twin)


@given(corpus=sentences, options=options, prune=st.sampled_from([0.0, 1e-3, 1e-2, 0.1]))
@settings(max_examples=60, deadline=None)
def test_probabilities_sum_to_one_after_every_history(corpus, options, prune) -> None:
    model = estimate(
        corpus,
        EstimationOptions(options.order, options.min_count, options.vocabulary_size, options.cut_offs, prune),
    )
    words = range(len(model.vocabulary))
    for length in range(model.order):
        for history in itertools.islice(itertools.product(words, repeat=length), 200):
            total = sum(math.exp(model.score_id(history, word)[1]) for word in words)
            assert total == pytest.approx(1.0, abs=1e-5)


def test_modified_kneser_ney_by_hand() -> None:
    """Two sentences, `a b` and `a c`, order 2; too few counts, so D1 = 0.5, D2 = 1, D3+ = 1.5.

    Continuation counts: a 1 (after <s>), b 1, c 1 (after a), </s> 2 (after b and c): 5 in all.
    Unigrams share 0.5 + 0.5 + 0.5 + 1 = 2.5 of 5 evenly among <unk>, </s>, a, b, c: 0.5 / 5 = 0.1 each.
        p(a) = (1 - 0.5) / 5 + 0.1 = 0.2 = p(b) = p(c);  p(</s>) = (2 - 1) / 5 + 0.1 = 0.3;  p(<unk>) = 0.1.
    Bigrams: after <s>, a was seen twice: backoff(<s>) = 1 / 2, p(a|<s>) = (2 - 1) / 2 + 0.5 * 0.2 = 0.6.
    After a, b and c once each: backoff(a) = (0.5 + 0.5) / 2 = 0.5, p(b|a) = 0.5 / 2 + 0.5 * 0.2 = 0.35.
    After b, </s> once: backoff(b) = 0.5, p(</s>|b) = 0.5 + 0.5 * 0.3 = 0.65.
    """
    model = estimate([["a", "b"], ["a", "c"]], EstimationOptions(order=2))

    def p(word, *history):
        ids = tuple(1 if name == "<s>" else model.vocabulary.id(name) for name in history)
        return math.exp(model.score_id(ids, 2 if word == "</s>" else model.vocabulary.id(word))[1])

    assert [p("a"), p("b"), p("</s>"), p("<unk>")] == pytest.approx([0.2, 0.2, 0.3, 0.1], rel=1e-6)
    assert [p("a", "<s>"), p("b", "<s>")] == pytest.approx([0.6, 0.5 * 0.2], rel=1e-6)
    assert [p("b", "a"), p("c", "a"), p("</s>", "a")] == pytest.approx([0.35, 0.35, 0.5 * 0.3], rel=1e-6)
    assert p("</s>", "b") == pytest.approx(0.65, rel=1e-6)
    assert math.exp(model.score_sentence(["a", "b"])) == pytest.approx(0.6 * 0.35 * 0.65, rel=1e-6)


def test_discounts_by_hand() -> None:
    """n = (4, 2, 1, 1): Y = 4 / 8; D1 = 1 - 2 Y 2/4, D2 = 2 - 3 Y 1/2, D3 = 3 - 4 Y 1/1."""
    counts = np.array([1, 1, 1, 1, 2, 2, 3, 4, 17, 0])
    assert discounts(counts) == pytest.approx((0.5, 1.25, 1.0))


@pytest.mark.parametrize("counts", [[], [1, 1, 2], [1, 1, 1, 2, 3, 3, 3, 3, 4]])
def test_discounts_fall_back_when_counts_of_counts_are_missing_or_absurd(counts) -> None:
    assert discounts(np.array(counts, dtype=np.int64)) == FALLBACK_DISCOUNTS


def test_kneser_ney_with_one_discount_equals_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    from nltk.lm import KneserNeyInterpolated
    from nltk.lm.preprocessing import padded_everygram_pipeline

    corpus = [list("abacad"), list("bacab"), list("caabd"), list("dab"), list("ab")]
    monkeypatch.setattr(kneser_ney, "discounts", lambda _: (0.75, 0.75, 0.75))
    ours = listing(estimate(corpus, EstimationOptions(order=3)))
    vocabulary = estimate(corpus).vocabulary
    theirs = KneserNeyInterpolated(3, discount=0.75)
    theirs.fit(*padded_everygram_pipeline(3, corpus))
    # nltk pads with two <s>, so only histories within sentences are comparable; nor does it spread
    # unigrams to unknown words, so each order is compared given our order below.
    compared = 0
    for ngram, (probability, _) in ours.items():
        if len(ngram) > 1 and 1 not in ngram:
            *context, word = (vocabulary.words[number] for number in ngram)
            alpha, gamma = theirs.estimator.alpha_gamma(word, tuple(context))
            assert probability == pytest.approx(
                alpha + gamma * oracle.conditional(ours, ngram[1:-1], ngram[-1]), rel=1e-5
            )
            compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"order": 0}, "order of a model"),
        ({"order": 3, "cut_offs": (1,)}, "takes 2 cut-offs"),
        ({"order": 3, "cut_offs": (2, 1)}, "do not fall"),
        ({"order": 2, "cut_offs": (0,)}, "at least 1"),
        ({"prune": -1.0}, "threshold of pruning"),
    ],
)
def test_wrong_options_are_named(wrong, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        EstimationOptions(**wrong)
