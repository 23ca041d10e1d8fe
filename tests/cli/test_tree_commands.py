"""`laconic parse` and `show`, with a parser that attaches every word to the first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from laconic.sentence import Sentence
from laconic.trees.constituency import Tree
from tests.cli.conftest import type_of_run


class FlatAnnotator:
    """Every word a noun under one S, and a dependent of the first word."""

    def __init__(self, *, threads: int | None = None) -> None:
        self.threads = threads

    def annotate(self, sentences: Iterable[Sentence], *, cache: Path | None = None) -> Iterator[Sentence]:
        for sentence in sentences:
            count = len(sentence)
            yield sentence.annotated(
                tags=["NN"] * count,
                tree=Tree.from_nested(("S", *(("NN", word) for word in sentence.words))),
                heads=[-1] + [0] * (count - 1),
                relations=["root"] + ["dep"] * (count - 1),
            )


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("laconic.annotate.load_annotator", FlatAnnotator, raising=False)


@pytest.mark.usefixtures("parser")
def test_parse_writes_three_formats(laconic: type_of_run) -> None:
    text = "It fell. It rose."
    assert (
        laconic("parse", text, "--format", "penn").out
        == "(S (NN It) (NN fell) (NN .))\n(S (NN It) (NN rose) (NN .))\n"
    )
    blocks = laconic("parse", stdin=text + "\n\n").out.split("\n\n")
    assert blocks[0].splitlines()[:2] == ["# text = It fell.", "1\tIt\t_\t_\tNN\t_\t0\troot\t_\t_"]
    assert len(blocks) == 3 and blocks[2] == ""
    records = [json.loads(line) for line in laconic("parse", text, "--format", "json").out.splitlines()]
    assert [record["heads"] for record in records] == [[-1, 0, 0]] * 2
    assert records[0]["spaces"] == [" ", "", " "]


def test_parse_keeps_what_it_parsed(laconic: type_of_run, tmp_path: Path) -> None:
    cache = tmp_path / "parsed.sqlite"
    call = ("parse", "It fell. It rose.", "--format", "penn", "--threads", 2, "--cache", cache)
    first = laconic(*call)
    assert first.out.splitlines() == [
        f"(ROOT (S (NP (PRP It)) (VP (VBD {verb})) (. .)))" for verb in ("fell", "rose")
    ]
    assert cache.stat().st_size and laconic(*call) == first
    cache.write_text("no cache " * 100)
    broken = laconic(*call)
    assert (broken.code, broken.out) == (2, "")
    assert "parsed.sqlite: cannot be used to cache annotations" in broken.err


def test_parse_refuses_no_threads(laconic: type_of_run) -> None:
    assert laconic("parse", "It fell.", "--threads", 0).code == 2


@pytest.mark.usefixtures("parser")
def test_show_draws_the_trees_of_a_text(laconic: type_of_run) -> None:
    assert laconic("show", "It fell").out == "S\n├─ NN It\n└─ NN fell\n"
    assert laconic("show", "It fell", "--kind", "dependencies").out == "It        root\n└─ fell   dep\n"
    root = ET.fromstring(laconic("show", "It fell", "--svg").out)
    assert root.tag.endswith("svg")
    assert laconic("show", "It fell. It rose.", "--number", 2).out.splitlines()[2] == "├─ NN rose"


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("ending", "format_name"), [("conllu", "conllu"), ("penn", "penn"), ("jsonl", "json")]
)
def test_show_reads_what_parse_writes(
    laconic: type_of_run, tmp_path: Path, ending: str, format_name: str
) -> None:
    path = tmp_path / f"trees.{ending}"
    assert laconic("parse", "It fell. It rose.", "--format", format_name, "--output", path).code == 0
    out = laconic("show", "--trees", path).out
    assert ("fell" in out, "rose" in out, out.count("\n\n")) == (True, True, 1)
    picture = tmp_path / "tree.svg"
    laconic("show", "--trees", path, "--number", 2, "--svg", "--output", picture)
    assert "rose" in picture.read_text() and "fell" not in picture.read_text()


def test_show_marks_what_references_deleted(laconic: type_of_run, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    records = [
        {"source": "It fell again.", "targets": ["It fell.", "It dropped."]},
        {"source": "We left at noon.", "target": "We left."},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert laconic("show", "--pairs", path).out == (
        "It fell ~again~.\nIt fell again.\n=> It dropped .\n\nWe left ~at noon~.\n"
    )
    assert laconic("show", "--pairs", path, "--number", 2).out == "We left ~at noon~.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["text", "--trees", "x.conllu"], "exclude each other"),
        (["--trees", "x.txt"], "files that end in .conllu"),
        (["--trees", "x.conllu"], "x.conllu: no such file"),
        (["--pairs", "x.jsonl", "--svg"], "--svg draws trees, not pairs"),
    ],
)
def test_show_names_mistakes(laconic: type_of_run, arguments: list[str], message: str) -> None:
    result = laconic("show", *arguments)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert message in result.err


def test_show_says_what_there_is_not(laconic: type_of_run, tmp_path: Path) -> None:
    path = tmp_path / "trees.penn"
    path.write_text("(S (NN It))\n")
    assert "there is no number 2" in laconic("show", "--trees", path, "--number", 2).err
    assert "no dependency tree to draw" in laconic("show", "--trees", path, "--kind", "dependencies").err
    path.write_text("")
    assert "there is nothing to show" in laconic("show", "--trees", path).err
