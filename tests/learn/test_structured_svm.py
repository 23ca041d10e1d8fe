"""The structured SVM against quadratic programmes solved elsewhere, and its checkpoints."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from laconic.errors import LaconicError, ModelError
from laconic.learn.interface import Answer, FeatureVector, Weights
from laconic.learn.structured_svm import SvmOptions, SvmProgress, train_svm

SIZE = 4


class Choice:
    """An example with a few answers, of which the first is true."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.all_answers = answers
        self.truth = answers[0].features

    def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:
        return sorted(
            self.all_answers, key=lambda each: -each.features.dot(weights) - loss_scale * each.loss
        )[:k]

    def slack_answer(self, weights: Weights) -> Answer | None:
        def violation(answer: Answer) -> float:
            return answer.loss * (1 - (self.truth - answer.features).dot(weights))

        worst = max(self.all_answers, key=violation)
        return worst if violation(worst) > 0 else None


def choices(seed: int, *, count: int = 5, scale: float = 1.0) -> list[Choice]:
    generator = np.random.default_rng(seed)
    return [
        Choice(
            [
                Answer(FeatureVector.of(range(SIZE), scale * generator.normal(size=SIZE)), float(loss))
                for loss in (0, 1, 2, 3)
            ]
        )
        for _ in range(count)
    ]


def objective(examples: Sequence[Choice], weights: np.ndarray, options: SvmOptions) -> float:
    def violation(example: Choice, answer: Answer) -> float:
        difference = (example.truth - answer.features).dot(weights)
        return answer.loss - difference if options.rescaling == "margin" else answer.loss * (1 - difference)

    risk = np.mean([max(violation(each, answer) for answer in each.all_answers) for each in examples])
    return 0.5 * float(weights @ weights) + options.regularisation * float(risk)


def optimum(examples: Sequence[Choice], options: SvmOptions) -> float:
    """The same minimum with one slack an example, by a general solver."""
    count = len(examples)

    def total(point: np.ndarray) -> float:
        return 0.5 * point[:SIZE] @ point[:SIZE] + options.regularisation * point[SIZE:].mean()

    constraints = []
    for number, example in enumerate(examples):
        for answer in example.all_answers:
            difference = np.zeros(SIZE)
            (example.truth - answer.features).add_to(difference)
            scale = 1.0 if options.rescaling == "margin" else answer.loss
            row = np.zeros(SIZE + count)
            row[:SIZE], row[SIZE + number] = scale * difference, 1.0
            constraints.append(
                {"type": "ineq", "fun": lambda point, row=row, loss=answer.loss: row @ point - loss}
            )
    start = np.concatenate([np.zeros(SIZE), np.full(count, 10.0)])
    return float(minimize(total, start, constraints=constraints, method="SLSQP", tol=1e-10).fun)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["margin", "slack"]), st.sampled_from([0.1, 1.0, 10.0]))
def test_the_minimum_is_found_and_the_gap_is_true(seed: int, rescaling: str, regularisation: float) -> None:
    examples = choices(seed)
    options = SvmOptions(regularisation=regularisation, rescaling=rescaling, gap=1e-4)  # type: ignore[arg-type]
    training = train_svm(examples, SIZE, options)
    expected = optimum(examples, options)
    assert training.progress.gap <= 1e-4
    assert objective(examples, training.weights, options) == pytest.approx(training.progress.objective)
    assert training.progress.bound <= expected + 1e-6
    assert training.progress.objective == pytest.approx(expected, rel=2e-4, abs=1e-6)


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_scaled_features_are_as_good_as_another_c(rescaling: str) -> None:
    """w for features times s under C is w / s for features as they are under C s²."""
    scaled = train_svm(choices(3, scale=2.0), SIZE, SvmOptions(rescaling=rescaling, gap=1e-6))  # type: ignore[arg-type]
    plain = train_svm(choices(3), SIZE, SvmOptions(rescaling=rescaling, gap=1e-6, regularisation=2.0**2))  # type: ignore[arg-type]
    assert 2.0 * scaled.weights == pytest.approx(plain.weights, abs=0.01)


class Counting(Choice):
    """A choice that counts how often it was searched."""

    searches = 0

    def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:
        self.searches += 1
        return super().answers(weights, k=k, loss_scale=loss_scale)


def test_answers_found_once_are_not_searched_again() -> None:
    """Four answers each: at most four searches can show something new, and one that all is known."""
    examples = [Counting(each.all_answers) for each in choices(8, count=30)]
    done = train_svm(examples, SIZE, SvmOptions(gap=1e-6))
    assert done.progress.gap <= 1e-6
    assert {each.searches for each in examples} == {done.progress.iteration}
    assert done.progress.iteration <= 8


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_bounds_only_tighten(seed: int) -> None:
    seen: list[SvmProgress] = []
    train_svm(choices(seed), SIZE, SvmOptions(gap=1e-4), progress=seen.append)
    for earlier, later in pairwise(seen):
        assert later.objective <= earlier.objective
        assert later.bound >= earlier.bound - 1e-9


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_training_goes_on_from_a_checkpoint(tmp_path: Path, rescaling: str) -> None:
    examples = choices(3, count=20)
    path = tmp_path / "state"
    straight = train_svm(examples, SIZE, SvmOptions(rescaling=rescaling, gap=1e-5))  # type: ignore[arg-type]
    stopped = train_svm(
        examples,
        SIZE,
        SvmOptions(rescaling=rescaling, gap=1e-5, iterations=1),  # type: ignore[arg-type]
        checkpoint=path,
    )
    assert stopped.progress.gap > 1e-5
    seen: list[SvmProgress] = []
    resumed = train_svm(
        examples,
        SIZE,
        SvmOptions(rescaling=rescaling, gap=1e-5),  # type: ignore[arg-type]
        checkpoint=path,
        progress=seen.append,
    )
    assert seen[0].iteration == 2
    assert resumed.weights == pytest.approx(straight.weights, abs=0.02)
    assert resumed.progress.gap <= 1e-5
    # A finished run is not repeated.
    again = train_svm(examples, SIZE, SvmOptions(rescaling=rescaling, gap=1e-5), checkpoint=path)  # type: ignore[arg-type]
    assert again.weights.tolist() == resumed.weights.tolist()


def test_checkpoints_of_other_training_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    train_svm(choices(3), SIZE, SvmOptions(iterations=1), checkpoint=path)
    with pytest.raises(ModelError, match="other training"):
        train_svm(choices(3), SIZE, SvmOptions(regularisation=2.0), checkpoint=path)
    with pytest.raises(ModelError, match="other training"):
        train_svm(choices(4), SIZE, SvmOptions(), checkpoint=path)
    (path / "card.json").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match=r"damaged.*; remove the folder to start anew"):
        train_svm(choices(3), SIZE, SvmOptions(), checkpoint=path)
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="start anew"):
        train_svm(choices(3), SIZE, SvmOptions(), checkpoint=tmp_path / "file")


def test_threads_do_not_change_the_result() -> None:
    one, two = (train_svm(choices(5, count=70), SIZE, SvmOptions(threads=threads)) for threads in (1, 2))
    assert one.weights.tolist() == two.weights.tolist()


def test_separable_choices_are_learnt() -> None:
    """Unregularised enough, the learner gives every truth its margin."""
    truth = np.array([1.0, -1.0, 0.5, 0.0])
    generator = np.random.default_rng(0)
    examples = []
    for _ in range(10):
        vectors = sorted(
            (generator.normal(size=SIZE) for _ in range(3)), key=lambda vector: -float(truth @ vector)
        )
        examples.append(
            Choice(
                [
                    Answer(FeatureVector.of(range(SIZE), each), float(place > 0))
                    for place, each in enumerate(vectors)
                ]
            )
        )
    weights = train_svm(examples, SIZE, SvmOptions(regularisation=1e4, gap=0.05)).weights
    assert all(example.answers(weights)[0].loss == 0 for example in examples)


def test_options_are_checked() -> None:
    with pytest.raises(LaconicError, match="no examples"):
        train_svm([], SIZE)
    with pytest.raises(LaconicError, match="above 0"):
        SvmOptions(regularisation=0)
    with pytest.raises(LaconicError, match="'margin' or 'slack'"):
        SvmOptions(rescaling="loss")  # type: ignore[arg-type]

    class OnlyMargin:
        truth = FeatureVector.of([], [])

        def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:
            return [Answer(self.truth, 0.0)]

    with pytest.raises(LaconicError, match="slack_answer"):
        train_svm([OnlyMargin()], SIZE, SvmOptions(rescaling="slack"))
