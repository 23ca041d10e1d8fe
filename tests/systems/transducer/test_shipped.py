"""The model that comes with the package."""

import json
from importlib import resources
from pathlib import Path

import pytest

from laconic.budget import Budget
from laconic.errors import InfeasibleBudget
from laconic.systems.registry import open_system
from laconic.systems.transducer.system import TreeTransducer
from tests.oracles.derivations import derivation_steps
from tests.systems.transducer.test_system import sentence

FOLDER = Path(str(resources.files("laconic"))) / "models" / "transducer"
TREE = (
    "(S (PP (IN On) (NP (NNP Tuesday))) (, ,) (NP (DT the) (JJ large) (NN council)) "
    "(VP (VBD agreed) (S (VP (TO to) (VP (VB lower) (NP (DT the) (NNS fees)))))) (. .))"
)


@pytest.fixture(scope="module")
def shipped() -> TreeTransducer:
    system = open_system("transducer")
    assert isinstance(system, TreeTransducer)
    return system


def test_it_is_small_and_says_where_it_comes_from() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 4 << 20
    card = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
    assert set(card["data"]["licences"]) == {"spoken.train", "written.train"}
    assert card["options"]["gap"] <= 0.06


def test_it_meets_every_length(shipped: TreeTransducer) -> None:
    source = sentence(TREE)
    for length in (1, 5, len(source)):
        assert len(shipped.compress(source, Budget.exactly(length, unit="pieces")).words) == length
    assert len(shipped.compress(source, Budget.at_most(30, unit="characters")).text) <= 30


def test_a_mark_that_must_stay_stands_in_the_text(shipped: TreeTransducer) -> None:
    source = sentence("(S (-LRB- [) (-RRB- ]) (VP (VBD counted)))")
    for most in range(1, 4):
        try:
            assert "[" in shipped.compress(source, Budget.at_most(most, unit="pieces"), keep=["["]).text
        except InfeasibleBudget:
            assert most < 3


def test_its_derivations_can_be_followed(shipped: TreeTransducer) -> None:
    source = sentence(TREE)
    found = shipped.compress(source)
    lines = list(derivation_steps(found.derivation, source.tree))  # type: ignore[arg-type]
    assert lines[0].startswith("[ROOT/ROOT ")
    assert "/" not in lines[-1]
    assert found.tree is not None
    assert found.tree.words == found.words
