"""The structured support vector machine by cutting planes (Tsochantaridis et al. 2005; Joachims et al. 2009).

minimise over w:  ½ ‖w‖² + C · mean over examples of the greatest violation, which is

    margin rescaling:  max over answers of  loss - w · (truth - answer),
    slack rescaling:   max over answers of  loss · (1 - w · (truth - answer)).

All examples share one slack: the mean of their worst answers is one cutting plane. Searching these answers is
what takes time, so all that were found are remembered; the worst of them make a plane too, at almost no cost,
and between two searches the problem is solved for what is known so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from laconic.errors import LaconicError
from laconic.learn.checkpoints import packed, training_identity, unpacked
from laconic.learn.cutting_plane import CuttingPlanes, Plane
from laconic.learn.interface import Answer, Example, FeatureVector, Weights
from laconic.learn.violations import Violations
from laconic.storage import Checkpoint, Content, Stored

_SOLVED = 0.1  # what is known is solved to this part of the gap that is left
_MOST_PLANES = 100  # made of what is known, between two searches


@runtime_checkable
class SlackExample(Protocol):
    """An example that can be asked for the answer that violates a rescaled slack most."""

    def slack_answer(self, weights: Weights) -> Answer | None:
        """The answer of highest loss · (1 - weights · (truth - answer)), or None if none is positive."""
        ...


@dataclass(frozen=True, slots=True)
class SvmOptions:
    """What is minimised and when it is done: at a relative duality gap, or after so many iterations."""

    regularisation: float = 1.0
    rescaling: Literal["margin", "slack"] = "margin"
    gap: float = 0.01
    iterations: int = 300
    threads: int = 2

    def __post_init__(self) -> None:
        if not (self.regularisation > 0 and self.gap > 0 and self.iterations >= 1 and self.threads >= 1):
            raise LaconicError(
                f"C and the gap are above 0, iterations and threads at least 1, not as in {self}"
            )
        if self.rescaling not in ("margin", "slack"):
            raise LaconicError(f"rescaling is 'margin' or 'slack', not {self.rescaling!r}")


@dataclass(frozen=True, slots=True)
class SvmProgress:
    """How far training is: the objective of the best weights so far and its lower bound."""

    iteration: int
    objective: float
    bound: float
    gap: float


@dataclass(frozen=True, slots=True, eq=False)
class SvmTraining:
    """The weights of least objective, and how near to the optimum they are for sure."""

    weights: Weights
    progress: SvmProgress


def train_svm(
    examples: Sequence[Example],
    size: int,
    options: SvmOptions | None = None,
    *,
    checkpoint: Path | None = None,
    progress: Callable[[SvmProgress], None] | None = None,
) -> SvmTraining:
    """Minimise the objective over weights of the given size, all examples being decoded in each iteration.

    The bounds are exact if the examples' answers are. With a `checkpoint`, the state is written to that
    folder after every iteration, and training goes on from it if it is there; one of other examples or options is
    refused.
    """
    if not examples:
        raise LaconicError("nothing to learn from: there are no examples")
    plan = options or SvmOptions()
    if plan.rescaling == "slack" and not all(isinstance(example, SlackExample) for example in examples):
        raise LaconicError("slack rescaling needs examples that answer `slack_answer`; use margin rescaling")
    problem = CuttingPlanes(size, regularisation=plan.regularisation)
    known = Violations(len(examples))
    first = 0
    saved = None
    if checkpoint is not None:
        # Neither when to stop nor the threads matter for going on.
        chosen = {"regularisation": plan.regularisation, "rescaling": plan.rescaling}
        saved = Checkpoint(checkpoint, training_identity("structured SVM", examples, size, **chosen))
        first = saved.resume(lambda stored: _resumed(stored, problem)) or 0
    state = SvmProgress(first, problem.upper, problem.lower, problem.gap)
    with ThreadPoolExecutor(plan.threads) as pool:
        for iteration in range(first + 1, plan.iterations + 1):
            if problem.gap <= plan.gap:
                break
            _search(examples, problem.weights, plan, pool, known)
            problem.add(known.plane(problem.weights))
            _solve(problem, known)
            state = SvmProgress(iteration, problem.upper, problem.lower, problem.gap)
            if saved is not None:
                saved.write(_state(problem, iteration))
            if progress is not None:
                progress(state)
    return SvmTraining(problem.best, state)


def _search(
    examples: Sequence[Example],
    weights: Weights,
    plan: SvmOptions,
    pool: ThreadPoolExecutor,
    known: Violations,
) -> None:
    """Add the examples' worst violations at these weights to those known."""

    def worst(example: Example) -> tuple[FeatureVector, float] | None:
        if plan.rescaling == "margin":
            (answer,) = example.answers(weights, k=1, loss_scale=1.0)
            return example.truth - answer.features, answer.loss
        assert isinstance(example, SlackExample)
        slack = example.slack_answer(weights)
        if slack is None:
            return None
        return (example.truth - slack.features).scaled(slack.loss), slack.loss

    # In order, so that sums do not depend on the threads.
    known.add(pool.map(worst, examples))


def _solve(problem: CuttingPlanes, known: Violations) -> None:
    """Solve the problem of the violations known so far, to a part of the gap of the whole problem."""
    for _ in range(_MOST_PLANES):
        plane = known.plane(problem.weights)
        if problem.objective(plane) - problem.lower <= _SOLVED * (problem.upper - problem.lower):
            break
        problem.add(plane, touches=False)


def _state(problem: CuttingPlanes, iteration: int) -> Content:
    arrays = {
        "best": problem.best,
        "bounds": np.array([problem.upper, problem.lower]),
        "offsets": np.array([plane.offset for plane in problem.planes]),
    }
    return Content({"iteration": iteration}, arrays) | packed([plane.normal for plane in problem.planes])


def _resumed(stored: Stored, problem: CuttingPlanes) -> int:
    """Take up the state of a checkpoint; returns the iterations done."""
    normals = unpacked(stored, len(problem.weights))
    offsets = stored.array("offsets", np.float64, (len(normals),)).tolist()
    upper, lower = stored.array("bounds", np.float64, (2,)).tolist()
    best = stored.array("best", np.float64, problem.weights.shape)
    problem.resume([Plane(*both) for both in zip(normals, offsets, strict=True)], best, upper, lower)
    return stored.whole("iteration", low=1, high=1 << 31)
