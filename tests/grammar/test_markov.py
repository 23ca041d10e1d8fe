"""Markov grammars of deletion: equation 7 by its definition, and the laws of its distributions."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.grammar.deletion_scfg import DeletionDerivation, derive_by_words
from laconic.grammar.markov import PAPER_ORDER, MarkovOptions
from laconic.learn.markov import Observer, estimate_grammar, observe, train_markov
from laconic.trees.constituency import Tree
from tests.grammar.deletions import derivations, options, small_trees
from tests.oracles.markov import MarkovTwin, phrases


@given(st.lists(derivations(), min_size=1, max_size=3), small_trees, options, st.data())
@settings(max_examples=60, deadline=None)
def test_probabilities_equal_the_definition(
    training: list[DeletionDerivation], tree: Tree, chosen: MarkovOptions, data: st.DataObject
) -> None:
    least_word = data.draw(st.integers(1, 2))
    grammar = train_markov(training, chosen, least_word=least_word)
    twin = MarkovTwin(training, chosen, least_word)
    inner = [node for node in range(len(tree.labels)) if not tree.is_preterminal(node)]
    node = data.draw(st.sampled_from(inner))
    kept = data.draw(st.sets(st.sampled_from(tree.children(node))))
    flags = np.array([each in kept for each in range(len(tree.labels))])
    assert grammar.log_probability(tree, flags, node) == pytest.approx(twin.log_probability(tree, kept, node))


@given(st.lists(derivations(), min_size=1, max_size=4), small_trees, options)
@settings(max_examples=60, deadline=None)
def test_all_keep_patterns_of_a_production_sum_to_one(
    training: list[DeletionDerivation], tree: Tree, chosen: MarkovOptions
) -> None:
    grammar = train_markov(training, chosen)
    for node in range(len(tree.labels)):
        children = tree.children(node)
        if not children:
            continue
        total = 0.0
        for pattern in product((False, True), repeat=len(children)):
            flags = np.zeros(len(tree.labels), dtype=bool)
            flags[list(children)] = pattern
            total += np.exp(grammar.log_probability(tree, flags, node))
        assert total == pytest.approx(1)


@given(st.lists(derivations(), min_size=1, max_size=4), options)
@settings(max_examples=40, deadline=None)
def test_each_conditional_sums_to_one(training: list[DeletionDerivation], chosen: MarkovOptions) -> None:
    grammar = train_markov(training, chosen)
    for tree in (grammar.head, grammar.left, grammar.right):
        assert np.allclose(np.exp(tree.log_probabilities).sum(axis=1), 1)


def test_the_shipped_grammar_is_the_same_whatever_numpy_computes_with() -> None:
    newer = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    code = """
import hashlib
from pathlib import Path
import laconic
from laconic.systems.markov import Markov
grammar = Markov.load(Path(laconic.__file__).parent / "models/markov").grammar
trees = [tree.log_probabilities.tobytes() for tree in (grammar.head, grammar.left, grammar.right)]
print(hashlib.sha256(b"".join(trees)).hexdigest())
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NPY_DISABLE_CPU_FEATURES": without},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for without in ("", " ".join(newer))
    }
    assert len(found) == 1


def test_contexts_lose_variables_in_the_order_of_the_paper() -> None:
    chosen = MarkovOptions(sisters=2, ancestors=2)
    # Columns: modifier 0 to 2 and head 3 to 5 (category, tag, word), 6 head kept, 7 stop, 8 and 9
    # ancestors, 10 and 11 sisters, 12 and 13 their keeps.
    assert chosen.removal(of_head=True) == (5, 4, 9, 8, 3)
    assert chosen.removal(of_head=False) == (5, 2, 4, 1, 9, 8, 7, 11, 10, 13, 12, 6, 3, 0)
    turned = MarkovOptions(order=PAPER_ORDER[::-1], stops=False, modifier=("word",), head=("category",))
    assert turned.removal(of_head=False) == (3, 6, 10, 9, 8, 2)


def test_words_decide_where_categories_do_not() -> None:
    def derivation(adverb: str, kept: list[int]) -> DeletionDerivation:
        return derive_by_words(Tree.from_nested(("VP", ("RB", adverb), ("VBD", "fell"))), kept)

    training = [derivation("often", [1])] * 20 + [derivation("never", [0, 1])] * 20
    tree = Tree.from_nested(("VP", ("RB", "never"), ("VBD", "fell")))
    kept, dropped = np.array([True, True, True]), np.array([True, False, True])
    lexical = train_markov(training)
    bare = train_markov(training, MarkovOptions(modifier=("category", "tag")))
    assert lexical.log_probability(tree, kept, 0) > lexical.log_probability(tree, dropped, 0) + 2
    assert bare.log_probability(tree, kept, 0) == pytest.approx(bare.log_probability(tree, dropped, 0))


def test_binary_histories_delete_an_adverb_with_its_comma() -> None:
    tree = Tree.from_nested(
        ("S", ("ADVP", ("RB", "Now")), (",", ","), ("NP", ("NN", "rain")), ("VP", ("VBD", "fell")))
    )
    training = [derive_by_words(tree, [2, 3])] * 30 + [derive_by_words(tree, [0, 1, 2, 3])] * 30
    for sisters, dangling in ((1, False), (0, True)):
        grammar = train_markov(training, MarkovOptions(sisters=sisters))
        scores = {}
        for adverb, comma in product((False, True), repeat=2):
            flags = np.ones(len(tree.labels), dtype=bool)
            flags[list(tree.children(0)[:2])] = adverb, comma
            scores[adverb, comma] = grammar.log_probability(tree, flags, 0)
        together = min(scores[False, False], scores[True, True])
        assert (scores[True, False] > together - 1) == dangling


@given(st.lists(derivations(), min_size=2, max_size=4), options)
@settings(max_examples=40, deadline=None)
def test_decisions_observed_once_serve_all_lower_orders_and_amounts(
    training: list[DeletionDerivation], chosen: MarkovOptions
) -> None:
    observer = Observer(sisters=3, ancestors=3)
    observer.see(training[:1])
    first = observer.seen()
    observer.see(training[1:])
    for seen, part in ((first, training[:1]), (observer.seen(), training)):
        found, expected = estimate_grammar(seen, chosen), train_markov(part, chosen)
        assert (found.lexicon.labels, found.lexicon.words) == (
            expected.lexicon.labels,
            expected.lexicon.words,
        )
        for one, other in zip(found.distributions, expected.distributions, strict=True):
            assert all(np.array_equal(*arrays) for arrays in zip(one, other, strict=True))  # type: ignore[arg-type]


def test_unseen_labels_and_words_are_scored() -> None:
    grammar = train_markov([derive_by_words(Tree.from_nested(("S", ("NN", "rain"))), [0])])
    strange = Tree.from_nested(("WAT", ("HUH", "?"), ("X-1", ("HUH", "!"))))
    score = grammar.log_probability(strange, np.array([True, False, True, True]), 0)
    assert np.isfinite(score)


def test_only_what_was_derived_is_learnt() -> None:
    tree = Tree.from_nested(("S", ("NP", ("NN", "rain")), ("VP", ("VBD", "fell"), ("RB", "hard"))))
    derivation = derive_by_words(tree, [0, 1])
    partial = DeletionDerivation(tree, (True, *(False for _ in tree.labels[1:])), derivation.kept)
    assert phrases(partial) == [0]
    grammar = train_markov([partial])
    assert grammar.right.node_count == 1  # nothing right of a head was derived
    assert grammar.left.node_count > 1


def test_mistakes_are_named() -> None:
    with pytest.raises(LaconicError, match="no derivation to train"):
        train_markov([])
    seen = observe([derive_by_words(Tree.from_nested(("S", ("NN", "rain"))), [0])], sisters=2)
    with pytest.raises(LaconicError, match="observed with 2 sisters and 1 ancestors do not serve"):
        estimate_grammar(seen, MarkovOptions(sisters=3))
    with pytest.raises(LaconicError, match="between 0 and 8, not at 9 and 1"):
        MarkovOptions(sisters=9)
    with pytest.raises(LaconicError, match="annotated by category, tag and word"):
        MarkovOptions(head=("lemma",))  # type: ignore[arg-type]
    with pytest.raises(LaconicError, match="names each of"):
        MarkovOptions(order=PAPER_ORDER[1:])
