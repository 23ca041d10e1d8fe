"""`laconic train`, `evaluate` and `compare` are skins over functions that are tested elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from laconic.systems.default.compressor import Compressor
from laconic.systems.registry import SYSTEMS
from laconic.systems.training import Plan
from laconic.systems.truncate import Truncate
from tests.cli.conftest import Result, type_of_run

PAIRS = [
    {"source": "Stocks fell on Monday .", "target": "Stocks fell ."},
    {"source": "The old bridge was closed today .", "target": "The bridge was closed ."},
    {"source": "It rained again in May .", "targets": ["It rained .", "It rained again ."]},
]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS))
    return path


def test_a_trained_system_is_stored_and_used(laconic: type_of_run, pairs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    result = laconic("train", "truncate", "--pairs", pairs, "--output", folder)
    assert (result.code, result.out, result.err) == (0, "", f"{folder}: a model of truncate\n")
    ratio = (3 / 5 + 5 / 7 + 3 / 6 + 4 / 6) / 4
    assert Truncate.load(folder).ratio == pytest.approx(ratio)
    assert laconic("one two three four five six seven eight nine ten", "--system", folder).out == (
        "one two three four five six\n"
    )


def test_raw_pairs_are_cut_into_words_without_being_told(tmp_path: Path) -> None:
    raw, cut = tmp_path / "raw.jsonl", tmp_path / "cut.jsonl"
    raw.write_text(json.dumps({"source": "Stocks fell on Monday.", "target": "Stocks fell."}))
    cut.write_text(json.dumps({"source": "Stocks fell on Monday .", "target": "Stocks fell ."}))
    assert Plan("truncate", raw).train(tmp_path / "raw") == Truncate(3 / 5)
    assert Plan("truncate", cut).train(tmp_path / "cut") == Truncate(3 / 5)


def test_training_goes_on_from_its_checkpoint_and_chooses_a_length(
    laconic: type_of_run, pairs: Path, tmp_path: Path
) -> None:
    pairs.write_text(
        pairs.read_text() + json.dumps({"source": "Stocks fell .", "target": "Ships sank ."}) + "\n"
    )
    state, folder = tmp_path / "state", tmp_path / "model"
    arguments = ("train", "em", "--pairs", pairs, "--dev", pairs, "--checkpoint", state, "--output")
    result = laconic(*arguments, folder)
    assert result.code == 0
    assert result.err.splitlines() == [
        "left out: pair '4': the reference does more than delete words",
        f"{folder}: a model of em",
    ]
    again = tmp_path / "again"
    assert (state / "card.json").exists() and laconic(*arguments, again).code == 0
    assert (folder / "counts.npy.gz").read_bytes() == (again / "counts.npy.gz").read_bytes()
    assert (
        len(laconic("The old bridge fell on Monday .", "--words", "=3", "--system", folder).out.split()) == 4
    )


def test_what_the_default_learns_counts_with_and_without_a_limit(tmp_path: Path) -> None:
    pairs = tmp_path / "spoken.jsonl"
    sentence = "Well , the old bridge on the coast road fell again , he said ."
    pairs.write_text(
        json.dumps({"source": sentence, "target": "the old bridge on the coast road fell again ."})
    )
    learnt = Plan("default", pairs).train(tmp_path / "model")
    assert isinstance(learnt, Compressor)
    # The length that is natural without a limit, and whose habits are imitated, which counts under limits, too.
    assert learnt.weights is not None and learnt.register is not None
    again = Compressor.load(tmp_path / "model")
    assert (again.weights, again.register) == (learnt.weights, learnt.register)


def test_training_tells_how_far_it_is(pairs: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    Plan("em", pairs).train(tmp_path / "model", progress=lambda done, of: told.append((done, of)))
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1][0] == told[-1][1]


def test_options_that_a_system_makes_no_use_of_are_mistakes(
    laconic: type_of_run, pairs: Path, tmp_path: Path
) -> None:
    start = ("train", "truncate", "--pairs", pairs, "--output", tmp_path / "model")
    for more, message in (
        (("--checkpoint", pairs), "makes no use of --checkpoint"),
        (("--option", "sweeps=3"), "has no option 'sweeps'"),
        (("--option", "sweeps"), "given as NAME=VALUE, not 'sweeps'"),
        (("--option", "a=1", "--option", "a=2"), "given twice"),
    ):
        result = laconic(*start, *more)
        assert (result.code, message in result.err) == (2, True)
        assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("name", ["ngram", "joint-lm", "joint-discriminative", "ilp"])
def test_systems_made_of_others_are_trained_from_pairs(
    name: str, laconic: type_of_run, pairs: Path, tmp_path: Path
) -> None:
    if not SYSTEMS[name].can_run:
        pytest.skip("not all that it needs is installed")
    folder = tmp_path / "model"
    assert laconic("train", name, "--pairs", pairs, "--output", folder).code == 0
    answer = laconic("The old bridge fell on Monday .", "--words", "5", "--system", folder)
    assert (answer.code, answer.err) == (0, "")
    assert 0 < sum(map(str.isalnum, answer.out.split())) <= 5


def test_options_of_a_system_are_given_by_name(laconic: type_of_run, pairs: Path, tmp_path: Path) -> None:
    def run(folder: str, *options: str) -> Result:
        named = [part for option in options for part in ("--option", option)]
        return laconic("train", "bayesian", "--pairs", pairs, "--output", tmp_path / folder, *named)

    assert run("one", "sweeps=3", "added=0.5").code == 0
    assert json.loads((tmp_path / "one" / "card.json").read_text())["settings"]["added"] == 0.5
    unknown = run("two", "alpha=3")
    assert (unknown.code, "it has: coverage (training), added (1)" in unknown.err) == (2, True)
    assert "NAME=VALUE, not 'sweeps'" in run("two", "sweeps").err
    assert "'sweeps' is given twice" in run("two", "sweeps=3", "sweeps=4").err
    assert not (tmp_path / "two").exists()


def test_training_an_unknown_system_is_a_mistake(laconic: type_of_run, pairs: Path, tmp_path: Path) -> None:
    result = laconic("train", "trunkate", "--pairs", pairs, "--output", tmp_path / "model")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "known: truncate" in result.err
    assert not (tmp_path / "model").exists()
    assert "Missing option '--pairs'" in laconic("train", "truncate", "--output", "x").err


def test_evaluate_prints_a_table_or_json(laconic: type_of_run, pairs: Path) -> None:
    table = laconic("evaluate", "--pairs", pairs, "--system", "everything").out
    assert table.startswith("everything: 3 sentences, any length")
    report = json.loads(laconic("evaluate", "--pairs", pairs, "--gold-length", "--json").out)
    assert report["scores"]["reference_word_rate"]["macro"] == report["scores"]["word_rate"]["macro"]
    assert report["condition"] == "gold length"
    limited = json.loads(laconic("evaluate", "--pairs", pairs, "--ratio", 0.5, "--json").out)
    assert limited["scores"]["budget_met"]["macro"] == 1


def test_outputs_made_before_are_evaluated(laconic: type_of_run, pairs: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.txt"
    outputs.write_text("Stocks fell .\nThe bridge was closed .\nIt rained .\n")
    report = json.loads(laconic("evaluate", "--pairs", pairs, "--outputs", outputs, "--json").out)
    assert report["scores"]["exact_match"]["best"] == 1
    assert "no such file of outputs" in laconic("evaluate", "--pairs", pairs, "--outputs", "nowhere").err
    outputs.write_text("Stocks fell .\n")
    assert "1 outputs for 3 pairs" in laconic("evaluate", "--pairs", pairs, "--outputs", outputs).err


def test_readers_are_estimated_when_asked_for(laconic: type_of_run, pairs: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.txt"
    outputs.write_text("Stocks fell on Monday .\nThe old was .\nShips sank .\n")
    arguments = ("evaluate", "--pairs", pairs, "--outputs", outputs, "--json")
    assert "readers" not in json.loads(laconic(*arguments).out)["scores"]
    report = json.loads(laconic(*arguments, "--readers").out)
    whole, torn, own = (row[0] for row in report["statistics"]["readers"])
    assert whole[0] > 0.9 > 0.5 > torn[0] and own == [0, 0]
    assert report["scores"]["readers"]["undefined"] == 1


def test_compare_takes_systems_outputs_and_reports(laconic: type_of_run, pairs: Path, tmp_path: Path) -> None:
    table = laconic("compare", "truncate", "everything", "--pairs", pairs).out
    assert table.startswith("first: truncate\nsecond: everything\n")
    report = tmp_path / "report.json"
    laconic("evaluate", "--pairs", pairs, "--system", "everything", "--json", "--output", report)
    outputs = tmp_path / "outputs.txt"
    outputs.write_text("Stocks fell .\nThe bridge was closed .\nIt rained .\n")
    compared = json.loads(laconic("compare", outputs, report, "--pairs", pairs, "--json").out)
    exact = next(item for item in compared["differences"] if item["metric"] == "exact_match")
    assert exact["difference"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert laconic("compare", report, report).code == 0


def test_compare_names_what_it_lacks(laconic: type_of_run, pairs: Path) -> None:
    assert "--pairs is needed" in laconic("compare", "truncate", "everything").err
    assert (
        "no system 'nothing' and no such folder" in laconic("compare", "truncate", "nothing", "-p", pairs).err
    )


def test_a_broken_pair_names_its_line(laconic: type_of_run, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"source": "a b", "target": "a"}\n{"source": "a b"}\n')
    result = laconic("evaluate", "--pairs", path)
    assert result.code == 2 and f"{path}:2: " in result.err
