"""Compressions written for laconic: stored without texts, read by them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from training.written import DIGITS, KINDS, PAIRS, TREEBANKS, WRITTEN, key_of, packed, read_written, unpacked


@given(st.sets(st.integers(0, 60)))
def test_runs_come_back(words: set[int]) -> None:
    kept = tuple(sorted(words))
    assert unpacked(packed(kept)) == kept


def test_what_ships_holds_keys_and_places_and_no_text() -> None:
    records = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]
    assert len(records) > 2000 and len({record["text"] for record in records}) == len(records)
    for record in records:
        assert set(record) <= {"text", *KINDS} and len(record["text"]) == DIGITS
        int(record["text"], 16)
        for kind in KINDS:
            assert all(isinstance(run, int) and run >= 0 for run in record.get(kind, ()))


def test_sentences_are_found_by_their_keys(tmp_path: Path) -> None:
    text, other = "The mayor resigned on Monday.", "Nobody had expected it."
    (tmp_path / "treebank").mkdir()
    (tmp_path / "compression").mkdir()
    for name in TREEBANKS:
        with gzip.open(tmp_path / "treebank" / f"{name}.conllu.gz", "wt", encoding="utf-8") as stream:
            stream.write(f"# text = {text}\n")
    pairs = tmp_path / "compression" / f"{PAIRS}.jsonl"
    pairs.write_text(json.dumps({"source": other}) + "\n", encoding="utf-8")
    path = tmp_path / "compressions.jsonl"
    kept = {"half": packed((0, 1, 2, 5))}
    lines = [{"text": key_of(text), **kept}, {"text": key_of("Somebody else wrote this."), **kept}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    [found] = read_written(tmp_path, path)
    assert [found.sentence.words[word] for word in found.kept["half"]] == ["The", "mayor", "resigned", "."]
