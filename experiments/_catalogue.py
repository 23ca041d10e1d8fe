"""All experiments by name, found where they are declared."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module

from experiments._experiment import Experiment

from laconic.errors import LaconicError

MODULES = (
    "comparison",
    "examples",
    "annotator",
    "default",
    "prompts",
    "judge",
    "dependency",
    "transducer",
    "rewriting",
    "markov",
    "bayesian",
    "joint",
)
"""Modules with a tuple `EXPERIMENTS`, in the order in which they are shown."""

PROGRAMS = {
    "machines": "whether two machines, or two versions of the runtime, give the same scores and answers",
    "readings": "blind readings: draw sentences, make sheets of answers, score what readers wrote, keep it",
}
"""Programs of their own beside the experiments, and what they find out."""


def experiments() -> Iterator[Experiment]:
    """All experiments."""
    for module in MODULES:
        yield from import_module(f"experiments.{module}").EXPERIMENTS


def chosen(name: str) -> list[Experiment]:
    """The experiment of a name, or all of a group; an unknown name is an error that says which are meant."""
    found = [each for each in experiments() if name in (each.name, each.group)]
    if name in PROGRAMS:
        raise LaconicError(f"{name} is a program of its own: python -m experiments.{name} --help")
    if not found:
        names = [each.name for each in experiments()]
        near = get_close_matches(name, names, n=3, cutoff=0.4) or names
        raise LaconicError(f"no experiment {name!r}; known: {', '.join(near)}")
    return found
