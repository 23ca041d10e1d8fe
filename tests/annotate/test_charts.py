import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate.charts import best_heads, best_spans
from tests.oracles.annotator import best_bracketing_gain, is_projective_tree, projective_trees, tree_score


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_cky_equals_enumeration(n: int, seed: int) -> None:
    gains = np.random.default_rng(seed).normal(size=(n + 1, n + 1)).astype(np.float32)
    spans = best_spans(gains)
    assert np.isclose(sum(gains[i, j] for i, j in spans), best_bracketing_gain(gains.tolist()), atol=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_cky_spans_nest_and_come_in_preorder(n: int, seed: int) -> None:
    gains = np.random.default_rng(seed).normal(size=(n + 1, n + 1)).astype(np.float32)
    spans = [tuple(span) for span in best_spans(gains).tolist()]
    assert len(set(spans)) == len(spans)
    assert spans == sorted(spans, key=lambda span: (span[0], -span[1]))
    for i, j in spans:
        assert all(k >= j or m <= i or (i <= k and m <= j) or (k <= i and j <= m) for k, m in spans)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_eisner_equals_enumeration(n: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(n + 1, n + 1)).astype(np.float32)
    heads = best_heads(scores).tolist()
    assert is_projective_tree(heads)
    best = max(tree_score(scores.tolist(), tree) for tree in projective_trees(n))
    assert np.isclose(tree_score(scores.tolist(), heads), best, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_eisner_returns_one_projective_tree(n: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(n + 1, n + 1)).astype(np.float32)
    assert is_projective_tree(best_heads(scores).tolist())


def test_empty_sentences_have_empty_trees() -> None:
    empty = np.zeros((1, 1), np.float32)
    assert len(best_spans(empty)) == 0
    assert len(best_heads(empty)) == 0


def test_words_that_no_arc_can_join_have_a_tree_all_the_same() -> None:
    """As have words of a long sentence that are too far apart for the network to score them together."""
    for count in range(1, 9):
        scores = np.full((count + 1, count + 1), -np.inf, np.float32)
        assert is_projective_tree(best_heads(scores).tolist())
        assert is_projective_tree(best_heads(np.full_like(scores, np.nan)).tolist())
