"""Synchronous grammars as systems: they learn from toy pairs, meet every length, and go on after an interruption."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.budget import Budget
from laconic.budgets import Request
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.grammar.rule_probabilities import RuleProbabilities, deletes
from laconic.grammar.rules import Rule
from laconic.learn.gibbs.chain import GibbsOptions
from laconic.sentence import Sentence
from laconic.systems.synchronous import (
    Bayesian,
    ExpectationMaximisation,
    Synchronous,
    VariationalBayes,
    aligned_deletions,
)
from laconic.text.detokenise import standing
from laconic.trees.transform import restrict
from tests.systems.strategies import requests, sentences
from tests.systems.toy_grammars import flat_tree, toy_pairs

UNTRAINED: tuple[Synchronous, ...] = (
    Bayesian(options=GibbsOptions(1.0, 0.3, sweeps=30)),
    ExpectationMaximisation(iterations=6),
    VariationalBayes(concentration=1.0, expansion=0.3, iterations=6),
)


def pairs() -> list[Pair]:
    """The toy pairs, the tree of a reference being that of the source over the kept words."""
    found = []
    for pair in toy_pairs():
        assert pair.source.tree is not None and pair.kept[0] is not None
        found.append(replace(pair, reference_trees=(restrict(pair.source.tree, pair.kept[0]),)))  # type: ignore[arg-type]
    return found


TRAINED = tuple(system.fit(pairs()) for system in UNTRAINED)
by_name = pytest.mark.parametrize("system", TRAINED, ids=lambda system: system.name)


@by_name
def test_a_toy_corpus_is_learnt(system: Synchronous) -> None:
    assert isinstance(system.rules, RuleProbabilities)
    assert any(isinstance(rule, Rule) and deletes(rule) for rule in system.rules.rules)
    for pair in pairs():
        reference = replace(system, word_price=0.0).compress(
            pair.source, Budget.exactly(len(pair.references[0]), unit="pieces")
        )
        assert reference.kept == pair.kept[0]
        assert reference.tree is not None and reference.tree.words == pair.references[0]


@by_name
@settings(max_examples=25, deadline=None)
@given(sentence=sentences, data=st.data())
def test_any_words_of_any_sentence_can_be_kept(
    system: Synchronous, sentence: Sentence, data: st.DataObject
) -> None:
    if not sentence.words:
        return
    parsed = flat_tree(sentence)
    kept = data.draw(st.sets(st.integers(0, len(sentence) - 1), min_size=1))
    space = system.search_space(parsed)
    found = space.only(tuple(sorted(kept)))
    assert found is not None and set(found.kept) == kept
    answer = space.written(found)
    assert answer.kept == standing(sentence, sorted(kept))  # marks kept in vain are not among its words
    if answer.kept:
        assert answer.tree is not None and answer.tree.words == answer.words
        assert answer.tree.labels[0] == "ROOT"


@by_name
@settings(max_examples=60, deadline=None)
@given(asked=requests())
def test_every_request_is_met_or_refused_for_good_reason(
    system: Synchronous, asked: tuple[Sentence, Budget | None, list[int], list[int]]
) -> None:
    sentence, budget, keep, drop = asked
    if not 0 < len(sentence) <= 6:
        return
    sentence = flat_tree(sentence)
    request = Request.of(sentence, budget, keep, drop)
    try:
        answer = system.compress(sentence, budget, keep=keep, drop=drop)
    except InfeasibleBudget:
        words = [word for word in range(len(sentence)) if word not in drop]
        for size in range(1, len(words) + 1):
            for kept in combinations(words, size):
                one = Compression.by_deletion(sentence, kept)
                stands = one.standing == one.words and (keep or any(map(str.isalnum, one.text)))
                fits = request.least <= request.cost(one) <= request.most
                assert not (set(keep) <= set(kept) and stands and fits), one.text
        return
    assert answer.kept is not None
    assert request.least <= request.cost(answer) <= request.most
    assert set(keep) <= set(answer.kept) and not set(drop) & set(answer.kept)
    assert answer.tree is None or answer.tree.words == answer.words


@by_name
def test_free_choices_are_the_last_resort(system: Synchronous) -> None:
    """Without a budget the best derivation is one of rules, whatever else there is."""
    for pair in pairs():
        best = system.decoder(pair.source).best()
        assert best.derivation is not None
        origins = best.derivation.forest.origins[list(best.derivation.edges)]
        assert (origins >= 0).all()
        assert best.score > -100


@by_name
def test_what_is_saved_is_what_is_loaded(system: Synchronous, tmp_path: Path) -> None:
    system = replace(system, word_price=0.25)
    system.save(tmp_path)
    loaded = type(system).load(tmp_path)
    assert system.rules is not None and loaded.rules is not None
    assert tuple(loaded.rules.rules) == system.rules.rules
    assert loaded.rules.log_probabilities == system.rules.log_probabilities
    assert loaded.word_price == 0.25
    for pair in pairs():
        assert loaded.compress(pair.source).score == system.compress(pair.source).score
        assert [one.text for one in loaded.k_best(pair.source, 3)] == [
            one.text for one in system.k_best(pair.source, 3)
        ]


@pytest.mark.parametrize("untrained", UNTRAINED, ids=lambda system: system.name)
def test_an_interrupted_training_comes_to_the_same(untrained: Synchronous, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop_at(step: int) -> Callable[[int, int], None]:
        def progress(done: int, of: int) -> None:
            assert done <= of
            if done >= step:
                raise Stop

        return progress

    if isinstance(untrained, Bayesian):  # whose state is written every hundred sweeps
        untrained = replace(untrained, options=GibbsOptions(1.0, 0.3, sweeps=120), chains=2)
    with pytest.raises(Stop):
        untrained.fit(
            pairs(), checkpoint=tmp_path, progress=stop_at(210 if isinstance(untrained, Bayesian) else 3)
        )
    assert any(tmp_path.rglob("card.json"))
    resumed, straight = untrained.fit(pairs(), checkpoint=tmp_path), untrained.fit(pairs())
    assert resumed.rules is not None and straight.rules is not None
    assert resumed.rules.rules == straight.rules.rules
    assert resumed.rules.counts == straight.rules.counts


@by_name
def test_the_most_probable_tree_is_that_of_most_samples(system: Synchronous) -> None:
    sentence = pairs()[0].source
    found = system.most_probable_tree(sentence, samples=400, generator=np.random.default_rng(3))
    assert found.score is not None and found.score <= 0
    assert found.tree is not None and found.kept is not None
    drawn = system.decoder(sentence).samples(400, np.random.default_rng(3))
    assert sum(each.kept == found.kept for each in drawn) >= round(400 * np.exp(found.score))
    assert found.tree.words == tuple(sentence.words[word] for word in found.kept)


@by_name
def test_development_pairs_choose_the_price_of_a_word(system: Synchronous) -> None:
    everything = [
        Pair(pair.id, pair.source, (pair.source.words,), (tuple(range(len(pair.source))),))
        for pair in pairs()
    ]
    priced = system.calibrated(everything, prices=(0.0, 50.0))
    assert priced.word_price == 50.0
    assert all(len(priced.compress(pair.source).words) == len(pair.source) for pair in everything)


def test_pairs_without_a_derivation_are_reported_and_left_out() -> None:
    good = pairs()
    other = good[3].source
    assert other.tree is not None
    changed = Pair("changed", good[0].source, (other.words,), (None,), reference_trees=(other.tree,))
    empty = Pair("empty", good[0].source, ((),), ((),))
    heard: list[LaconicError] = []
    system = UNTRAINED[1].fit([changed, *good, empty], on_error=heard.append)
    assert sorted(str(error).split(":")[0] for error in heard) == ["pair 'changed'", "pair 'empty'"]
    assert system.rules is not None and TRAINED[1].rules is not None
    assert system.rules.counts == TRAINED[1].rules.counts
    with pytest.raises(LaconicError, match="no pair to learn from"):
        aligned_deletions([changed], on_error=heard.append)


def test_rules_that_are_hardly_expected_are_left_out_unless_all_are_wanted() -> None:
    def counted(least: float) -> int:
        rules = (
            ExpectationMaximisation(iterations=6, least_expected=least, coverage="unseen").fit(pairs()).rules
        )
        assert rules is not None
        return len(rules.rules)

    everything, some, few = (counted(least) for least in (0.0, 0.001, 1.5))
    assert everything > some > few > 0
    for wrong in (-1.0, float("nan")):
        with pytest.raises(LaconicError, match="expected 0 times or more"):
            ExpectationMaximisation(least_expected=wrong)


def test_untrained_grammars_and_wrong_options_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not trained"):
        Bayesian().compress(pairs()[0].source)
    with pytest.raises(ModelError, match="call `fit` first"):
        Bayesian().save(tmp_path)
    with pytest.raises(LaconicError, match="training or unseen"):
        Bayesian(coverage="all")  # type: ignore[arg-type]
    with pytest.raises(LaconicError, match="above 0"):
        ExpectationMaximisation(added=0.0)
