import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.ngram.kneser_ney import EstimationOptions, estimate
from laconic.ngram.tables import find_node, log_probability, state_start
from tests.ngram.corpora import listing, sentences
from tests.oracles import ngram as oracle

models = st.builds(
    lambda corpus, order, prune: estimate(corpus, EstimationOptions(order=order, prune=prune)),
    corpus=sentences,
    order=st.integers(1, 4),
    prune=st.sampled_from([0.0, 1e-2]),
)


@given(model=models, data=st.data())
@settings(max_examples=60, deadline=None)
def test_lookups_equal_the_dictionary(model, data: st.DataObject) -> None:
    values = listing(model)
    word = st.integers(0, len(model.vocabulary) - 1)
    for _ in range(10):
        # One word more than the model looks back, so that too long a history is seen to do no harm.
        history = data.draw(st.lists(word, max_size=model.order))
        last = data.draw(word)
        expected = oracle.conditional(values, history[max(0, len(history) - model.order + 1) :], last)
        got = log_probability(model.tables, np.array(history, dtype=np.int32), 0, len(history), last)
        assert math.isclose(math.exp(got), expected, rel_tol=1e-5, abs_tol=1e-12)


@given(model=models)
@settings(max_examples=30, deadline=None)
def test_every_listed_ngram_has_its_node_and_no_other(model) -> None:
    nodes = {ids: node for node, ids in enumerate(listing(model))}
    for ids, node in nodes.items():
        assert find_node(model.tables, np.array(ids, dtype=np.int32), 0, len(ids)) == node
        for word in range(len(model.vocabulary)):
            if (*ids, word) not in nodes:
                assert find_node(model.tables, np.array([*ids, word], dtype=np.int32), 0, len(ids) + 1) == -1


@given(model=models, data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_shortened_state_predicts_all_futures_as_the_whole_history_does(model, data: st.DataObject) -> None:
    word = st.integers(0, len(model.vocabulary) - 1)
    history = np.array(data.draw(st.lists(word, max_size=5)), dtype=np.int32)
    start = state_start(model.tables, history, len(history))
    assert len(history) - start <= model.order - 1
    for future in data.draw(st.lists(st.lists(word, min_size=1, max_size=3), min_size=1, max_size=10)):
        text = np.array([*history, *future], dtype=np.int32)
        for position in range(len(history), len(text)):
            whole = log_probability(model.tables, text, 0, position, text[position])
            shortened = log_probability(model.tables, text, start, position, text[position])
            assert shortened == whole or math.isclose(shortened, whole, rel_tol=1e-12)
