"""The log-linear learner climbs the likelihood of the truth, and its gradient is what finite differences say."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.learn.interface import Observation
from laconic.learn.log_linear import LogLinear, Mean
from laconic.learn.training import Schedule, train
from tests.learn.toys import mistakes, separable_examples

SIZE = 30


def lack(examples, weights, variance):
    """What the likelihood lacks, with the prior: what learning brings down."""
    missing = sum(example.mean_answer(weights).loss for example in examples)
    return missing + float(weights @ weights) / (2 * variance)


@pytest.mark.parametrize("loss_scale", [0.0, 1.0])
def test_truth_less_mean_is_the_gradient(loss_scale: float) -> None:
    for example in separable_examples(0):
        weights = np.random.default_rng(1).normal(size=SIZE)
        [answer] = Mean(example).answers(weights, loss_scale=loss_scale)
        dense = np.zeros(SIZE)
        (answer.features - example.truth).add_to(dense)
        for feature in range(SIZE):
            step = np.zeros(SIZE)
            step[feature] = 1e-5
            up, down = (
                example.mean_answer(weights + way, loss_scale=loss_scale).loss for way in (step, -step)
            )
            assert dense[feature] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_the_optimum_is_found() -> None:
    examples, variance = separable_examples(3), 5.0
    schedule = Schedule(epochs=400, patience=400, batch=len(examples))
    learner = LogLinear(SIZE, len(examples), variance=variance, rate=1.0)
    train(learner, [Mean(each) for each in examples], generator=np.random.default_rng(0), schedule=schedule)
    gradient = learner.weights / variance
    for example in examples:
        (example.mean_answer(learner.weights).features - example.truth).add_to(gradient)
    assert np.abs(gradient).max() < 0.02
    assert lack(examples, learner.weights, variance) < lack(examples, np.zeros(SIZE), variance) / 3


def test_what_is_separable_is_refitted() -> None:
    examples = separable_examples(5)
    learner = LogLinear(SIZE, len(examples), variance=1e4)
    means = [Mean(each) for each in examples]
    training = train(learner, means, generator=np.random.default_rng(0), schedule=Schedule(epochs=60))
    assert mistakes(examples, training.weights) == 0


def test_the_result_is_the_mean_of_all_steps() -> None:
    [example, *_] = separable_examples(2)
    learner = LogLinear(SIZE, 1)
    seen = []
    for _ in range(3):
        [answer] = Mean(example).answers(learner.weights)
        learner.update([Observation(0, Mean(example), [answer])])
        seen.append(learner.weights.copy())
    assert learner.result() == pytest.approx(np.mean(seen, axis=0))


def test_options_are_checked() -> None:
    for options in ({"examples": 0}, {"examples": 1, "variance": 0.0}, {"examples": 1, "rate": 0.0}):
        with pytest.raises(LaconicError, match="a log-linear model needs examples"):
            LogLinear(SIZE, **options)
