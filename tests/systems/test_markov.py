"""The Markov grammar as a system: every budget is met exactly, it refits a toy corpus, folders round-trip."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from laconic.budget import Budget, TextCost
from laconic.budgets import Request
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.grammar.markov import MarkovOptions
from laconic.learn.witten_bell import Additive
from laconic.sentence import Sentence
from laconic.systems.markov import Markov
from laconic.systems.system import System
from laconic.text.tokenise import tokenise
from tests.storage.crafting import craft
from tests.systems.strategies import requests
from tests.systems.toy_grammars import flat_tree, toy_pairs


@pytest.fixture(scope="module")
def system() -> Markov:
    return Markov().fit(toy_pairs())


def allowed(request: Request) -> list[Compression]:
    """Every compression but the empty one that keeps to a request, all its words in its text, and says something."""
    sentence = request.sentence
    found = []
    for size in range(1, len(sentence) + 1):
        for kept in combinations(range(len(sentence)), size):
            if request.keep <= set(kept) and not request.drop & set(kept):
                compression = Compression.by_deletion(sentence, kept)
                if compression.standing != compression.words:
                    continue
                words = [word for word in range(len(sentence)) if word not in request.drop]
                has_words = any(any(map(str.isalnum, sentence.words[word])) for word in words)
                if has_words and not request.keep and not any(map(str.isalnum, compression.text)):
                    continue
                if request.least <= request.cost(compression) <= request.most:
                    found.append(compression)
    return found


@given(requests())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_request_is_met_or_refused_for_good_reason(
    system: Markov, asked: tuple[Sentence, Budget | None, list[int], list[int]]
) -> None:
    sentence, budget, keep, drop = asked
    if len(sentence) > 6:
        return
    sentence = flat_tree(sentence)
    request = Request.of(sentence, budget, keep, drop)
    try:
        answer = system.compress(sentence, budget, keep=keep, drop=drop)
    except InfeasibleBudget:
        assert allowed(request) == []
        return
    assert answer.kept is not None
    assert request.least <= request.cost(answer) <= request.most
    assert set(keep) <= set(answer.kept)
    assert not set(drop) & set(answer.kept)
    if answer.kept:
        assert answer.tree is not None
        assert answer.tree.words == answer.words
    else:
        assert len(drop) == len(sentence)
    exact = budget is None or budget.unit == "pieces" or callable(budget.unit)
    if exact and answer.kept:
        decoder = system.decoder(sentence)

        def score(compression: Compression) -> float:
            pins = np.full(len(sentence), -np.inf)
            pins[list(compression.kept or ())] = np.inf
            return decoder.best(prices=pins).score

        # Marks that do not stand in the text count in the score.
        assert answer.score is not None
        assert answer.score >= max(map(score, allowed(request))) - 1e-6


def test_it_refits_a_toy_corpus() -> None:
    pairs = toy_pairs() * 20
    for smoothing in (None, Additive(0.1)):
        system = Markov(smoothing=smoothing).fit(pairs)
        for pair in pairs[:4]:
            assert system.compress(pair.source).kept == pair.kept[0]


def test_it_is_a_system(system: Markov) -> None:
    assert isinstance(system, System)
    assert system.name == "markov"


def test_k_best_and_every_length(system: Markov) -> None:
    sentence = toy_pairs()[1].source
    decoder = system.decoder(sentence)
    best = decoder.k_best(10)
    assert len({found.kept for found in best}) == 10
    assert [found.score for found in best] == sorted((found.score for found in best), reverse=True)
    frontier = decoder.frontier()
    for length in range(1, len(sentence) + 1):
        answer = system.compress(sentence, Budget.exactly(length, unit="pieces"))
        assert answer.score is not None
        assert answer.score <= frontier.scores[length] + 1e-6  # less where a mark would not stand in the text
        assert len(answer.standing) == length


def test_characters_and_costs_of_the_text_are_those_of_the_final_text(system: Markov) -> None:
    sentence = toy_pairs()[1].source
    for most in range(6, 40, 3):
        assert len(system.compress(sentence, Budget.at_most(most, unit="characters")).text) <= most
    vowels = TextCost(lambda text: sum(letter in "aeiou" for letter in text), "vowels")
    answer = system.compress(sentence, Budget.exactly(5, unit=vowels))
    assert vowels.count(answer.text) == 5


def test_a_price_of_words_and_a_language_model_change_the_answer_not_the_guarantee() -> None:
    base = Markov().fit(toy_pairs())
    sentence = toy_pairs()[1].source
    greedy = Markov(base.grammar, word_price=50)
    assert len(greedy.compress(sentence).words) == len(sentence)
    assert greedy.compress(sentence, keep=[0]).score == pytest.approx(greedy.compress(sentence).score)
    mixed = Markov(base.grammar, language_weight=1.0)
    for length in range(1, len(sentence) + 1):
        answer = mixed.compress(sentence, Budget.exactly(length, unit="pieces"), keep=[3])
        assert len(answer.words) == length
        assert 3 in (answer.kept or ())


def test_the_price_of_a_word_is_chosen_on_development_pairs() -> None:
    pairs = toy_pairs()
    whole = [
        replace(pair, references=(pair.source.words,), kept=(tuple(range(len(pair.source))),))
        for pair in pairs
    ]
    system = Markov(smoothing=Additive(9.0), least=3)
    assert system.fit(pairs).word_price == 0.0
    assert system.fit(pairs, development=whole).word_price > 0.0
    assert system.fit(pairs).calibrated(whole, prices=(0.0, 9.0, -9.0)).word_price == 9.0


def test_matchings_learn_from_what_they_can_use() -> None:
    pairs = toy_pairs()
    words, strict, edits = (Markov(matching=matching) for matching in ("words", "strict", "edits"))
    assert len(list(words.derivations(pairs))) == len(pairs)
    with_trees = [
        type(pair)(
            pair.id,
            pair.source,
            pair.references,
            pair.kept,
            reference_trees=(flat_tree(Sentence.from_words(pair.references[0])).tree,),  # type: ignore[arg-type]
        )
        for pair in pairs
    ]
    for system in (strict, edits):
        with pytest.raises(LaconicError, match="one tree has the root 'ROOT'"):
            list(system.derivations(with_trees))
    with pytest.raises(LaconicError, match="words, strict or edits"):
        Markov(matching="best")  # type: ignore[arg-type]


def test_saving_and_loading_gives_the_same_answers(tmp_path: Path) -> None:
    options = MarkovOptions(sisters=2, ancestors=2, head=("category", "word"), stops=False)
    system = Markov(options=options, word_price=0.25).fit(toy_pairs())
    system.save(tmp_path)
    again = Markov.load(tmp_path)
    assert again.options == options
    assert again.word_price == 0.25
    for pair in toy_pairs():
        one, other = system.compress(pair.source), again.compress(pair.source)
        assert one.kept == other.kept
        assert one.score == pytest.approx(other.score, abs=0.02)


def test_damaged_models_are_named(tmp_path: Path, system: Markov) -> None:
    with pytest.raises(ModelError, match="not trained"):
        Markov().compress(toy_pairs()[0].source)
    with pytest.raises(ModelError, match="not trained cannot be saved"):
        Markov().save(tmp_path)
    system.save(tmp_path)
    with pytest.raises(LaconicError, match="finite number"):
        Markov(word_price=np.nan)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arrays": {"head.counts": np.full(3, 200, np.uint8)}}, "`head.values` must be"),
        ({"arrays": {"head.odds": np.zeros((3, 1))}}, "`head.odds` must be"),
        ({"arrays": {"head.counts": np.array([[1]], np.uint8)}}, "`head.counts` must be"),
        ({"settings": {"word_price": "1"}}, "`word_price` must be a number"),
        ({"settings": {"options": {"sisters": 2**30}}}, "`options.sisters` must be"),
        ({"settings": {"head": 3}}, "`head` must be an object"),
    ],
)
def test_kernels_never_see_what_they_would_not_survive(
    tmp_path: Path, system: Markov, change: dict[str, Any], message: str
) -> None:
    system.save(tmp_path)
    craft(tmp_path, **change)
    with pytest.raises(ModelError, match=message):
        Markov.load(tmp_path)


def test_children_beyond_the_tree_are_refused(tmp_path: Path, system: Markov) -> None:
    system.save(tmp_path)
    assert system.grammar is not None
    nodes = system.grammar.left.node_count
    for counts in (
        np.full(nodes, 200, np.uint8),
        np.eye(1, nodes, nodes - 1, dtype=np.uint8)[0] * (nodes - 1),
    ):
        craft(tmp_path, arrays={"left.counts": counts.astype(np.uint64)})
        with pytest.raises(ModelError, match=r"`left\.counts` must be the children of each"):
            Markov.load(tmp_path)


def test_an_empty_sentence_stays_empty(system: Markov) -> None:
    assert system.compress(tokenise("  ")).text == ""
    with pytest.raises(InfeasibleBudget):
        system.compress(tokenise(""), Budget.exactly(1, unit="pieces"))
    with pytest.raises(LaconicError, match="an empty sentence has no tree"):
        system.decoder(tokenise(""))
    assert system.decoder(tokenise("It fell.")).best().kept  # it is parsed
