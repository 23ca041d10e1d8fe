"""The forest of all deletions: every subset once, scored by equation 7; every question by enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.decode.contract import Limit
from laconic.decode.deletion_forest import deletion_forest
from laconic.decode.forest_decoder import ForestDecoder
from laconic.errors import InfeasibleBudget
from laconic.grammar.deletion_scfg import DeletionDerivation, derive_by_words
from laconic.grammar.markov import MarkovGrammar, MarkovOptions
from laconic.learn.markov import train_markov
from laconic.trees.constituency import Tree
from tests.grammar.deletions import derivations, options, small_trees
from tests.oracles.forest import ForestTwin
from tests.oracles.markov import phrases


def subsets(words: int) -> list[tuple[int, ...]]:
    return [kept for size in range(1, words + 1) for kept in combinations(range(words), size)]


def score(grammar: MarkovGrammar, tree: Tree, words: tuple[int, ...]) -> float:
    """The sum of equation 7 over the phrases that stay."""
    derivation = derive_by_words(tree, words)
    flags = np.array(derivation.kept)
    return sum(grammar.log_probability(tree, flags, node) for node in phrases(derivation))


@given(st.lists(derivations(), min_size=1, max_size=4), small_trees, options)
@settings(max_examples=60, deadline=None)
def test_every_subset_of_words_has_one_derivation_with_its_probability(
    training: list[DeletionDerivation], tree: Tree, chosen: MarkovOptions
) -> None:
    grammar = train_markov(training, chosen)
    found = {
        derivation.symbols: derivation.score
        for derivation in ForestTwin(deletion_forest(grammar, tree)).derivations
    }
    assert sorted(found) == sorted(subsets(len(tree.words)))
    assert len(ForestTwin(deletion_forest(grammar, tree)).derivations) == len(found)
    for words, forest_score in found.items():
        assert forest_score == pytest.approx(score(grammar, tree, words))


@given(st.lists(derivations(), min_size=1, max_size=4), small_trees, options, st.data())
@settings(max_examples=30, deadline=None)
def test_best_k_best_every_length_and_pins_equal_enumeration(
    training: list[DeletionDerivation], tree: Tree, chosen: MarkovOptions, data: st.DataObject
) -> None:
    grammar = train_markov(training, chosen)
    words = len(tree.words)
    decoder = ForestDecoder(deletion_forest(grammar, tree), words=words)
    scores = {kept: score(grammar, tree, kept) for kept in subsets(words)}
    ranked = sorted(scores.values(), reverse=True)
    assert decoder.best().score == pytest.approx(ranked[0])
    assert [found.score for found in decoder.k_best(5)] == pytest.approx(ranked[:5])
    frontier = decoder.frontier()
    for length in range(1, words + 1):
        best = max(value for kept, value in scores.items() if len(kept) == length)
        assert frontier.scores[length] == pytest.approx(best)
        assert len(frontier.solution(length).kept) == length
        assert decoder.best(limit=Limit(length, length)).score == pytest.approx(best)
    pinned = data.draw(st.integers(0, words - 1))
    prices = np.zeros(words)
    prices[pinned] = np.inf
    with_pin = max(value for kept, value in scores.items() if pinned in kept)
    assert decoder.best(prices=prices).score == pytest.approx(with_pin)


def toy_grammar(options: MarkovOptions | None = None) -> MarkovGrammar:
    tree = Tree.from_nested(("S", ("NP", ("JJ", "hard"), ("NN", "rain")), ("VP", ("VBD", "fell"))))
    return train_markov([derive_by_words(tree, [1, 2]), derive_by_words(tree, [0, 1, 2])], options)


@pytest.mark.parametrize("sisters", [0, 3])
def test_a_production_of_forty_children(sisters: int) -> None:
    tree = Tree.from_nested(("NP", *(("NN", f"w{number}") for number in range(40))))
    decoder = ForestDecoder(
        deletion_forest(toy_grammar(MarkovOptions(sisters=sisters)), tree), words=len(tree.words)
    )
    frontier = decoder.frontier()
    assert np.all(np.isfinite(frontier.scores[1:]))
    assert len(frontier.solution(17).kept) == 17


def test_a_chain_of_unaries_and_a_single_word() -> None:
    nested: tuple[object, ...] = ("NN", "rain")
    for _ in range(50):
        nested = ("NP", nested)
    for tree in (Tree.from_nested(nested), Tree.from_nested(("NN", "rain"))):
        forest = deletion_forest(toy_grammar(), tree)
        decoder = ForestDecoder(forest, words=1)
        assert decoder.best().kept == (0,)
        with pytest.raises(InfeasibleBudget, match="possible: 1"):
            decoder.best(limit=Limit(0, 0))


def test_the_forest_grows_linearly_with_the_sentence() -> None:
    grammar = toy_grammar()
    sizes = []
    for count in (100, 200):
        phrases = (("NP", ("JJ", "hard"), ("NN", "rain")) for _ in range(count))
        sizes.append(deletion_forest(grammar, Tree.from_nested(("S", *phrases))).edge_count)
    assert sizes[1] < 2.05 * sizes[0]
