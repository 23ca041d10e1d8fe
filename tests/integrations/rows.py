"""Rows for the engines, and what `laconic batch` makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TEXTS = [
    text.format(number)
    for number in range(12)
    for text in (
        "The old mill number {} by the river, which had stood empty for years, was sold on Monday, the owner said.",
        "Rain, {}.",
        "The council agreed on Tuesday to lower the fees for all {} boats, the mayor said.",
        "It fell again in week {}, as it had every week since the shop on the corner closed its doors.",
    )
]
ROOM = [6 + number % 4 for number in range(len(TEXTS))]
ROOM[5] = 0  # which no text can meet
COLUMNS: dict[str, list[Any]] = {"id": list(range(len(TEXTS))), "body": TEXTS, "room": ROOM}
ASKED: dict[str, Any] = {"column": "body", "from_columns": {"words": "room"}, "per": "sentence"}


def expected() -> list[tuple[int, str | None, str | None]]:
    """The id, the shortened text and the error of each row, as `laconic batch` writes them."""
    from laconic.batch.job import Job
    from laconic.batch.rows import Columns

    named = {name: ASKED[name] for name in ("column", "from_columns")}
    options = {name: value for name, value in ASKED.items() if name not in named}
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    with TemporaryDirectory() as folder:
        source, output = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        source.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        Job((str(source),), output, Columns(**named, options=options), workers=1).run()
        return answers([json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()])


def answers(records: list[dict[str, Any]]) -> list[tuple[int, str | None, str | None]]:
    """The same of records of any engine, in the order of the ids."""
    found = ((each["id"], each["compressed"], each["error"]) for each in records)
    return sorted((number, text or None, error or None) for number, text, error in found)
