"""Readings: sheets are blind, scores are right, and what is kept holds no text."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from experiments._sources import shipped_models
from experiments.readings import NATURAL, Rated

from experiments import judge, readings
from laconic.corpora.registry import checksum, find_corpus
from laconic.errors import LaconicError

WORDS = "the old ferry left its quiet harbour late because heavy fog hid both lights near that long pier"


def sentence(number: int) -> str:
    """A sentence of 19 words and a stop, different for every number."""
    return f"On day {number} {WORDS}.".replace("pier.", f"pier{'!' if number % 2 else '.'}")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Corpora of our own, each of forty sentences with one that is too short and one that does not end."""
    folder = tmp_path / "data"
    for name in ("treebank", "compression", "readings"):
        (folder / name).mkdir(parents=True)
    for shift, name in enumerate(readings.CORPORA.values()):
        path = find_corpus(name).path
        texts = ["Too short.", f"{sentence(7)} and then", *(sentence(100 * shift + n) for n in range(40))]
        if path.endswith(".gz"):
            content = "".join(f"# sent_id = {n}\n# text = {text}\n\n" for n, text in enumerate(texts))
            (folder / path).write_bytes(gzip.compress(content.encode()))
        else:
            lines = "".join(json.dumps({"source": text, "target": "None."}) + "\n" for text in texts)
            (folder / path).write_text(lines)
    read = [{"source": sentence(100 * shift + n)} for shift in range(4) for n in range(5)]
    (folder / "readings" / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in read))
    return folder


def test_what_is_drawn_is_new_whole_and_the_same_every_time(data: Path) -> None:
    drawn = readings.draw(data, seed=3, count=10)
    assert drawn == readings.draw(data, seed=3, count=10) != readings.draw(data, seed=4, count=10)
    assert len({place for place, _ in drawn}) == len(drawn) == 60
    seen = {json.loads(line)["source"] for line in (data / "readings" / "dev.jsonl").read_text().splitlines()}
    for (corpus, line, _), text in drawn:
        assert dict(readings.sentences(data, corpus))[line] == text
        assert text not in seen and text[-1] in ".?!" and len(text.split()) > 14
    for limit in readings.LIMITS:
        corpora = [corpus for (corpus, _, asked), _ in drawn if asked == limit and corpus != "google.dev"]
        assert len(corpora) == 10 and corpora.count("msr.dev") == 2
    assert {place[2] for place, _ in drawn if place[0] == "google.dev"} == {NATURAL}


def test_more_than_there_is_cannot_be_drawn(data: Path) -> None:
    with pytest.raises(LaconicError, match="ask for fewer"):
        readings.draw(data, seed=3, count=30)


SIGNED = {"models": {"annotator": "0123456789ab"}, "data": {"ewt.dev": "ba9876543210", "gum.dev": "5"}}


def answered(path: Path, texts: list[tuple[str, str, list[int]]], version: str, **signed: Any) -> Path:
    """A file of answers: limit, text and kept words of each sentence."""
    rows = [
        {"corpus": "ewt.dev", "line": n, "limit": limit, "source": f"Source {n} says so.", "text": text}
        | {"kept": kept, "notes": [], "version": version, **signed}
        for n, (limit, text, kept) in enumerate(texts)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Two systems, of three answers one in common; the reader likes the old one's first and the new one's last."""
    half = "exactly half of the words"
    old = answered(
        tmp_path / "old.jsonl",
        [(NATURAL, "Alpha.", [0]), (NATURAL, "Beta.", [1]), (half, "Gamma.", [0, 1])],
        "1.0 abc",
    )
    new = answered(
        tmp_path / "new.jsonl",
        [(NATURAL, "Delta.", [2]), (NATURAL, "Beta.", [1, 4]), (half, "Epsilon.", [0, 2])],
        "1.1 def",
        **SIGNED,
    )
    [path] = readings.make_sheets({"old": old, "new": new}, tmp_path / "sheet")
    return path


def rate(sheet: Path, marks: dict[str, tuple[int, int]], **more: Any) -> None:
    """Write a reader's ratings, by the text of an answer."""
    lines = [line.strip() for line in sheet.with_name(f"{sheet.name}.txt").read_text().splitlines()]
    rows = []
    for line in lines:
        identity, _, text = line.partition(": ")
        if text in marks:
            grammar, meaning = marks[text]
            rows.append({"id": identity, "grammar": grammar, "meaning": meaning, "faults": [], **more})
    content = "".join(json.dumps(row) + "\n" for row in rows)
    sheet.with_name(f"{sheet.name}.ratings.jsonl").write_text(content)


MARKS = {"Alpha.": (5, 4), "Beta.": (4, 3), "Gamma.": (2, 1), "Delta.": (3, 2), "Epsilon.": (5, 5)}


def test_a_sheet_is_blind(sheet: Path) -> None:
    text = sheet.with_name("sheet.txt").read_text()
    assert text.count("Beta.") == 1 and text.count("SOURCE") == 3
    assert "old" not in text and "new" not in text
    key = sheet.with_name("sheet.key.json").read_text()
    assert not any(word.strip(".") in key for word in ("Source", *MARKS))


def test_scores_are_those_of_each_limit_and_system(sheet: Path) -> None:
    rate(sheet, MARKS)
    signature, read = readings.read_sheet(sheet)
    assert signature.systems == {"old": "1.0 abc", "new": "1.1 def"}
    rows = {row[:2]: row[2:] for row in readings.shares(read)}
    assert rows[NATURAL, "old"] == ("2", "50%", "4.50", "3.50", "0%")
    assert rows[NATURAL, "new"] == ("2", "0%", "3.50", "2.50", "50%")
    assert rows["exactly half of the words", "new"] == ("1", "100%", "5.00", "5.00", "0%")
    assert rows["all but Google", "old"][0] == "3"
    systems = list(dict.fromkeys(rating.system for rating in read))
    better, worse = ("better 1, worse 0", "better 0, worse 1")[:: 1 if systems[0] == "old" else -1]
    assert list(readings.contests(read)) == [
        f"{NATURAL}: {systems[0]} against {systems[1]}: {better}, equal 0",
        f"exactly half of the words: {systems[0]} against {systems[1]}: {worse}, equal 0",
    ]


def test_what_is_kept_holds_no_text_and_comes_back(sheet: Path, tmp_path: Path) -> None:
    rate(sheet, MARKS, faults=["lost-negation", "Alpha is gone!"], why="Alpha is gone")
    folder = tmp_path / "kept"
    readings.keep([sheet], "first", folder)
    stored = (folder / "first.json").read_text()
    assert not any(word.strip(".") in stored for word in ("Source", "why", *MARKS))
    signature, read = readings.kept_reading("first", folder)
    assert sorted(read) == sorted(readings.read_sheet(sheet)[1])
    assert signature.systems == readings.read_sheet(sheet)[0].systems
    assert signature.models == {"old": "unknown", "new": SIGNED["models"]}
    assert signature.data == {"ewt.dev": "ba9876543210"}
    assert {tuple(rating.faults) for rating in read} == {("lost-negation", "other")}
    page = (folder / "README.md").read_text()
    assert "language models" in page and "not" in page and "## first" in page and "1.0 abc" in page
    assert "Corpora: ewt.dev ba9876543210.\nThe models of old are not known.\n" in page
    readings.keep([sheet], "second", folder)
    assert "## first" in (folder / "README.md").read_text()


def test_what_answers_note_says_what_ran_on_what(data: Path) -> None:
    signed = readings.installed(data)
    assert signed["models"] == shipped_models()
    assert signed["data"]["gum.dev"] == checksum(data / "treebank/gum.dev.conllu.gz")[:12]
    assert set(signed["data"]) == set(readings.CORPORA)


def test_a_key_of_before_checksums_is_kept_as_unknown(sheet: Path, tmp_path: Path) -> None:
    path = sheet.with_name("sheet.key.json")
    key = json.loads(path.read_text())
    path.write_text(json.dumps({name: key[name] for name in ("systems", "answers")}))
    rate(sheet, MARKS)
    readings.keep([sheet], "first", tmp_path / "kept")
    signature, _ = readings.kept_reading("first", tmp_path / "kept")
    assert (signature.models, signature.data) == (
        {"old": "unknown", "new": "unknown"},
        {"ewt.dev": "unknown"},
    )


@pytest.mark.parametrize("path", sorted(readings.RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_every_kept_reading_has_a_signature(path: Path) -> None:
    signature, read = readings.kept_reading(path.stem)
    assert set(signature.models) == set(signature.systems) == {rating.system for rating in read}
    known = {name: find_corpus(registered).sha256[:12] for name, registered in readings.CORPORA.items()}
    assert signature.data == {corpus: known[corpus] for corpus in sorted({rating.corpus for rating in read})}
    for system, models in signature.models.items():
        of_a_commit = re.fullmatch(r"[\d.]+ [0-9a-f]{7,}", signature.systems[system])
        assert models != readings.UNKNOWN or of_a_commit is None, system


def test_ratings_that_lack_or_are_none_are_named(sheet: Path) -> None:
    rate(sheet, {text: marks for text, marks in MARKS.items() if text != "Gamma."})
    with pytest.raises(LaconicError, match="no rating of"):
        readings.read_sheet(sheet)
    rate(sheet, MARKS | {"Gamma.": (6, 1)})
    with pytest.raises(LaconicError, match="from 1 to 5"):
        readings.read_sheet(sheet)


def test_parts_hold_every_sentence_once(tmp_path: Path) -> None:
    texts = [(NATURAL, f"Text {n}.", [n]) for n in range(7)]
    path = answered(tmp_path / "a.jsonl", texts, "1.0")
    parts = readings.make_sheets({"a": path}, tmp_path / "dealt", parts=3)
    assert len(parts) == 3
    written = "".join(part.with_name(f"{part.name}.txt").read_text() for part in parts)
    assert all(written.count(f"Text {n}.") == 1 for n in range(7))


def test_answers_to_different_sentences_make_no_sheet(tmp_path: Path) -> None:
    one = answered(tmp_path / "a.jsonl", [(NATURAL, "Alpha.", [0])], "1.0")
    other = answered(tmp_path / "b.jsonl", [(NATURAL, "Alpha.", [0]), (NATURAL, "Beta.", [0])], "1.0")
    with pytest.raises(LaconicError, match="different sentences"):
        readings.make_sheets({"one": one, "other": other}, tmp_path / "sheet")


def test_answers_to_other_data_make_no_sheet(tmp_path: Path) -> None:
    texts: list[tuple[str, str, list[int]]] = [(NATURAL, "Alpha.", [0])]
    one = answered(tmp_path / "a.jsonl", texts, "1.0", **SIGNED)
    other = answered(tmp_path / "b.jsonl", texts, "1.0", models={}, data={"ewt.dev": "0"})
    with pytest.raises(LaconicError, match="different files"):
        readings.make_sheets({"one": one, "other": other}, tmp_path / "sheet")


def test_answers_keep_what_they_say_and_fit_their_limits() -> None:
    drawn = [(("ewt.dev", n, limit), sentence(n)) for n, limit in enumerate(readings.LIMITS)]
    for row in readings.answers(drawn, {"version": "1.0"}):
        assert row["version"] == "1.0" and row["text"] and row["kept"]
        if row["limit"] == "at most 75 characters":
            assert len(row["text"]) <= 75


def test_the_judge_is_held_against_readers(data: Path) -> None:
    [(line, text), *_] = [found for found in readings.sentences(data, "ewt.dev") if found[0] == 2]
    everything = list(range(len(text.split()) + 1))
    read = [
        Rated("ewt.dev", line, NATURAL, "all", "0.0", everything, 5, 5, []),
        Rated("ewt.dev", line, NATURAL, "scraps", "0.1", [0, 9, 12], 1, 1, []),
    ]
    found = judge.agreement(read, data)
    assert (found["answers"], found["area"], found["pairs"], found["alike"]) == (2, 1.0, 1, 1)
    (_, _, count, meant, said), (*_, scraps, disliked) = found["rows"]
    assert (count, said, disliked) == (1, 1.0, 0.0) and meant > 0.9
    assert judge.off_by(found) == pytest.approx((1 - meant + scraps) / 2)


def test_the_area_under_the_curve_counts_pairs() -> None:
    assert judge.area_under_curve([(0.9, True), (0.5, False), (0.5, True), (0.1, True)]) == 0.5
