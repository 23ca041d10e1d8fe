"""The forest of the noisy channel: every subset of words, scored as its definition says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode import channel_forest as module
from laconic.decode.channel_forest import channel_forest
from laconic.decode.forest_decoder import ForestDecoder
from laconic.grammar.deletion_scfg import DeletionDerivation, derive_by_words
from laconic.grammar.noisy_channel import ChannelModel
from laconic.trees.constituency import Tree
from tests.decode.test_deletion_forest import subsets
from tests.grammar.deletions import derivations, small_trees
from tests.oracles import noisy_channel as oracle
from tests.oracles.forest import ForestTwin

training_sets = st.lists(derivations(), min_size=1, max_size=4)


def trained(training: list[DeletionDerivation]) -> ChannelModel:
    return ChannelModel.train([derivation.tree for derivation in training], training)


@given(training_sets, small_trees)
@settings(max_examples=40, deadline=None)
def test_every_subset_of_words_has_its_probability(training: list[DeletionDerivation], tree: Tree) -> None:
    model = trained(training)
    found = ForestTwin(channel_forest(model, tree)).derivations
    assert sorted(derivation.symbols for derivation in found) == sorted(subsets(len(tree.words)))
    for derivation in found:
        assert derivation.score == pytest.approx(oracle.score(model, tree, derivation.symbols))


@pytest.mark.parametrize("counted", [module.MOST_COUNTED, 1])
@given(training_sets, small_trees)
@settings(max_examples=25, deadline=None)
def test_wide_phrases_have_every_subset_and_never_score_more(
    counted: int, training: list[DeletionDerivation], tree: Tree
) -> None:
    model = trained(training)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WIDEST", 0)
        patch.setattr(module, "MOST_COUNTED", counted)
        ranked = ForestTwin(channel_forest(model, tree)).ranked(distinct=True)
    best = {derivation.symbols: derivation.score for derivation in ranked}
    assert sorted(best) == sorted(subsets(len(tree.words)))
    for symbols, score in best.items():
        assert score <= oracle.score(model, tree, symbols) + 1e-9
    everything = tuple(range(len(tree.words)))
    assert best[everything] == pytest.approx(oracle.score(model, tree, everything))


def test_a_wide_phrase_uses_the_templates_that_were_seen() -> None:
    children = [("NN", f"w{number}") for number in range(10)]
    tree = Tree.from_nested(("NP", ("DT", "the"), *children))
    kept = (0, 1, 2)
    model = trained([derive_by_words(tree, kept)])
    scores = {found.symbols: found.score for found in ForestTwin(channel_forest(model, tree)).ranked()[:3]}
    assert scores[kept] == pytest.approx(oracle.score(model, tree, kept))


def test_a_production_of_forty_children_and_unseen_labels() -> None:
    model = trained([derive_by_words(Tree.from_nested(("S", ("NN", "Rain"))), [0])])
    tree = Tree.from_nested(("WAT", *(("HUH", f"w{number}") for number in range(40))))
    frontier = ForestDecoder(channel_forest(model, tree), words=40).frontier()
    assert np.all(np.isfinite(frontier.scores[1:]))
    assert len(frontier.solution(17).kept) == 17


def test_of_a_list_the_best_at_every_length_scores_nearly_as_if_its_words_were_counted() -> None:
    model = trained([derive_by_words(Tree.from_nested(("S", ("NN", "Rain"))), [0])])
    tree = Tree.from_nested(("WAT", *(("HUH", f"w{number}") for number in range(90))))
    priced = channel_forest(model, tree)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_COUNTED", 90)
        counted = channel_forest(model, tree)
    lines, curve = (ForestDecoder(forest, words=90).frontier().scores[1:] for forest in (priced, counted))
    assert np.all(lines <= curve + 1e-9) and np.all(lines > curve - 4.0)
    assert priced.edge_count < counted.edge_count
