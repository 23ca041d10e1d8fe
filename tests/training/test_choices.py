"""What was chosen by readers: stored without texts, and counted against the default as it was."""

from __future__ import annotations

import json
from pathlib import Path

from training.choices import CHOICES, contests, rows
from training.written import DIGITS, unpacked


def test_what_is_kept_holds_keys_places_and_ratings_and_no_text() -> None:
    for line in CHOICES.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert set(record) == {"sheet", "text", "limit", "read"} and len(record["text"]) == DIGITS
        int(record["text"], 16)
        kept = [unpacked(runs) for runs, *_ in record["read"]]
        assert all(kept) and len(set(kept)) == len(kept) > 1
        names = [name for *_, names in record["read"] for name in names]
        assert len(set(names)) == len(names)
        assert {rating for _, *ratings, _ in record["read"] for rating in ratings} <= set(range(1, 6))


def test_variants_are_counted_where_their_answers_differ(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    records = (
        [[[0, 3], 5, 4, ["before", "one"]], [[0, 2], 4, 2, ["other"]]],
        [[[0, 4], 3, 3, ["before"]], [[0, 5], 5, 5, ["one", "other"]]],
    )
    lines = (json.dumps({"sheet": "s", "text": "0" * 16, "limit": "any", "read": read}) for read in records)
    path.write_text("\n".join(lines), encoding="utf-8")
    _, *found = rows(contests(path))
    assert found == [
        ("s", "one", "1", "1", "0", "0", "1", "0", "0"),
        ("s", "other", "2", "1", "1", "1", "1", "0", "1"),
    ]
