"""Options by name: known ones are set wherever they live, others are refused with what there is."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.systems.dependency import Dependency, Discriminative, LearningOptions
from laconic.systems.ngram import Ngram
from laconic.systems.options import configured, options_of
from laconic.systems.registry import SYSTEMS, system_class
from laconic.systems.synchronous import Bayesian, ExpectationMaximisation
from laconic.systems.system import System
from laconic.systems.transducer.system import TreeTransducer

LIGHT = [
    name for name in SYSTEMS if not name.startswith("joint")
]  # those would open the models of their parts


@pytest.mark.parametrize("name", LIGHT)
def test_the_options_of_a_system_set_to_what_they_are_change_nothing(name: str) -> None:
    if not SYSTEMS[name].can_run:
        pytest.skip("not all that it needs is installed")
    system = system_class(name)()
    known = options_of(system)
    given = {each: str(option) for each, option in known.items()}
    again = configured(system, given)
    assert {each: str(option) for each, option in options_of(again.system).items()} == given
    if "options" in again.arguments:
        assert again.arguments["options"] == type(again.arguments["options"])()


def test_options_of_the_system_and_of_what_it_holds_are_set() -> None:
    given = {"concentration": "1e-6", "expansion": "0.5", "sweeps": "7", "chains": "2", "seed": "3"}
    system = configured(Bayesian(), given).system
    assert isinstance(system, Bayesian)
    assert (system.options.concentration, system.options.expansion, system.options.sweeps) == (1e-6, 0.5, 7)
    assert (system.chains, system.seed) == (2, 3)
    weighed = configured(
        ExpectationMaximisation(), {"least_expected": "0", "extraction.whole": "false"}
    ).system
    assert isinstance(weighed, ExpectationMaximisation)
    assert weighed.least_expected == 0 and not weighed.extraction.whole


def test_what_only_fits_together_is_set_together() -> None:
    with pytest.raises(LaconicError, match="siblings only with arcs"):
        configured(Dependency(), {"factors.arcs": "false"})
    found = configured(Dependency(), {"factors.arcs": "false", "factors.siblings": "false"}).system
    assert isinstance(found, Dependency) and not found.factors.arcs


def test_what_fit_takes_is_passed_to_it() -> None:
    plan = configured(
        Discriminative(),
        {"learner": "log-linear", "schedule.epochs": "2", "references": "1", "seed": "5", "bits": "18"},
    )
    options = plan.arguments["options"]
    assert isinstance(options, LearningOptions) and isinstance(plan.system, Discriminative)
    assert (options.learner, options.schedule.epochs, options.references) == ("log-linear", 2, 1)
    assert plan.arguments["generator"].random() == np.random.default_rng(5).random()
    assert plan.system.bits == 18
    assert (
        configured(TreeTransducer(), {"svm.regularisation": "2"}).arguments["options"].svm.regularisation == 2
    )
    assert configured(Discriminative(), {"references": "none"}).arguments["options"].references is None


@pytest.mark.parametrize(
    ("system", "name", "text", "message"),
    [
        (Bayesian(), "sweps", "7", r"no option 'sweps', perhaps sweeps; it has: .*concentration \(100\)"),
        (Bayesian(), "sweeps", "many", "'sweeps' is a whole number, not 'many'"),
        (Bayesian(), "expansion", "x", "'expansion' is a number, not 'x'"),
        (Bayesian(), "expansion", "2", "expansion between 0 and 1"),
        (Bayesian(), "coverage", "all", "one of training, unseen, not 'all'"),
        (Dependency(), "gold_length", "yes", "true or false, not 'yes'"),
        (Ngram(), "ratio", "0.5", "has no option 'ratio'"),  # which it learns
    ],
)
def test_mistakes_say_what_is_meant(system: System, name: str, text: str, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        configured(system, {name: text})
