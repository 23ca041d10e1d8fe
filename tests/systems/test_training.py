"""Training as a user does: pairs held out, length calibrated, progress told, and a card that says it all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from laconic.corpora.cutting import load_pairs
from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.systems.markov import Markov
from laconic.systems.registry import SYSTEMS, open_system
from laconic.systems.training import Plan, development_scores
from laconic.systems.truncate import Truncate

PLACES = ["Harrow Mill", "Aldermere", "Stone Bay", "Westfold", "Long Eddy", "Marlow", "Ferndale"]
DEEDS = ["closed the old bridge", "opened a new school", "raised the harbour fees", "lost the long strike"]


def write_pairs(path: Path, count: int) -> Path:
    """Raw pairs in which a day and a place are deleted."""
    with path.open("w") as stream:
        for number in range(count):
            deed, place = DEEDS[number % 4], PLACES[number % 7]
            pair = {
                "source": f"The council of {place} {deed} on Monday, officials said.",
                "target": f"The council {deed}." if number % 3 else f"The council of {place} {deed}.",
            }
            stream.write(json.dumps(pair) + "\n")
    return path


def card_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "card.json").read_text())["training"]


def test_the_card_says_what_was_learnt_from_and_how_it_scores(tmp_path: Path) -> None:
    pairs, dev = write_pairs(tmp_path / "pairs.jsonl", 12), write_pairs(tmp_path / "dev.jsonl", 5)
    system = Plan("truncate", pairs, dev).train(tmp_path / "model")
    assert card_of(tmp_path / "model") == {
        "data": {"pairs": 12, "sha256": hashlib.sha256(pairs.read_bytes()).hexdigest()},
        "seed": None,
        "options": {},
        "development": {
            "pairs": 5,
            "sha256": hashlib.sha256(dev.read_bytes()).hexdigest(),
            "scores": development_scores(system, load_pairs(dev)),
        },
    }
    assert open_system(tmp_path / "model") == system


def test_options_reach_the_system_and_its_card(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl", 12)
    Plan("markov", pairs, options={"least": "2", "sisters": "2"}).train(tmp_path / "model")
    options = card_of(tmp_path / "model")["options"]
    assert (options["least"], options["sisters"]) == ("2", "2")
    loaded = open_system(tmp_path / "model")
    assert isinstance(loaded, Markov) and loaded.options.sisters == 2


@pytest.mark.parametrize(("count", "shown", "held"), [(12, 12, 0), (40, 36, 4)])
def test_markov_is_calibrated_though_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, shown: int, held: int
) -> None:
    seen: list[str] = []

    def calibrated(self: Markov, pairs: Iterable[Pair]) -> Markov:
        seen.extend(pair.id for pair in pairs)
        return replace(self, word_price=0.35)

    monkeypatch.setattr(Markov, "calibrated", calibrated)
    found = Plan("markov", write_pairs(tmp_path / "pairs.jsonl", count)).train(tmp_path / "model")
    assert isinstance(found, Markov) and found.word_price == 0.35
    assert seen == (["10", "20", "30", "40"] if held else [str(number + 1) for number in range(12)])
    card = card_of(tmp_path / "model")
    assert card["data"]["pairs"] == shown
    assert card.get("development", {"pairs": 0})["pairs"] == held


def test_progress_is_told_by_systems_that_have_none_of_their_own(tmp_path: Path) -> None:
    news: list[tuple[int, int | None]] = []
    pairs = write_pairs(tmp_path / "pairs.jsonl", 3)
    Plan("truncate", pairs).train(tmp_path / "model", progress=lambda *step: news.append(step))
    assert news == [(1, 3), (2, 3), (3, 3)]


def test_files_without_pairs_are_mistakes(tmp_path: Path) -> None:
    pairs, empty = write_pairs(tmp_path / "pairs.jsonl", 3), write_pairs(tmp_path / "empty.jsonl", 0)
    with pytest.raises(LaconicError, match=r"empty.jsonl: there are no pairs in it"):
        Plan("truncate", empty).train(tmp_path / "model")
    with pytest.raises(LaconicError, match=r"empty.jsonl: there are no pairs in it"):
        Plan("truncate", pairs, empty).train(tmp_path / "model")
    with pytest.raises(LaconicError, match="makes no use of --checkpoint"):
        Plan("truncate", pairs, checkpoint=tmp_path).train(tmp_path / "model")


def test_a_model_is_trained_anew_in_the_same_folder(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl", 3)
    first = Plan("truncate", pairs).train(tmp_path / "model")
    assert Plan("truncate", pairs).train(tmp_path / "model") == first == Truncate.load(tmp_path / "model")


LONG = {"transducer", "joint-lm", "joint-discriminative", "ilp", "bayesian", "default"}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.slow) if each in LONG else each for each in SYSTEMS]
)
def test_every_system_learns_from_raw_pairs(tmp_path: Path, name: str) -> None:
    if not SYSTEMS[name].can_run:
        pytest.skip("not all that it needs is installed")
    pairs, dev = write_pairs(tmp_path / "pairs.jsonl", 12), write_pairs(tmp_path / "dev.jsonl", 3)
    options = {"sweeps": "5"} if name == "bayesian" else {}
    Plan(name, pairs, dev, options=options).train(tmp_path / "model")
    assert set(card_of(tmp_path / "model")) == {"data", "seed", "options", "development"}
    answer = open_system(tmp_path / "model").compress(
        "The council of Marlow closed the old school on Monday."
    )
    assert answer.words
