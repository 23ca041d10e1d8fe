"""Readings of compressions: stored without texts, each of a sentence of which compressions were written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from training.read_lists import DOUBTED_LISTS, READ_LISTS
from training.readings import LIMITS, READINGS, readings
from training.written import DIGITS, WRITTEN


def test_what_ships_holds_keys_places_and_ratings_and_no_text() -> None:
    for line in READINGS.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert set(record) == {"text", "limit", "read"} and len(record["text"]) == DIGITS
        int(record["text"], 16)
        assert record["limit"] in LIMITS
        for runs, grammar, meaning in record["read"]:
            assert all(isinstance(run, int) and run >= 0 for run in runs)
            assert {grammar, meaning} <= set(range(1, 6))


def test_no_two_readings_are_of_the_same_words() -> None:
    lines = READINGS.read_text(encoding="utf-8").splitlines()
    found = readings()
    assert len(found) == len(lines)
    assert sum(map(len, found.values())) == sum(len(json.loads(line)["read"]) for line in lines)
    assert all(kept for read in found.values() for kept in read)


def test_what_was_read_is_of_sentences_that_were_compressed() -> None:
    lines = WRITTEN.read_text(encoding="utf-8").splitlines()
    assert {text for text, _ in readings()} <= {json.loads(line)["text"] for line in lines}


@pytest.mark.parametrize("path", [READ_LISTS, DOUBTED_LISTS], ids=lambda path: path.stem)
def test_whole_lists_hold_keys_places_ratings_and_ranks_and_no_text(path: Path) -> None:
    seen = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert set(record) == {"text", "limit", "read"} and len(record["text"]) == DIGITS
        int(record["text"], 16)
        assert record["limit"] in LIMITS
        seen.add((record["text"], record["limit"]))
        ranks = [rank for *_, rank in record["read"]]
        assert ranks[0] == 0 and sorted(set(ranks)) == ranks
        for runs, grammar, meaning, _ in record["read"]:
            assert all(isinstance(run, int) and run >= 0 for run in runs)
            assert {grammar, meaning} <= set(range(1, 6))
    assert len(seen) == len(path.read_text(encoding="utf-8").splitlines())


def test_no_sentence_of_a_whole_list_was_read_before() -> None:
    first, later = (
        {json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()}
        for path in (READ_LISTS, DOUBTED_LISTS)
    )
    read = {text for text, _ in readings()}
    assert not first & read and not later & (read | first)
