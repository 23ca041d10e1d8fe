"""What several systems made of the same sentences, as JSON Lines hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laconic.errors import FormatError, LaconicError
from laconic.formats.jsonl import read_json_lines


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of all systems to one request: the sentence, the group it belongs to, and a text for each system.

    A system that gave no answer has None. `group` is what tables are made for apart, such as a corpus or a limit.
    """

    id: str
    source: str
    group: str
    texts: Mapping[str, str | None]


def read_outputs(files: Mapping[str, Path]) -> list[Answers]:
    """The answers in a file for each system: JSON objects with `source` and `text`, perhaps with `id` and `group`.

    A `text` of null is no answer; one that is absent is a mistake, such as another name for the answers.
    Without `id` the lines are taken in their order. All systems must have answered the same sentences.
    """
    if not files:
        raise LaconicError("there are no outputs to rate: give NAME=FILE for every system")
    found = {system: _read(path) for system, path in files.items()}
    first_name, first = next(iter(found.items()))
    for system, rows in found.items():
        if rows.keys() != first.keys():
            odd = next(iter(rows.keys() ^ first.keys()))
            raise LaconicError(
                f"{system} and {first_name} answered different sentences: only one has {odd!r}"
            )
        for name, row in rows.items():
            if row["source"] != first[name]["source"]:
                raise LaconicError(f"{system} and {first_name} were given different sentences as {name!r}")
    return [
        Answers(
            name, row["source"], row["group"], {system: rows[name]["text"] for system, rows in found.items()}
        )
        for name, row in first.items()
    ]


def _read(path: Path) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(read_json_lines(path), start=1):
        source, text, group = row.get("source"), row.get("text", ...), row.get("group", "")
        if not (isinstance(source, str) and isinstance(text, str | None) and isinstance(group, str)):
            raise FormatError(
                "an output needs the texts `source` and `text` (null where there is no answer), and `group` if there "
                f"is one; found {', '.join(row)} (`laconic batch` writes `text` with --into text)",
                source=str(path),
                line=number,
            )
        name = str(row.get("id", number))
        if name in rows:
            raise FormatError(f"{name!r} is answered twice", source=str(path), line=number)
        rows[name] = {"source": source, "text": text, "group": group}
    if not rows:
        raise LaconicError(f"{path}: no outputs")
    return rows
