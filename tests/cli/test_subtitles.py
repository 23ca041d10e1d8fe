"""`laconic subtitles` writes what fits, says what does not, and tells by its exit code."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from laconic.documents.subtitles import check
from tests.cli.conftest import type_of_run
from tests.documents.subtitles import files


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.srt"
    path.write_bytes(files.SUBRIP.encode())
    return path


def test_a_file_is_fitted(laconic: type_of_run, film: Path, tmp_path: Path) -> None:
    output, report = tmp_path / "out.srt", tmp_path / "report.csv"
    result = laconic("subtitles", film, "-o", output, "--report", report)
    assert (result.code, result.out) == (1, "")
    assert [cue.number for cue in check(output).above] == [4]
    assert "laconic: cue 4 is above its limits: 24 characters in 0.5 s" in result.err
    assert result.err.endswith("laconic: 6 cues: 1 broken anew, 2 shortened, 1 above its limits\n")
    rows = csv.DictReader(report.read_text().splitlines())
    assert [row["cue"] for row in rows] == list("123456")


def test_the_answer_goes_to_standard_output(laconic: type_of_run, film: Path) -> None:
    limits = ("--cps", 1000, "--line", 100, "--lines", 9)
    result = laconic("subtitles", film, *limits)
    assert (result.code, result.out) == (0, files.SUBRIP)
    assert laconic("subtitles", "-", *limits, stdin=files.WEBVTT).out == files.WEBVTT


def test_a_check_changes_nothing(laconic: type_of_run, film: Path, tmp_path: Path) -> None:
    result = laconic("subtitles", film, "--check", "--report", tmp_path / "report.txt")
    assert result.code == 1
    assert result.out.splitlines()[-1] == "6 cues: 4 above their limits"
    assert (tmp_path / "report.txt").read_text() == result.out
    assert film.read_text() == files.SUBRIP
    assert laconic("subtitles", film, "--check", "--cps", 50, "--line", 90).code == 0


def test_differences_are_shown(laconic: type_of_run, film: Path) -> None:
    result = laconic("subtitles", film, "--diff")
    assert result.out.startswith("1 00:00:01.000 39.0 -> ")
    assert re.search(r"~[\w ]+~", result.out)


def test_the_suffix_of_the_output_is_its_format(laconic: type_of_run, tmp_path: Path) -> None:
    source, output = tmp_path / "whisper.json", tmp_path / "out.srt"
    source.write_text(json.dumps(files.whisper()))
    assert laconic("subtitles", source, "-o", output).code == 0
    assert output.read_text().startswith("1\n00:00:01,000 --> 00:00:03,000\nI ")


def test_the_plugin_is_written(laconic: type_of_run, tmp_path: Path) -> None:
    assert laconic("subtitles", "plugin", tmp_path / "laconic").code == 0
    assert json.loads((tmp_path / "laconic" / "plugin.json").read_text())["apiVersion"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--for", "hbo"], "no norm for subtitles 'hbo'"),
        (["--cps", "0"], "above 0"),
        (["--check", "--diff"], "changes nothing"),
        (["other.srt"], "one file at a time"),
        (["-o", "film.doc"], "no format of subtitles"),
        (["-o", "film.json"], "cannot be made of subtitles"),
        (["--encoding", "klingon"], "no encoding 'klingon'"),
    ],
)
def test_mistakes_are_named(laconic: type_of_run, film: Path, arguments: list[str], message: str) -> None:
    result = laconic("subtitles", film, *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
