import math

import numpy as np
import pytest
from hypothesis import given, settings

from laconic.errors import LaconicError
from laconic.ngram.kneser_ney import EstimationOptions, estimate
from laconic.ngram.model import Perplexity
from laconic.ngram.vocabulary import BEGIN, END
from tests.ngram.corpora import listing, sentences
from tests.oracles import ngram as oracle


@given(corpus=sentences)
@settings(max_examples=40, deadline=None)
def test_states_words_and_sentences_score_alike(corpus) -> None:
    model = estimate(corpus, EstimationOptions(order=3, prune=1e-3))
    values = listing(model)
    for sentence in [*corpus, ["a", "zebra", "b"], []]:
        state, scores = model.state((BEGIN,)), []
        for word in sentence:
            state, score = model.score(state, word)
            scores.append(score)
        scores.append(model.score_id(state, END)[1])
        assert model.score_words(sentence) == pytest.approx(scores)
        assert model.score_sentence(sentence) == pytest.approx(sum(scores))
        ids = [BEGIN, *model.vocabulary.ids(sentence).tolist(), END]
        by_hand = [
            math.log(oracle.conditional(values, ids[max(0, at - 2) : at], ids[at]))
            for at in range(1, len(ids))
        ]
        assert scores == pytest.approx(by_hand, rel=1e-5)


def test_states_are_hashable_and_forget_what_cannot_matter() -> None:
    model = estimate([["a", "b", "c"], ["d", "b", "c"]], EstimationOptions(order=3))
    a, b, c = (model.vocabulary.id(word) for word in "abc")
    assert model.state((c, a, b)) == (a, b)
    assert model.state((c, b)) == (b,), "c b was never seen, so c is forgotten"
    assert model.state((b, END)) == ()
    assert len({model.state((c, b)), model.state((b,)), model.state((a, c, b))}) == 1


def test_perplexity_counts_tokens_ends_and_unknown_words() -> None:
    model = estimate([["a", "b"], ["a", "c"]], EstimationOptions(order=2))
    result = model.perplexity([["a", "b"], ["a", "zebra"]])
    assert (result.sentences, result.tokens, result.unknown) == (2, 6, 1)
    total = model.score_sentence(["a", "b"]) + model.score_sentence(["a", "zebra"])
    assert result.perplexity == pytest.approx(math.exp(-total / 6))
    unknown = model.score(model.state((BEGIN, model.vocabulary.id("a"))), "zebra")[1]
    assert result.known_perplexity == pytest.approx(math.exp(-(total - unknown) / 5))


def test_perplexity_of_nothing_is_none() -> None:
    assert estimate([["a"]]).perplexity([]) == Perplexity(0, 0, 0, 0.0, 0.0)
    assert Perplexity(0, 0, 0, 0.0, 0.0).perplexity is None
    assert Perplexity(1, 1, 1, -2.0, 0.0).known_perplexity is None


def test_models_cannot_be_changed() -> None:
    model = estimate([["a", "b"]])
    for array in model.tables:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_ids_and_orders_out_of_range_are_refused() -> None:
    model = estimate([["a", "b"]])
    with pytest.raises(LaconicError, match="not a word id; they run from 0 to 4"):
        model.score_id((), 5)
    with pytest.raises(LaconicError, match="run from 0 to 4"):
        model.score_ids([3, 5])
    with pytest.raises(LaconicError, match="1 to 3 words, not of 4"):
        model.ngrams(4)


def test_large_vocabularies_get_wider_words() -> None:
    corpus = [[f"w{number}" for number in range(start, start + 100)] for start in range(0, 70_000, 100)]
    model = estimate(corpus, EstimationOptions(order=2))
    assert model.tables.words.dtype == np.uint32
    first, second = model.vocabulary.id("w69998"), model.vocabulary.id("w69999")
    assert max(first, second) > 1 << 16
    assert model.score_id((first,), second)[1] > model.score_id((second,), first)[1]
