"""Learners keep their laws: averages, margins, duals; what is separable is learnt; threads change nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError, ModelError
from laconic.learn.frank_wolfe import FrankWolfe
from laconic.learn.interface import Observation
from laconic.learn.mira import Mira, dual_steps
from laconic.learn.perceptron import Perceptron
from laconic.learn.training import Schedule, train
from tests.learn.toys import mistakes, separable_examples
from tests.storage.crafting import craft

SIZE = 30
LEARNERS = {
    "perceptron": lambda examples: Perceptron(SIZE),
    "perceptron with margin": lambda examples: Perceptron(SIZE, loss_scale=1.0),
    "mira": lambda examples: Mira(SIZE, aggressiveness=10.0),
    "mira of 3": lambda examples: Mira(SIZE, k=3, aggressiveness=10.0),
    "frank-wolfe": lambda examples: FrankWolfe(SIZE, examples, regularisation=1e-3),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_what_is_separable_is_refitted(name) -> None:
    for seed in range(3):
        examples = separable_examples(seed)
        assert mistakes(examples, np.zeros(SIZE)) == len(examples)
        training = train(
            LEARNERS[name](len(examples)),  # type: ignore[arg-type]
            examples,
            generator=np.random.default_rng(seed),
            schedule=Schedule(epochs=60),
        )
        assert mistakes(examples, training.weights) == 0


@pytest.mark.parametrize("name", LEARNERS)
def test_threads_change_nothing_and_seeds_repeat(name) -> None:
    examples = separable_examples(7)

    def weights(threads: int, seed: int) -> np.ndarray:
        learner = LEARNERS[name](len(examples))
        generator = np.random.default_rng(seed)
        schedule = Schedule(epochs=3, threads=threads)
        return train(learner, examples, generator=generator, schedule=schedule).weights  # type: ignore[arg-type]

    assert np.array_equal(weights(1, 0), weights(4, 0))
    assert not np.array_equal(weights(1, 0), weights(1, 1))


def observations(examples, weights, k=1, loss_scale=0.0):
    return [
        Observation(number, example, example.answers(weights, k=k, loss_scale=loss_scale))
        for number, example in enumerate(examples)
    ]


@given(st.integers(0, 100), st.integers(1, 4))
@settings(max_examples=20)
def test_the_perceptron_is_the_naive_average(seed, batch) -> None:
    examples = separable_examples(seed, examples=8)
    learner = Perceptron(SIZE, loss_scale=0.5)
    current, history = np.zeros(SIZE), []
    for _ in range(3):
        for start in range(0, len(examples), batch):
            part = examples[start : start + batch]
            shown = observations(part, learner.weights, loss_scale=0.5)
            learner.update(shown)
            for observation in shown:
                change = observation.example.truth - observation.answers[0].features
                change.add_to(current, 1 / len(part))
            history.append(current.copy())
            assert learner.weights == pytest.approx(current)
    assert learner.result() == pytest.approx(np.mean(history, axis=0))


@given(st.integers(0, 100), st.sampled_from([1, 3]))
@settings(max_examples=20)
def test_mira_satisfies_its_margins_and_averages(seed, k) -> None:
    learner = Mira(SIZE, k=k, aggressiveness=1e6)
    history = []
    for example in separable_examples(seed, examples=6):
        [observation] = observations([example], learner.weights, k=k, loss_scale=1.0)
        before = learner.weights.copy()
        learner.update([observation])
        history.append(learner.weights.copy())
        for answer in observation.answers:
            margin = (example.truth - answer.features).dot(learner.weights)
            assert margin >= answer.loss - 1e-6
        if np.array_equal(before, learner.weights):
            assert all(
                (example.truth - answer.features).dot(before) >= answer.loss - 1e-9
                for answer in observation.answers
            )
    assert learner.result() == pytest.approx(np.mean(history, axis=0))


@given(st.integers(0, 1000), st.integers(1, 4), st.sampled_from([0.05, 0.5, 100.0]))
@settings(max_examples=40)
def test_dual_steps_are_optimal(seed, count, total) -> None:
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(count, 5))
    gram, gaps = rows @ rows.T, generator.normal(size=count)
    alpha = dual_steps(gram, gaps, total)
    assert np.all(alpha >= 0.0)
    assert alpha.sum() <= total * (1 + 1e-9)
    # The conditions of Karush, Kuhn and Tucker: slopes of used answers are equal to the price of the total.
    slope = gaps - gram @ alpha
    price = max(0.0, float(slope.max())) if alpha.sum() >= total * (1 - 1e-9) else 0.0
    assert np.all(slope <= price + 1e-6)
    assert np.all((alpha < 1e-9) | (np.abs(slope - price) < 1e-5))


def test_one_best_mira_is_its_closed_form() -> None:
    example = separable_examples(3, examples=1)[0]
    for aggressiveness in (1e-3, 1e3):
        learner = Mira(SIZE, aggressiveness=aggressiveness)
        [observation] = observations([example], learner.weights, loss_scale=1.0)
        change = example.truth - observation.answers[0].features
        learner.update([observation])
        step = min(aggressiveness, observation.answers[0].loss / change.squared_norm)
        expected = np.zeros(SIZE)
        change.add_to(expected, step)
        assert learner.weights == pytest.approx(expected)


def primal(examples, weights, regularisation):
    worst = [example.answers(weights, loss_scale=1.0)[0] for example in examples]
    hinges = [
        answer.loss - (example.truth - answer.features).dot(weights)
        for example, answer in zip(examples, worst, strict=True)
    ]
    return 0.5 * regularisation * weights @ weights + np.mean(hinges)


@pytest.mark.parametrize("batch", [1, 4])
def test_the_dual_rises_to_the_primal(batch: int) -> None:
    examples = separable_examples(1)
    learner = FrankWolfe(SIZE, len(examples), regularisation=0.05)
    objective = learner.objective
    gaps = []
    for _ in range(200):
        for start in range(0, len(examples), batch):
            shown = observations(examples, learner.weights, loss_scale=1.0)[start : start + batch]
            learner.update(shown)
            assert learner.objective >= objective - 1e-12
            objective = learner.objective
        gaps.append(primal(examples, learner.weights, 0.05) - objective)
    assert min(gaps) >= -1e-9
    assert gaps[-1] < 0.05 * gaps[0]


def test_frank_wolfe_is_a_weighted_average() -> None:
    examples = separable_examples(2, examples=5)
    learner = FrankWolfe(SIZE, len(examples), regularisation=0.1)
    total, weight = np.zeros(SIZE), 0
    for step in range(1, 21):
        shown = observations(examples, learner.weights, loss_scale=1.0)[step % 5 : step % 5 + 1]
        learner.update(shown)
        total += step * learner.weights
        weight += step
    assert learner.result() == pytest.approx(total / weight)


def test_stopping_early_keeps_the_best() -> None:
    examples = separable_examples(4)
    held_out = iter([0.1, 0.5, 0.4, 0.5, 0.3, 0.9])
    results, calls = [], []

    def validate(weights):
        results.append(weights)
        return next(held_out)

    training = train(
        Perceptron(SIZE),
        examples,
        generator=np.random.default_rng(0),
        schedule=Schedule(epochs=6, patience=3, batch=5),
        validate=validate,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert (training.epoch, training.scores) == (2, (0.1, 0.5, 0.4, 0.5, 0.3))
    assert np.array_equal(training.weights, results[1])
    assert calls[:3] == [(5, 72), (10, 72), (12, 72)]
    assert calls[-1] == (60, 72)


def test_bad_options_are_named() -> None:
    with pytest.raises(LaconicError, match="there are no examples"):
        train(Perceptron(SIZE), [], generator=np.random.default_rng(0))
    with pytest.raises(LaconicError, match="at least 1 each"):
        Schedule(batch=0)
    with pytest.raises(LaconicError, match="k of at least 1"):
        Mira(SIZE, k=0)
    with pytest.raises(LaconicError, match="regularisation above 0"):
        FrankWolfe(SIZE, 3, regularisation=0.0)


@pytest.mark.parametrize("validated", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_stopped_training_goes_on_as_if_it_had_not_been(name, validated: bool, tmp_path: Path) -> None:
    examples = separable_examples(3)
    validate = (lambda weights: -mistakes(examples, weights) - abs(weights).sum()) if validated else None

    def training(epochs, checkpoint=None, seed=0):
        return train(
            LEARNERS[name](len(examples)),  # type: ignore[arg-type]
            examples,
            generator=np.random.default_rng(seed),
            schedule=Schedule(epochs=epochs, patience=2),
            validate=validate,
            checkpoint=checkpoint,
        )

    straight = training(6)
    # The state of the generator is stored too, so that another seed changes nothing.
    for epochs, seed in ((1, 0), (3, 5), (6, 6), (6, 7)):
        resumed = training(epochs, tmp_path, seed)
    assert (resumed.epoch, resumed.scores) == (straight.epoch, straight.scores)
    assert np.array_equal(resumed.weights, straight.weights)


def test_a_checkpoint_of_other_training_is_refused(tmp_path: Path) -> None:
    def training(learner, examples, **schedule) -> None:
        plan = Schedule(epochs=1, **schedule)
        train(learner, examples, generator=np.random.default_rng(0), schedule=plan, checkpoint=tmp_path)

    examples = separable_examples(1)
    training(Mira(SIZE), examples)
    others = (  # type: ignore[var-annotated]
        (Mira(SIZE, aggressiveness=1.0), examples, {}),
        (Perceptron(SIZE), examples, {}),
        (Mira(SIZE + 1), examples, {}),
        (Mira(SIZE), separable_examples(2), {}),
        (Mira(SIZE), examples, {"batch": 3}),
    )
    for learner, shown, schedule in others:
        with pytest.raises(ModelError, match=r"other training.*remove the folder to start anew"):
            training(learner, shown, **schedule)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arrays": {"state.learner.weights": np.zeros(3)}}, "`state.learner.weights` must be"),
        ({"arrays": {"state.learner.parts.features": np.full(9, 2**40)}}, "must be"),
        ({"arrays": {"state.best": np.full(SIZE, np.nan)}}, "`state.best` must be"),
    ],
)
def test_what_a_checkpoint_holds_is_checked(changes, message: str, tmp_path: Path) -> None:
    examples = separable_examples(1)

    def training() -> None:
        learner = FrankWolfe(SIZE, len(examples), regularisation=0.1)
        train(learner, examples, generator=np.random.default_rng(0), checkpoint=tmp_path)

    training()
    craft(tmp_path, **changes)
    with pytest.raises(ModelError, match=message):
        training()
