"""Experiments are done once, taken up where they were stopped, and done again only where something changed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from experiments.__main__ import _state, main
from experiments._catalogue import PROGRAMS, experiments
from experiments._experiment import Job
from experiments._pages import Page, Table
from experiments._runner import RESULTS, Store, lasting, run
from experiments._sources import model_checksum

from laconic.errors import LaconicError
from tests.experiments.declared import PARTIAL, SMALL, UNSTEADY, double, workplace


def calls(folder: Path) -> list[str]:
    path = folder / "kept" / "calls"
    return path.read_text().split() if path.exists() else []


def test_what_is_known_is_not_done_again(tmp_path: Path) -> None:
    at = workplace(tmp_path)
    said: list[str] = []
    assert run(SMALL, at, results=tmp_path, workers=1, say=said.append)
    assert run(SMALL, at, results=tmp_path, workers=1, say=said.append)
    assert sorted(calls(tmp_path)) == ["1", "2", "3"]
    assert Store(SMALL, tmp_path).found()["sum"] == {"total": 12}
    assert any("3 of 4 jobs" in line for line in said) and any("0 of 4 jobs" in line for line in said)


def test_a_changed_option_is_done_again_and_what_depends_on_it(tmp_path: Path) -> None:
    at = workplace(tmp_path)
    run(SMALL, at, results=tmp_path, workers=1, say=lambda _: None)
    changed = replace(SMALL, jobs=(Job("1", double, {"number": 10}), *SMALL.jobs[1:]))
    run(changed, at, results=tmp_path, workers=1, say=lambda _: None)
    assert sorted(calls(tmp_path)) == ["1", "10", "2", "3"]
    assert Store(changed, tmp_path).found()["sum"] == {"total": 30}


def test_what_was_computed_from_other_answers_is_not_shown(tmp_path: Path) -> None:
    run(SMALL, workplace(tmp_path), results=tmp_path, workers=1, say=lambda _: None)
    store = Store(SMALL, tmp_path)
    assert set(store.shown()) == {"1", "2", "3", "sum"} and len(list(store.pages())) == 1
    store.put(SMALL.jobs[0], store.records["1"]["signature"], {"double": 7}, 0.1)
    assert set(store.shown()) == {"1", "2", "3"} and list(store.pages()) == []
    [page] = Store(PARTIAL, tmp_path).pages()
    assert [row[0] for row in page.tables[0].rows] == ["number", "1", "2", "3"]


def test_only_some_jobs_or_all_anew(tmp_path: Path) -> None:
    at = workplace(tmp_path)
    run(SMALL, at, results=tmp_path, workers=1, only="2", say=lambda _: None)
    assert calls(tmp_path) == ["2"]
    run(SMALL, at, results=tmp_path, workers=1, only="2", anew=True, say=lambda _: None)
    assert calls(tmp_path) == ["2", "2"]


def test_what_other_code_measured_is_known_and_can_be_done_again(tmp_path: Path) -> None:
    at = workplace(tmp_path)
    run(SMALL, at, results=tmp_path, workers=1, say=lambda _: None)
    store = Store(SMALL, tmp_path)
    assert _state(store, at.data) == "known"
    del store.records["1"]["code"]
    store.records["2"]["code"] = store.records["sum"]["code"] = "others"
    store.write()
    told = "known, 2 by other code, 1 by code that was not noted"
    assert _state(Store(SMALL, tmp_path), at.data) == told
    run(SMALL, at, results=tmp_path, workers=1, say=lambda _: None)
    assert sorted(calls(tmp_path)) == ["1", "2", "3"]
    run(SMALL, at, results=tmp_path, workers=1, other_code=True, say=lambda _: None)
    assert sorted(calls(tmp_path)) == ["1", "1", "2", "2", "3"]
    assert _state(Store(SMALL, tmp_path), at.data) == "known"


def test_two_runs_at_a_time_lose_nothing(tmp_path: Path) -> None:
    one, other = Store(SMALL, tmp_path), Store(SMALL, tmp_path)
    one.put(SMALL.jobs[0], {"options": {}}, {"double": 2}, 0.1)
    other.put(SMALL.jobs[1], {"options": {}}, {"double": 4}, 0.1)
    assert set(Store(SMALL, tmp_path).found()) == {"1", "2"}


def test_two_processes_find_the_same(tmp_path: Path) -> None:
    assert run(SMALL, workplace(tmp_path), results=tmp_path, workers=2, say=lambda _: None)
    assert Store(SMALL, tmp_path).found()["sum"] == {"total": 12}


def test_a_fault_stops_nothing_and_what_was_stopped_goes_on(tmp_path: Path) -> None:
    at = workplace(tmp_path)
    said: list[str] = []
    assert not run(UNSTEADY, at, results=tmp_path, workers=1, say=said.append)
    told = "\n".join(said)
    assert "broken on purpose" in told and "begins anew" in told and "goes on from here" in told
    assert [line for line in told.splitlines() if "not these scores" in line] == [
        "  wrong: failed: x.json: not these scores; --anew measures them again"
    ]
    assert said[-2] == "2 jobs are left: run this again" and said[-1].startswith(
        "2 jobs are not done, for what"
    )
    assert Store(UNSTEADY, tmp_path).found() == {"1": {"double": 2}}
    run(UNSTEADY, at, results=tmp_path, workers=1, say=said.append)
    assert Store(UNSTEADY, tmp_path).found()["slow"] == {"reached": 2}
    assert calls(tmp_path) == ["1"]


def test_without_time_nothing_is_begun(tmp_path: Path) -> None:
    assert not run(SMALL, workplace(tmp_path), results=tmp_path, workers=1, minutes=-1, say=lambda _: None)
    assert calls(tmp_path) == []


def test_pages_are_markdown_csv_and_svg(tmp_path: Path) -> None:
    run(SMALL, workplace(tmp_path), results=tmp_path, workers=1, say=lambda _: None)
    page = (tmp_path / "small" / "numbers.md").read_text()
    assert "| 2 | {'double': 4} | *3.5* |" in page and "python -m experiments small/numbers" in page
    assert (tmp_path / "small" / "numbers.csv").read_text().startswith("number,ours,theirs,published\n1,")
    assert (tmp_path / "small" / "numbers.svg").read_text() == "<svg/>\n"


def test_a_column_is_drawn_with_published_numbers_hollow() -> None:
    rows = [
        ("corpus", "system", "rate", "F1"),
        ("spoken", "`a`", "80.1", "90.0\\*"),
        ("", "*b*", "", "*70.5*"),
    ]
    files = dict(Page("drawn", "Drawn", "", [Table(rows)], plotted="F1").files("small/drawn"))
    drawing = ET.fromstring(files["drawn.svg"])
    texts = [node.text for node in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["F1", "spoken, a", "90", "b", "70.5"]
    fills = [node.get("fill") for node in drawing.iter("{http://www.w3.org/2000/svg}rect")]
    assert fills[0] != "none" and fills[1] == "none"
    assert "![drawn](drawn.svg)" in files["drawn.md"]


def test_results_of_another_machine_are_taken(tmp_path: Path) -> None:
    at = workplace(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "2.json").write_text('{"double": 4}')
    assert Store(SMALL, tmp_path).adopt(tmp_path / "there", at.data) == 1
    run(SMALL, at, results=tmp_path, workers=1, say=lambda _: None)
    assert sorted(calls(tmp_path)) == ["1", "3"]


def test_how_long_results_of_another_machine_took_is_as_declared(tmp_path: Path) -> None:
    at = workplace(tmp_path)
    lasting = replace(SMALL, minutes=360)
    run(lasting, at, results=tmp_path, workers=1, say=lambda _: None)
    assert Store(lasting, tmp_path).minutes < 1
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "2.json").write_text('{"double": 4}')
    Store(lasting, tmp_path).adopt(tmp_path / "there", at.data)
    assert Store(lasting, tmp_path).minutes == 360


def test_names_are_distinct_and_jobs_too() -> None:
    names = [experiment.name for experiment in experiments()]
    assert len(set(names)) == len(names) > 20
    for experiment in experiments():
        jobs = [job.name for job in experiment.jobs]
        assert len(set(jobs)) == len(jobs), experiment.name
        assert {name for job in experiment.jobs for name in job.after} <= set(jobs)


class TestOnFixtures:
    @pytest.fixture
    def data(self, tmp_path: Path) -> Path:
        """Pairs of our own, in the place of the corpora."""
        folder = tmp_path / "data" / "compression"
        folder.mkdir(parents=True)
        source = "The old council , which met again on Thursday , finally agreed to lower the fees ."
        target = "The council agreed to lower the fees ."
        for name, targets in (("spoken", {"targets": [target, target]}), ("written", {"target": target})):
            rows = [
                {"id": f"{name}.{n}", "source": source.replace("old", old)} | targets
                for n, old in enumerate(("old", "new", "small"))
            ]
            (folder / f"{name}.dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return tmp_path / "data"

    def arguments(self, data: Path, folder: Path) -> list[str]:
        kept = ["--kept", str(folder / "kept"), "--results", str(folder / "results"), "--workers", "1"]
        return ["dependency/together", "--data", str(data), *kept]

    def test_an_experiment_runs_from_end_to_end(self, data: Path, tmp_path: Path, capsys) -> None:
        assert main(self.arguments(data, tmp_path)) == 0
        printed = capsys.readouterr().out
        assert "4 of 4 jobs to do" in printed and "| spoken | discriminative |" in printed
        folder = tmp_path / "results" / "dependency"
        endings = {path.suffix for path in folder.glob("together.*")}
        assert endings == {".md", ".csv", ".svg", ".json"}
        records = json.loads((folder / "together.json").read_text())["jobs"]
        signature = records["written, dependency"]["signature"]
        assert set(signature["data"]) == {"written.dev"} and "parser" in signature["models"]
        assert main(self.arguments(data, tmp_path)) == 0
        assert "0 of 4 jobs to do" in capsys.readouterr().out
        path = data / "compression" / "spoken.dev.jsonl"
        path.write_text(path.read_text().replace("small", "large"))
        from experiments._sources import data_checksum

        data_checksum.cache_clear()  # files do not change while an experiment runs
        assert main(["list", *self.arguments(data, tmp_path)[1:]]) == 0
        assert "the shipped models (known, 2 stale)" in capsys.readouterr().out
        assert main(self.arguments(data, tmp_path)) == 0
        assert "2 of 4 jobs to do" in capsys.readouterr().out

    def test_missing_data_is_named_with_where_to_get_it(self, data: Path, tmp_path: Path, capsys) -> None:
        (data / "compression" / "written.dev.jsonl").unlink()
        assert main(self.arguments(data, tmp_path)) == 2
        told = capsys.readouterr().err
        assert "written.dev.jsonl" in told and "Clarke and Lapata" in told and "--data" in told
        (data / "compression" / "spoken.dev.jsonl").unlink()
        assert main(self.arguments(data, tmp_path)) == 2
        first, *files = capsys.readouterr().err.splitlines()
        assert (
            "missing data" in first
            and [line.partition(".dev.jsonl (")[1] != "" for line in files] == [True] * 2
        )


def test_an_unknown_experiment_is_named_with_those_that_are_near(capsys) -> None:
    assert main(["markov/order"]) == 2
    assert "markov/orders" in capsys.readouterr().err


def test_pages_of_other_results_are_written_there_and_nowhere_else(tmp_path: Path, capsys) -> None:
    before = {path: path.stat().st_mtime_ns for path in RESULTS.rglob("*")}
    (tmp_path / "joint").mkdir()
    stored = (RESULTS / "joint" / "table4.json").read_text()
    (tmp_path / "joint" / "table4.json").write_text(stored.replace('"reference":"xx', '"reference":"..'))
    assert main(["pages", "--results", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "README.md")]
    here, ours = (folder / "joint" / "table4.md" for folder in (tmp_path, RESULTS))
    assert "| written | reference | 22 |" in here.read_text() != ours.read_text()
    assert before == {path: path.stat().st_mtime_ns for path in RESULTS.rglob("*")}
    assert main(["pages", "--results", str(tmp_path / "nowhere")]) == 2
    assert "no such folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["joint/table4", "--only", "nosuch"], "no job has this in its name; there are "),
        (["joint/table4", "--adopt", "/nofolder"], "/nofolder: no such folder; --adopt names one"),
        (["pages", "--results", "."], "joint/table4.json: broken JSON"),
        (["list", "--results", "."], "remove it and run joint/table4 again"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(
    arguments: list[str], said: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "joint").mkdir()
    (tmp_path / "joint" / "table4.json").write_text('{"jo')
    assert main(arguments) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.parametrize("workers", ["0", "-1", "two"])
def test_fewer_than_one_worker_is_refused(workers: str, capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["joint/table4", "--workers", workers])
    assert stopped.value.code == 2
    assert "at least 1" in capsys.readouterr().err


def test_a_reader_that_has_had_enough_stops_the_list() -> None:
    command = f"{sys.executable} -m experiments list | head -n 1; exit ${{PIPESTATUS[0]}}"
    stopped = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (stopped.returncode, stopped.stderr) == (141, "")
    assert stopped.stdout.startswith("comparison/systems")


def test_the_list_parses_nothing(monkeypatch) -> None:
    def refuse() -> str:
        raise AssertionError("sentences were parsed")

    monkeypatch.setattr("experiments._sources._parser_checksum", refuse)
    model_checksum.cache_clear()
    assert main(["list"]) == 0
    model_checksum.cache_clear()


def test_short_times_are_said_as_such() -> None:
    assert (lasting(0.0), lasting(0.05), lasting(0.1), lasting(12)) == ("under 0.1", "under 0.1", "0.1", "12")


def test_the_list_says_how_long_each_takes(capsys) -> None:
    assert main(["list"]) == 0
    *lines, machines, readings = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(experiments())) and all(" min " in line or " h " in line for line in lines)
    assert "python -m experiments.machines --help" in machines
    assert "python -m experiments.readings --help" in readings


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_beside_the_experiments_are_said_to_be_such(name: str, capsys) -> None:
    assert main([name]) == 2
    assert f"{name} is a program of its own: python -m experiments.{name} --help" in capsys.readouterr().err
    done = subprocess.run(
        [sys.executable, "-m", f"experiments.{name}", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and f"python -m experiments.{name} " in done.stdout


def test_every_corpus_that_is_read_is_known_with_a_source() -> None:
    from experiments._sources import require, where_to_get

    for experiment in experiments():
        assert all(where_to_get(corpus) != "no public source" for corpus in experiment.reads)
    with pytest.raises(LaconicError, match="no corpus"):
        require(("nothing",), Path())
