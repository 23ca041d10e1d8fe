"""What documents quote of results is what the results say, and every result says what it was made from."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from experiments._catalogue import experiments
from experiments._documents import PARTS, ROOT, documents, filled, growth
from experiments._pages import Page, Table
from experiments._runner import RESULTS, Store
from experiments._sources import model_checksum

from experiments import comparison
from laconic.errors import LaconicError

REMEDY = "out of date: run `python -m experiments pages`"


@pytest.mark.parametrize("experiment", list(experiments()), ids=lambda each: each.name)
def test_pages_are_those_of_the_stored_results(experiment) -> None:
    store = Store(experiment)
    for page in store.pages():
        for name, content in page.files(experiment.name):
            path = store.path.parent / name
            assert path.read_text(encoding="utf-8") == content, f"{path} is {REMEDY}"


def test_documents_quote_the_stored_results() -> None:
    found = dict(documents())
    assert len(found) >= 4
    for path, content in found.items():
        assert path.read_text(encoding="utf-8") == content, f"{path} is {REMEDY}"


def test_the_growth_of_times_is_drawn_as_it_was_measured(tmp_path: Path) -> None:
    (tmp_path / "speed").mkdir()
    measured = (RESULTS / "speed" / "compressive.txt").read_text(encoding="utf-8")
    (tmp_path / "speed" / "compressive.txt").write_text(measured, encoding="utf-8")
    drawn = growth(tmp_path)
    rows = re.findall(r"^(\S.*?) (?: +[\d.]+){8} +([\d.]+)$", measured, re.MULTILINE)
    assert len(rows) == drawn.count("<polyline") == 10
    assert all(f">{name.strip()}: n^{exponent}<" in drawn for name, exponent in rows)
    slower = re.sub(r"(?m)^(marginals .*) [\d.]+( +[\d.]+)$", r"\g<1> 9.999\2", measured)
    (tmp_path / "speed" / "compressive.txt").write_text(slower, encoding="utf-8")
    assert growth(tmp_path) != drawn


def test_a_changed_number_is_noticed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    row = re.search(r"^\| `dependency` \| news \| (\d+\.\d) \|", text, re.MULTILINE)
    wrong = text[: row.start(1)] + "99.9" + text[row.end(1) :]
    assert filled(wrong, RESULTS, "README.md") == text


def test_every_table_of_the_readmes_results_is_made() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Results")[2].partition("\n## ")[0]
    typed = re.sub(r"<!-- made from the results.*?<!-- end -->", "", section, flags=re.DOTALL)
    assert not [line for line in typed.splitlines() if line.startswith("|")]
    assert len(re.findall("made from the results", section)) >= 3


_UNTYPED = re.compile(r"<!-- made from the results.*?<!-- end -->|^```.*?^```$", re.DOTALL | re.MULTILINE)
_MEASURED = re.compile(
    r"(?<!at most )(?<!at least )(?<!exactly )\b\d[\d.,]* ?%|\b0\.\d\d|\b\d[\d.,]* (?:ms|s|points)\b|\b\d+ of [\d,]{2,}"
    r"|(?<!at most )\b(?:two|three|four|five|six|seven|eight|nine)"
    r"[ -](?:thirds|quarters|fifths|sixths|sevenths|eighths|ninths|tenths)\b"
    r"|(?<!at most )\ban? (?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth) of\b"
    r"|\b(?:twice|\w+ times) as (?:fast|high|long|many|much)\b|\ba millisecond\b"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine) in (?:three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)


def typed_measures(text: str) -> list[str]:
    """Shares, areas, times and counts out of counts that stand outside of what is made: nobody can trace them."""
    return _MEASURED.findall(_UNTYPED.sub("", text))


@pytest.mark.parametrize(
    "path",
    [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "website" / "systems.toml"],
    ids=lambda each: each.name,
)
def test_no_measure_is_typed(path: Path) -> None:
    assert typed_measures(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "typed",
    [
        "found 91 % good",
        "0.82 on dev",
        "takes 3.8 s",
        "19 of 1,993 changed",
        "off by 4 points",
        "leaves two fifths",
        "takes a third of the time",
        "is seven times as high",
        "had been read in four in five cases",
        "needs less than a millisecond",
    ],
)
def test_a_measure_that_is_typed_would_be_seen(typed: str) -> None:
    made = (
        "<!-- made from the results: x -->\n91 %\n<!-- end -->\n```console\n0.82\n```\n"
        "at most 60 %, at most three quarters, 4 of 5\n"
    )
    assert typed_measures(made) == []
    assert len(typed_measures(f"{made}It {typed}.")) == 1


def test_the_readme_counts_the_sentences_that_were_measured() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    counted = re.search(r"\((\d+) of Google's.*?\((\d+) sentences.*?\((\d+);", text, re.DOTALL)
    found = Store(comparison.EXPERIMENTS[0]).found()
    measured = [found[f"{corpus}, own length, default"]["sentences"] for corpus in comparison.CORPORA]
    assert [int(count) for count in counted.groups()] == measured


def test_every_part_that_can_be_made_is_quoted_somewhere() -> None:
    quoted = {
        name
        for path, _ in documents()
        for name in re.findall(r"made from the results: ([\w-]+)", path.read_text(encoding="utf-8"))
    }
    assert quoted == set(PARTS)
    with pytest.raises(LaconicError, match="no part 'nothing'"):
        filled("<!-- made from the results: nothing -->\n<!-- end -->", RESULTS, "x.md")


def test_every_stored_result_has_a_signature() -> None:
    declared = {Store(experiment).path for experiment in experiments()}
    others = ("environments", "readings")  # held by the tests of what writes them
    stored = {path for path in RESULTS.glob("*/*.json") if path.parent.name not in others}
    assert stored <= declared, "results of no experiment"
    for path in stored:
        content = json.loads(path.read_text(encoding="utf-8"))
        assert set(content) == {"jobs"}, path
        for name, record in content["jobs"].items():
            assert set(record["signature"]) >= {"options"}, f"{path}: {name}"


@pytest.mark.slow  # a new model makes results stale until the release, when they are measured again
@pytest.mark.parametrize("experiment", list(experiments()), ids=lambda each: each.name)
def test_results_are_of_the_shipped_models_and_the_declared_options(experiment) -> None:
    records = Store(experiment).records
    for job in experiment.jobs:
        signed = records[job.name]["signature"]
        assert signed.get("models", {}) == {name: model_checksum(name) for name in job.uses}, job.name
        assert signed["options"] == json.loads(json.dumps(dict(job.options))), job.name


def test_every_page_of_results_is_made_or_says_what_we_make_of_them() -> None:
    made = {
        Store(experiment).path.parent / name
        for experiment in experiments()
        for page in Store(experiment).pages()
        for name, _ in page.files(experiment.name)
    }
    others = {path for path in RESULTS.rglob("*.md") if path not in made and path.name != "README.md"}
    assert others == set()


def test_values_to_compute_with_have_one_head_and_no_marks() -> None:
    ours = [
        ("system", "rules", "F1", "95 %", "relation F1", "95 %", "depth"),
        ("`default` †", "5,679", "70.5\\*", "69.0 to 71.0", "60.1\\*", "59.0 to 61.0", "1*"),
        ("Ziff, two words", "1", *["*2.5*"] * 4, "-"),
    ]
    theirs = [("system", "F1", "*ZD, as published*"), ("their GS", "*61.64*", "*`x.x`*"), ("*old*", "", "7")]
    page = Page("plain", "Plain", "", [Table(ours, "Ours"), Table(theirs, "Theirs")])
    [content] = [content for name, content in page.files("small/plain") if name == "plain.csv"]
    assert content.splitlines() == [
        'table,system,rules,F1,F1 95 %,relation F1,relation F1 95 %,depth,"ZD, as published",published',
        "Ours,default †,5679,70.5,69.0 to 71.0,60.1,59.0 to 61.0,1*,,",
        'Ours,"Ziff, two words",1,2.5,2.5,2.5,2.5,,,',
        "Theirs,their GS,,61.64,,,,,x.x,yes",
        "Theirs,old,,,,,,,7,yes",
    ]


@pytest.mark.parametrize("experiment", list(experiments()), ids=lambda each: each.name)
def test_stored_values_are_read_as_a_table(experiment) -> None:
    for page in Store(experiment).pages():
        path = Store(experiment).path.parent / f"{page.stem}.csv"
        with path.open(encoding="utf-8", newline="") as stream:
            head, *rows = csv.reader(stream)
        assert len(set(head)) == len(head), path
        assert {len(row) for row in rows} == {len(head)}, path
        assert not [cell for row in (head, *rows) for cell in row if re.search(r"`|\\\*|^\*.*\*$", cell)], (
            path
        )


@pytest.mark.parametrize("experiment", list(experiments()), ids=lambda each: each.name)
def test_columns_of_others_are_in_italics(experiment) -> None:
    for page in Store(experiment).pages():
        for table in page.tables:
            head, *rows = table.rows
            theirs = [place for place, name in enumerate(head) if name.startswith("their ")]
            cells = {row[place] for row in rows for place in theirs} - {"", "-"}
            assert all(re.fullmatch(r"\*.+\*", cell) for cell in cells), f"{page.stem}: {cells}"


def numbers(page: Page) -> set[str]:
    """The columns of the first table that have a number."""
    head, *rows = page.tables[0].rows
    return {
        name
        for place, name in enumerate(head)
        if any(re.fullmatch(r"\*?[-+]?[\d,]+(\.\d+)?\*?", row[place]) for row in rows)
    }


@pytest.mark.parametrize("experiment", list(experiments()), ids=lambda each: each.name)
def test_every_table_of_numbers_is_drawn(experiment) -> None:
    for page in Store(experiment).pages():
        if numbers(page):
            endings = {Path(name).suffix for name, _ in page.files(experiment.name)}
            assert endings == {".md", ".csv", ".svg"}, page.stem


def test_a_table_of_numbers_that_is_not_drawn_would_be_seen() -> None:
    rows = [("system", "text", "F1"), ("a", "none of 7 words", "*70.5*")]
    page = Page("drawn", "Drawn", "", [Table(rows)])
    assert numbers(page) == {"F1"}
    assert {Path(name).suffix for name, _ in page.files("small/drawn")} == {".md", ".csv"}
