"""Sheets are blind and balanced, and what raters wrote comes back as tables."""

from __future__ import annotations

import codecs
import csv
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Iterable
from http.client import HTTPConnection
from pathlib import Path

import pytest

from laconic.cli.application import run
from laconic.errors import LaconicError
from laconic.rating.outputs import read_outputs
from laconic.rating.scores import Rated, score, scored
from laconic.rating.server import create_server
from laconic.rating.sheets import Line, read_sheet, sheets_of, write_ratings, write_sheets

SYSTEMS = ("alpha", "beta", "omicron")
COUNT = 12


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Three systems' outputs; of the first sentence two are the same."""
    found = {}
    for system in SYSTEMS:
        rows = [
            {
                "id": n,
                "source": f"Sentence number {n} is long.",
                "text": f"Sentence {n}, {len(system) * 'x'}.",
            }
            for n in range(COUNT)
        ]
        rows[0]["text"] = "The same." if system != "beta" else "Another."
        path = tmp_path / f"{system}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found[system] = path
    return found


def test_a_sheet_is_blind_and_equal_texts_are_rated_once(files: dict[str, Path], tmp_path: Path) -> None:
    answers = read_outputs(files)
    *sheets, key = write_sheets(sheets_of(answers, raters=2), tmp_path / "sheet")
    text = "".join(path.read_text(encoding="utf-8-sig") for path in sheets)
    assert not any(system in text for system in SYSTEMS)
    assert text.count("The same.") == 2 and sheets[0].read_text() != sheets[1].read_text()
    lines = json.loads(key.read_text())["lines"]
    assert ["alpha", "omicron"] in [line["systems"] for line in lines.values()]
    assert "Sentence" not in key.read_text()


def test_sheets_are_the_same_for_the_same_seed(files: dict[str, Path]) -> None:
    answers = read_outputs(files)
    one, two, other = (sheets_of(answers, raters=2, seed=seed) for seed in (1, 1, 2))
    assert one == two != other


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_system_stands_equally_often_in_each_place(tmp_path: Path, count: int) -> None:
    files = {}
    for system in ("alpha", "beta", "delta", "omicron")[:count]:
        rows = [
            {"source": f"Sentence {n}.", "text": f"{system} {n}.", "group": "news" if n % 3 else "spoken"}
            for n in range(12 * count)
        ]
        files[system] = tmp_path / f"{system}.jsonl"
        files[system].write_text("".join(json.dumps(row) + "\n" for row in rows))
    sheets = sheets_of(read_outputs(files), raters=count)
    for group, most in (("spoken", 4), ("news", 8), (None, 12)):
        for sheet in sheets:
            assert set(places(line for line in sheet if group in (line.group, None)).values()) == {most}
    orders = set()
    for answered in {line.answered for line in sheets[0]}:
        # Over the raters, too; and no system always stands behind the same other.
        of = [[line for line in sheet if line.answered == answered] for sheet in sheets]
        assert set(sum(map(places, of), Counter()).values()) == {1}
        orders |= {tuple(line.systems for line in lines) for lines in of}
    assert len(orders) == math.factorial(count)
    names = [{line.name: line.text for line in sheet} for sheet in sheets]
    assert all(each == names[0] for each in names)


def places(lines: Iterable[Line]) -> Counter[tuple[tuple[str, ...], int]]:
    """How often which systems stand where among the texts of their sentence."""
    seen: Counter[str] = Counter()
    found: Counter[tuple[tuple[str, ...], int]] = Counter()
    for line in lines:
        found[line.systems, seen[line.answered]] += 1
        seen[line.answered] += 1
    return found


def test_spreadsheets_read_the_letters_and_take_no_text_for_a_formula(tmp_path: Path) -> None:
    texts = ("=1+1", "- No.", "+5 °C", "@home", "'-ish", "Café - so", "'Tis.", " =2")
    path = tmp_path / "one.jsonl"
    path.write_text("".join(json.dumps({"source": f"-{text}", "text": text}) + "\n" for text in texts))
    sheet, key = write_sheets(sheets_of(read_outputs({"one": path}), raters=1), tmp_path / "sheet")
    assert sheet.read_bytes().startswith(codecs.BOM_UTF8)
    with sheet.open(encoding="utf-8-sig") as stream:
        shown = [row[name] for row in csv.DictReader(stream) for name in ("source", "text")]
    assert not [cell for cell in shown if cell.strip()[0] in "=+-@"] and "'Tis." in shown
    asked, rows = read_sheet(sheet)
    assert {row["text"] for row in rows} == set(texts)
    assert all(row["source"] == f"-{row['text']}" for row in rows)
    write_ratings(sheet, [row | dict.fromkeys(asked, "4") for row in rows])
    assert sheet.read_bytes().startswith(codecs.BOM_UTF8)
    assert score([sheet], key).questions[0].means == {"one": (4.0, 0.0, len(texts))}


def test_tables_are_in_the_order_of_names_and_small_chances_are_said_as_such() -> None:
    rated = [
        Rated("a", f"s{n}{system}", str(n), group, system, 0.5, {"grammar": mark + n % 2})
        for group, systems in (("spoken", "ba"), ("news", "ab"))
        for n in range(20)
        for system, mark in zip(systems, (4, 1) if systems == "ba" else (1, 4), strict=True)
    ]
    found = scored(rated)
    assert [question.group for question in found.questions] == ["news", "spoken", "all"]
    assert list(found.rates) == ["a", "b"]
    for question in found.questions:
        assert list(question.means) == ["a", "b"]
        assert [(each.first, each.second) for each in question.contrasts] == [("a", "b")]
    table = found.table()
    assert "p < 0.0001" in table and "= 0.0000" not in table and " 0.0000" not in table


def test_a_latin_square_shows_every_system_equally_often_and_no_sentence_twice(
    files: dict[str, Path],
) -> None:
    sheets = sheets_of(read_outputs(files), raters=3, design="latin")
    seen: Counter[tuple[str, str]] = Counter()
    for sheet in sheets:
        assert len({line.answered for line in sheet}) == len(sheet) == COUNT
        shown = Counter(system for line in sheet for system in line.systems if line.answered != "0")
        counts = [shown[system] for system in SYSTEMS]
        assert max(counts) - min(counts) <= 1
        seen.update((line.answered, line.text) for line in sheet if line.answered != "0")
    assert set(seen.values()) == {1} and len(seen) == 3 * (COUNT - 1)


def test_a_latin_square_is_balanced_within_every_group(tmp_path: Path) -> None:
    files = {}
    for system in SYSTEMS:
        rows = [
            {
                "source": f"Sentence {n}.",
                "text": f"{system} {n}.",
                "group": "news" if n % 5 in (1, 2) else "spoken",
            }
            for n in range(60)
        ]
        files[system] = tmp_path / f"{system}.jsonl"
        files[system].write_text("".join(json.dumps(row) + "\n" for row in rows))
    for sheet in sheets_of(read_outputs(files), raters=3, design="latin"):
        for group, count in (("news", 8), ("spoken", 12), (None, 20)):
            shown = Counter(line.systems for line in sheet if group in (line.group, None))
            assert set(shown.values()) == {count}, group


def fill(path: Path, marks: dict[str, int], key: Path) -> None:
    """Rate all texts of a sheet by who wrote them."""
    lines = json.loads(key.read_text())["lines"]
    with path.open(encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    for number, row in enumerate(rows):
        best = max(marks[system] for system in lines[row["id"]]["systems"])
        row |= {"grammar": str(best), "meaning": str(max(1, best - number % 2))}
    with path.open("w") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_ratings_become_the_papers_tables(files: dict[str, Path], tmp_path: Path, capsys) -> None:
    arguments = [f"{name}={path}" for name, path in files.items()]
    assert run(["rate", "sheet", *arguments, "--output", str(tmp_path / "s"), "--raters", "2"]) == 0
    *sheets, key = map(Path, capsys.readouterr().out.split())
    for path in sheets:
        fill(path, {"alpha": 5, "beta": 2, "omicron": 4}, key)
    assert run(["rate", "score", *map(str, sheets), "--key", str(key)]) == 0
    printed = capsys.readouterr().out
    assert "analysis of variance: F(2, 33)" in printed and "alpha - beta" in printed
    found = score(sheets, key)
    grammar = found.questions[0]
    assert grammar.means["beta"][0] == 2.0 and grammar.means["alpha"][0] > grammar.means["omicron"][0] > 4.0
    assert grammar.alpha == grammar.kappa == 1.0 and grammar.variance.p < 1e-9
    assert run(["rate", "score", str(sheets[0]), "--key", str(key), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["raters"] == 1


def test_answers_under_another_name_and_no_answers_make_no_sheet(
    files: dict[str, Path], tmp_path: Path, capsys
) -> None:
    path = files["alpha"]
    made = [json.loads(line) for line in path.read_text().splitlines()]
    arguments = ["rate", "sheet", f"alpha={path}", "--output", str(tmp_path / "sheet")]
    path.write_text("".join(json.dumps(row | {"compressed": row.pop("text")}) + "\n" for row in made))
    assert run(arguments) == 2
    assert "alpha.jsonl:1: an output needs" in (said := capsys.readouterr().err) and "--into text" in said
    path.write_text("".join(json.dumps(row | {"text": None}) + "\n" for row in made))
    assert run(arguments) == 2
    assert "nothing to rate" in capsys.readouterr().err
    assert not list(tmp_path.glob("sheet*"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_sheet_comes_back_from_a_spreadsheet(
    files: dict[str, Path], tmp_path: Path, delimiter: str
) -> None:
    sheet, key = write_sheets(sheets_of(read_outputs(files), raters=1), tmp_path / "sheet")
    fill(sheet, {"alpha": 5, "beta": 2, "omicron": 4}, key)
    before = score([sheet], key)
    with sheet.open(encoding="utf-8-sig") as stream:
        rows = list(csv.reader(stream))
    assert all(re.fullmatch(r"s\d+[a-z]", row[0]) for row in rows[1:])
    with sheet.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows([*rows, [""] * 5, []])
    assert score([sheet], key) == before


def test_what_is_no_sheet_is_said(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    for content, said in (
        ("", "no column id, source, text"),
        ("id|source|text\n", r"no column .*first line is 'id\|source\|text'"),
        ("id,text,grammar\ns1a,So.,4\n", "no column source;"),
        ("id,source,text,grammar\ns1a,So it is.,So.,4,4\n", "row 2 has 5 cells under 4 names"),
    ):
        path.write_text(content)
        with pytest.raises(LaconicError, match=f"sheet.csv: .*{said}"):
            read_sheet(path)
    with pytest.raises(LaconicError, match="is a directory, expected a sheet"):
        read_sheet(tmp_path)
    with pytest.raises(LaconicError, match="is a directory, expected the key"):
        score([path], tmp_path)
    path.write_bytes("id,source,text\ns1a,Café.,So.\n".encode("latin-1"))
    with pytest.raises(LaconicError, match="save it as CSV in UTF-8"):
        read_sheet(path)


def test_nothing_is_counted_twice(files: dict[str, Path], tmp_path: Path, capsys) -> None:
    sheet, key = write_sheets(sheets_of(read_outputs(files), raters=1), tmp_path / "sheet")
    fill(sheet, {"alpha": 5, "beta": 2, "omicron": 4}, key)
    assert run(["rate", "score", str(sheet), "--key", str(key)]) == 0
    assert capsys.readouterr().out.startswith("1 rater; ")
    (tmp_path / "more").mkdir()
    same = tmp_path / "more" / ".." / "sheet-1.csv"
    with pytest.raises(LaconicError, match=r"sheet-1\.csv: given twice"):
        score([sheet, same], key)
    lines = sheet.read_text().splitlines(keepends=True)
    sheet.write_text("".join([*lines, lines[1]]))
    with pytest.raises(LaconicError, match=rf"row {len(lines) + 1} is line 's\d+[a-z]' again"):
        score([sheet], key)


def test_lines_that_lack_a_rating_are_left_out_and_counted(
    files: dict[str, Path], tmp_path: Path, capsys
) -> None:
    sheet, key = write_sheets(sheets_of(read_outputs(files), raters=1), tmp_path / "sheet")
    fill(sheet, {"alpha": 5, "beta": 2, "omicron": 4}, key)
    with sheet.open(encoding="utf-8-sig") as stream:
        head, *rows = csv.reader(stream)
    rows[0][4] = rows[1][3] = rows[2][3] = " "
    rows[2][4] = ""
    with sheet.open("w") as stream:
        csv.writer(stream).writerows([[*head, "remarks"], *([*row, "Well."] for row in rows)])
    assert run(["rate", "score", str(sheet), "--key", str(key), "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        f"laconic: {sheet}: 1 line without a rating for {what}: left out"
        for what in ("meaning", "grammar", "grammar and meaning")
    ]
    found = json.loads(printed.out)
    assert [question["asked"] for question in found["questions"]] == ["grammar", "meaning"]
    left = sum(len(json.loads(key.read_text())["lines"][row[0]]["systems"]) for row in rows[3:])
    assert sum(count for *_, count in found["questions"][0]["means"].values()) == left
    sheet.write_text(sheet.read_text().replace("meaning", "sense"))
    with pytest.raises(LaconicError, match=r"no column meaning, which .*key\.json asks for"):
        score([sheet], key)


def test_what_people_rated_is_never_written_over(files: dict[str, Path], tmp_path: Path) -> None:
    sheets = sheets_of(read_outputs(files), raters=2)
    first, second, key = write_sheets(sheets, tmp_path / "sheet")
    assert write_sheets(sheets, tmp_path / "sheet") == [first, second, key]
    fill(second, {"alpha": 5, "beta": 2, "omicron": 4}, key)
    before = {path: path.read_bytes() for path in (first, second, key)}
    for seed in (1, 2):
        again = sheets_of(read_outputs(files), raters=2, seed=seed)
        with pytest.raises(LaconicError, match=r"sheet-[12]\.csv: is there .* name another --output"):
            write_sheets(again, tmp_path / "sheet")
    assert {path: path.read_bytes() for path in before} == before


def test_the_key_of_another_sheet_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    answers = read_outputs(files)
    sheet, key = write_sheets(sheets_of(answers, raters=1), tmp_path / "sheet")
    fill(sheet, {"alpha": 5, "beta": 2, "omicron": 4}, key)
    for path in files.values():
        path.write_text(path.read_text().replace("Sentence", "Headline"))
    _, other = write_sheets(sheets_of(read_outputs(files), raters=1), tmp_path / "other")
    with pytest.raises(LaconicError, match=r"sheet-1\.csv: line .* than in .*other\.key\.json; give the key"):
        score([sheet], other)
    respaced = sheet.read_text().replace(" is long.", "  is long. ")
    sheet.write_text(respaced)
    assert score([sheet], key).raters == 1


def test_what_is_wrong_is_named(files: dict[str, Path], tmp_path: Path, capsys) -> None:
    *sheets, key = write_sheets(sheets_of(read_outputs(files), raters=1), tmp_path / "sheet")
    with pytest.raises(LaconicError, match="no ratings yet"):
        score(sheets, key)
    fill(sheets[0], {"alpha": 9, "beta": 2, "omicron": 4}, key)
    with pytest.raises(LaconicError, match=r"grammar of .* from 1 to 5"):
        score(sheets, key)
    with pytest.raises(LaconicError, match="not the key"):
        score(sheets, files["alpha"])
    files["beta"].write_text(json.dumps({"source": "Another.", "text": "No."}) + "\n")
    with pytest.raises(LaconicError, match="different sentences"):
        read_outputs(files)
    files["beta"].write_text(json.dumps({"text": "No."}) + "\n")
    with pytest.raises(LaconicError, match=r"beta.jsonl:1: an output needs"):
        read_outputs(files)
    assert run(["rate", "sheet", "nameless", "--output", "x"]) == 2
    assert "NAME=FILE" in capsys.readouterr().err


def test_the_page_keeps_every_rating_at_once(files: dict[str, Path], tmp_path: Path) -> None:
    path, _ = write_sheets(sheets_of(read_outputs(files), raters=1), tmp_path / "sheet")
    server = create_server(path, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:

        def ask(method: str, place: str, body: object = None, **headers: str) -> tuple[int, bytes]:
            connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
            content = None if body is None else json.dumps(body)
            more = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, place, content, more | headers)
            answer = connection.getresponse()
            found = answer.status, answer.read()
            connection.close()
            return found

        status, page = ask("GET", "/")
        assert status == 200 and b"http" not in page.split(b"<script>")[0].lower()
        sheet = json.loads(ask("GET", "/sheet")[1])
        name = sheet["lines"][0]["id"]
        assert set(sheet["lines"][0]) == {"id", "source", "text", "grammar", "meaning"}
        assert ask("POST", "/rating", {"id": name, "asked": "grammar", "rating": 4})[0] == 204
        with path.open(encoding="utf-8-sig") as stream:
            assert next(csv.DictReader(stream))["grammar"] == "4"
        assert ask("POST", "/rating", {"id": name, "asked": "grammar", "rating": 6})[0] == 400
        assert ask("POST", "/rating", {"id": "99.9", "asked": "grammar", "rating": 3})[0] == 400
        for host, status in (
            ("evil.example:80", 403),
            ("evil.example", 403),
            ("localhost", 200),
            ("127.0.0.1", 200),
        ):
            assert ask("GET", "/sheet", Host=host)[0] == status, host
        assert ask("GET", "/other")[0] == 404
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
