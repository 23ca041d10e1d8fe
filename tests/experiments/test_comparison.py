"""Every system is tested against the default in every metric, and what is tested is what was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from experiments._experiment import Found, Workplace
from experiments._runner import RESULTS, Store

from experiments import comparison
from laconic.errors import LaconicError
from laconic.systems.registry import SYSTEMS

FOUND = Store(comparison.EXPERIMENTS[0]).found()
CONDITIONS = [(corpus, condition) for corpus in comparison.CORPORA for condition in comparison.CONDITIONS]


@pytest.mark.parametrize(("corpus", "condition"), CONDITIONS, ids=", ".join)
def test_every_system_is_tested_against_the_default_in_every_metric(corpus: str, condition: str) -> None:
    tested = FOUND[f"{corpus}, {condition}: differences"]
    default = FOUND[f"{corpus}, {condition}, default"]["scores"]
    assert len(default) >= 18
    systems = {name for name in SYSTEMS if condition in comparison.COUNTED.get(name, comparison.CONDITIONS)}
    assert set(tested) == systems - {"default"}
    for system, of in tested.items():
        scores = FOUND[f"{corpus}, {condition}, {system}"]["scores"]
        assert set(of) == set(default) == {metric for metric, score in scores.items() if score is not None}
        for metric, test in of.items():
            assert 0 < test["p"] <= 1 and test["low"] <= test["difference"] <= test["high"], (system, metric)


def strings(value: Any) -> set[str]:
    """All texts that a result holds, but for names."""
    if isinstance(value, dict):
        return set().union(*map(strings, value.values()))
    if isinstance(value, list):
        return set().union(*map(strings, value))
    return {value} if isinstance(value, str) else set()


def test_results_hold_no_words_of_the_data() -> None:
    parsers = {found["parser"] for found in FOUND.values() if "parser" in found}
    assert len(parsers) == 1 and strings(FOUND) == parsers
    assert (RESULTS / "comparison" / "systems.json").stat().st_size < 1_000_000


class TestOnFixtures:
    @pytest.fixture
    def at(self, tmp_path: Path) -> Workplace:
        folder = tmp_path / "data" / "compression"
        folder.mkdir(parents=True)
        source = "The old council , which met again on Thursday , finally agreed to lower the fees ."
        target = "The council agreed to lower the fees ."
        row = {"id": "spoken.1", "source": source, "targets": [target, target]}
        (folder / "spoken.dev.jsonl").write_text(json.dumps(row) + "\n")
        return Workplace(tmp_path / "data", tmp_path / "kept")

    def measured(self, at: Workplace) -> dict[str, Found]:
        return {
            f"spoken, gold length, {system}": comparison.measure(
                at, corpus="spoken", system=system, condition="gold length", rate=None
            )
            for system in ("truncate", "default")
        }

    def test_what_is_not_kept_is_measured_again_and_must_be_the_same(self, at: Workplace) -> None:
        found = self.measured(at)
        tested = comparison.differences(at, against="default", after=found)
        assert set(tested) == {"truncate"} and set(tested["truncate"]) >= {
            "budget_met",
            "relation_f1",
            "readers",
        }
        for path in (at.kept / "reports").iterdir():
            path.unlink()
        assert comparison.differences(at, against="default", after=found) == tested
        found["spoken, gold length, truncate"]["scores"]["rouge1"] = 0.5
        with pytest.raises(
            LaconicError, match=r"gold length, truncate: .* --only 'spoken, gold length, truncate' --anew"
        ):
            comparison.differences(at, against="default", after=found)

    def test_without_the_default_nothing_is_tested(self, at: Workplace) -> None:
        assert comparison.differences(at, against="default", after={}) == {}


def test_differences_of_older_scores_are_left_out_and_the_page_says_so() -> None:
    older = {name: found for name, found in FOUND.items() if name != "news, own length: differences"}
    page = next(page for page in comparison.systems_pages(older) if page.stem == "news")
    own, common, *_ = page.tables
    assert "not tested yet" in own.note and common.note == ""
    assert {row[-3:] for row in own.rows[1:]} == {("", "", "")} != {row[-3:] for row in common.rows[1:]}


def test_pages_say_how_many_rates_there_are_and_what_becomes_of_refusals() -> None:
    for page in Store(comparison.EXPERIMENTS[0]).pages():
        assert "every rate" not in page.note
        assert page.stem.startswith("metrics-") or f"at {len(comparison.FRONTIER)} rates" in page.note
    for page in Store(comparison.EXPERIMENTS[1]).pages():
        assert "left out of its means, in the plot, too" in page.note
        assert all(len(table.rows[0]) == 1 + len(comparison.FRONTIER) for table in page.tables)
