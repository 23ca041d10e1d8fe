"""The systems learn, meet every request or refuse it, and survive the disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from laconic.budget import Budget
from laconic.budgets import Request
from laconic.corpora.pair import Pair
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.learn.interface import FeatureVector
from laconic.learn.training import Schedule
from laconic.sentence import Sentence
from laconic.systems.dependency import Dependency, Discriminative, Factors, LearningOptions
from laconic.systems.registry import open_system
from laconic.systems.system import System
from laconic.text.tokenise import tokenise
from laconic.trees.dependency import check_heads, is_projective
from tests.storage.crafting import craft
from tests.systems.dependency.sentences import PRODUCTION
from tests.systems.strategies import requests

KINDS = (Dependency, Discriminative)
PAIRS = [
    Pair.aligned(str(number), tokenise(source), [tokenise(target).words])
    for number, (source, target) in enumerate(
        [
            ("The old bridge was closed today.", "The bridge was closed."),
            ("The new council met yesterday.", "The council met."),
            ("A big storm hit the small town again.", "A storm hit the town."),
            ("Yesterday the young minister resigned.", "the minister resigned."),
            ("The tall man did not see the red car.", "The man did not see the car."),
            ("Shares fell sharply on Monday.", "Shares fell."),
            ("Officials said that the talks failed.", "the talks failed."),
            ("The company, which makes cars, lost money.", "The company lost money."),
        ]
    )
]


@pytest.fixture(scope="module")
def trained() -> dict[str, Dependency | Discriminative]:
    options = LearningOptions(schedule=Schedule(epochs=30, patience=30))
    return {
        kind.name: kind(bits=16).fit(
            PAIRS, development=(), options=options, generator=np.random.default_rng(0)
        )
        for kind in KINDS
    }


@pytest.mark.parametrize("name", ["dependency", "discriminative"])
def test_training_compressions_are_refitted(
    trained: dict[str, Dependency | Discriminative], name: str
) -> None:
    system = trained[name]
    assert isinstance(system, System)
    assert [system.compress(pair.source).kept for pair in PAIRS] == [pair.kept[0] for pair in PAIRS]


@pytest.mark.parametrize(
    ("learner", "strength", "k"),
    [("perceptron", 1.0, 1), ("mira", 1.0, 3), ("frank-wolfe", 1e-3, 1), ("log-linear", 100.0, 1)],
)
def test_every_learner_refits(learner: str, strength: float, k: int) -> None:
    options = LearningOptions(learner=learner, strength=strength, k=k, schedule=Schedule(40, 40))  # type: ignore[arg-type]
    system = Dependency(Factors(siblings=False), bits=16).fit(PAIRS, development=(), options=options)
    assert [system.compress(pair.source).kept for pair in PAIRS] == [pair.kept[0] for pair in PAIRS]


@given(case=requests())
@settings(max_examples=40, deadline=None)
def test_requests_are_met_or_refused(trained: dict[str, Dependency | Discriminative], case) -> None:
    sentence, budget, keep, drop = case
    request = Request.of(sentence, budget, keep, drop)
    for system in trained.values():
        try:
            answer = system.compress(sentence, budget, keep=keep, drop=drop)
        except InfeasibleBudget as error:
            assert budget is not None or keep
            for cost in error.possible or ():
                assert budget is not None
                nearest = Budget.exactly(cost, unit=budget.unit)
                assert (
                    Request.of(sentence, nearest, keep, drop).cost(
                        system.compress(sentence, nearest, keep=keep, drop=drop)
                    )
                    == cost
                )
            continue
        assert answer.kept is not None
        assert set(keep) <= set(answer.kept)
        assert not set(drop) & set(answer.kept)
        if budget is not None:
            assert request.least <= request.cost(answer) <= request.most


def test_every_length_of_words_is_met_with_a_tree(trained: dict[str, Dependency | Discriminative]) -> None:
    system = trained["dependency"]
    scores = []
    for length in range(1, len(PRODUCTION) + 1):
        answer = system.compress(PRODUCTION, Budget.exactly(length, unit="pieces"))
        assert len(answer.words) == length
        assert answer.heads is not None
        check_heads(answer.heads)
        assert is_projective(answer.heads)
        assert answer.tree is not None
        assert answer.tree.words == answer.words
        scores.append(answer.score)
    assert system.compress(PRODUCTION).score == pytest.approx(max(scores))
    for amount, possible in ((len(PRODUCTION) + 1, len(PRODUCTION)), (0, 1)):
        with pytest.raises(InfeasibleBudget, match=f"possible: {possible}$"):
            system.compress(PRODUCTION, Budget.exactly(amount, unit="pieces"))


def test_words_can_be_pinned(trained: dict[str, Dependency | Discriminative]) -> None:
    for system in trained.values():
        everything = range(len(PRODUCTION))
        assert system.compress(PRODUCTION, keep=everything).kept == tuple(everything)
        assert system.compress(PRODUCTION, drop=everything).kept == ()
        assert system.compress(PRODUCTION, Budget.exactly(2, unit="pieces"), keep=[5], drop=[2]).kept != ()


def test_short_and_long_and_empty_sentences(trained: dict[str, Dependency | Discriminative]) -> None:
    for system in trained.values():
        assert system.compress(tokenise("Yes")).text == "Yes"
        assert system.compress(tokenise("")).text == ""
        with pytest.raises(InfeasibleBudget):
            system.compress(tokenise(""), Budget.exactly(1, unit="pieces"))
        many = Sentence.from_words(["a", "b"] * 60)
        assert len(system.compress(many, Budget.exactly(50, unit="pieces")).words) == 50


@pytest.mark.parametrize("name", ["dependency", "discriminative"])
def test_saving_and_loading_gives_the_same_system(
    trained: dict[str, Dependency | Discriminative], name: str, tmp_path: Path
) -> None:
    system = trained[name]
    system.save(tmp_path)
    stored = open_system(tmp_path)
    assert (stored.name, stored.factors, stored.bits) == (name, system.factors, system.bits)  # type: ignore[attr-defined]
    assert np.array_equal(stored.weights.features, system.weights.features)  # type: ignore[attr-defined]
    assert np.array_equal(stored.weights.values, system.weights.values)  # type: ignore[attr-defined]
    assert stored.compress(PRODUCTION, Budget.exactly(4, unit="pieces")) == system.compress(
        PRODUCTION, Budget.exactly(4, unit="pieces")
    )


def test_learning_repeats_with_its_seed_whatever_the_threads() -> None:
    def weights(seed: int, threads: int) -> FeatureVector:
        options = LearningOptions(schedule=Schedule(epochs=2, threads=threads))
        system = Dependency(bits=16).fit(PAIRS, options=options, generator=np.random.default_rng(seed))
        assert system.weights is not None
        return system.weights

    one, same, other = weights(1, 1), weights(1, 3), weights(2, 1)
    assert np.array_equal(one.values, same.values)
    assert not np.array_equal(one.values, other.values)


def test_faults_are_named(trained: dict[str, Dependency | Discriminative], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="'dependency' has not learnt anything yet"):
        Dependency().compress(PRODUCTION)
    with pytest.raises(ModelError, match="nothing to save"):
        Discriminative().save(tmp_path)
    with pytest.raises(LaconicError, match="no pair to learn from"):
        Dependency().fit([Pair.aligned("1", tokenise("It fell."), [["They", "rose"]])])
    with pytest.raises(LaconicError, match="'frank-wolfe' or 'log-linear', not 'luck'"):
        LearningOptions(learner="luck").new_learner(4, 1)  # type: ignore[arg-type]
    trained["discriminative"].save(tmp_path)
    with pytest.raises(ModelError, match="a model of 'discriminative', expected one of 'dependency'"):
        Dependency.load(tmp_path)
    craft(tmp_path, settings={"bits": 4})
    with pytest.raises(ModelError, match="`steps` must be the way to features below 16"):
        Discriminative.load(tmp_path)
    craft(tmp_path, settings={"bits": 62})
    with pytest.raises(ModelError, match="`bits` must be a whole number"):
        Discriminative.load(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_shipped_models_compress(kind: type[Dependency] | type[Discriminative]) -> None:
    system = open_system(kind.name)
    assert isinstance(system, kind)
    sentence = tokenise("The council, which met on Tuesday, plans to consider the matter again.")
    answer = system.compress(sentence, Budget.exactly(8, unit="pieces"))
    assert {"council", "plans", "consider", "matter"} <= set(answer.words)
    folder = Path(open_system.__code__.co_filename).parent.parent / "models" / kind.name
    assert sum(path.stat().st_size for path in folder.iterdir()) < 3 * 2**20
    card = json.loads((folder / "card.json").read_text())
    assert {"training", "licences", "options", "seed", "dev", "command"} <= set(card)
