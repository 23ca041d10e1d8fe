"""Rows for the engines, and what one process makes of them."""

from __future__ import annotations

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
COLUMNS: dict[str, list[Any]] = {"id": list(range(len(TEXTS))), "body": TEXTS, "room": ROOM}
ASKED: dict[str, Any] = {"column": "body", "from_columns": {"words": "room"}, "per": "sentence"}


def expected() -> list[tuple[int, str | None, str | None]]:
    """The id, the shortened text and the error of each row."""
    import pyarrow as pa

    from laconic.batch.rows import compress_table

    return answers(compress_table(pa.table(COLUMNS), **ASKED).to_pylist())


def answers(records: list[dict[str, Any]]) -> list[tuple[int, str | None, str | None]]:
    """The same of records of any engine, in the order of the ids."""
    found = ((each["id"], each["compressed"], each["error"]) for each in records)
    return sorted((number, text or None, error or None) for number, text, error in found)
