"""Blind sheets: who wrote what is in a key of its own, equal texts are rated once, and the order is random."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from string import ascii_lowercase
from typing import Any, Literal

from laconic.errors import LaconicError
from laconic.files import write_whole
from laconic.rating.outputs import Answers

ASKED = ("grammar", "meaning")
"""What is asked of every text, from 1 to 5."""
COLUMNS = ("id", "source", "text")
DELIMITERS = (",", ";", "\t")

Design = Literal["every", "latin"]


@dataclass(frozen=True, slots=True)
class Line:
    """One text to rate: its name on the sheet, the sentence it was made of, and who wrote it, which nobody sees."""

    name: str
    answered: str
    group: str
    source: str
    text: str
    systems: tuple[str, ...]


def digest(source: str, text: str) -> str:
    """What tells a line from those of other sheets, however a spreadsheet breaks and spaces it."""
    words = "\0".join(" ".join(part.split()) for part in (source, text))
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def sheets_of(
    answers: Sequence[Answers], *, raters: int, design: Design = "every", seed: int = 1
) -> list[list[Line]]:
    """The lines of each rater's sheet, in random order.

    With `every`, all raters see all texts, those of a sentence together. With `latin`, a rater sees one text of each
    sentence, and all systems equally often, in every group, too (Cohn & Lapata 2009): rater r sees what system (r + k)
    modulo the number of systems made of the k-th sentence, group by group, so that as many raters as there are systems
    see everything once.
    """
    if raters < 1:
        raise LaconicError(f"at least one rater is needed, not {raters}")
    if not any(text is not None for each in answers for text in each.texts.values()):
        raise LaconicError("no system answered anything: there is nothing to rate")
    generator = random.Random(seed)
    order = sorted(answers, key=lambda each: each.id)
    generator.shuffle(order)
    if design == "every":
        sheet = [lines_of(number, each, generator) for number, each in enumerate(order)]
        return [_shuffled(sheet, generator) for _ in range(raters)]
    systems = sorted({system for each in answers for system in each.texts})
    turns = {each.id: turn for turn, each in enumerate(sorted(order, key=lambda each: each.group))}
    sheets = []
    for rater in range(raters):
        chosen = []
        for number, each in enumerate(order):
            # The names are the same on every sheet, so that one key is enough.
            lines = lines_of(number, each, random.Random(f"{seed} {each.id}"))
            wanted = systems[(rater + turns[each.id]) % len(systems)]
            chosen.append([line for line in lines if wanted in line.systems])
        sheets.append(_shuffled(chosen, generator))
    return sheets


def _shuffled(sheet: Sequence[Sequence[Line]], generator: random.Random) -> list[Line]:
    """The sentences in random order."""
    sentences = list(sheet)
    generator.shuffle(sentences)
    return [line for lines in sentences for line in lines]


def lines_of(number: int, answers: Answers, generator: random.Random) -> list[Line]:
    """The different texts that systems made of a sentence, in random order, named by its number and their letters.

    A name such as s12a is neither a number nor a date, which spreadsheets would write in their own way.
    """
    texts = sorted({text for text in answers.texts.values() if text is not None})
    generator.shuffle(texts)
    return [
        Line(
            f"s{number}{_letters(place)}",
            answers.id,
            answers.group,
            answers.source,
            text,
            tuple(system for system, written in answers.texts.items() if written == text),
        )
        for place, text in enumerate(texts)
    ]


def _letters(place: int) -> str:
    """The names of places: a to z, then za and so on."""
    return "z" * (place // 26) + ascii_lowercase[place % 26]


def key_of(sheets: Iterable[Iterable[Line]]) -> dict[str, dict[str, Any]]:
    """Who wrote what, and how much shorter it is, by the names on the sheets; of the texts only a digest."""
    found: dict[str, dict[str, Any]] = {}
    for line in (line for sheet in sheets for line in sheet):
        rate = len(line.text.split()) / max(1, len(line.source.split()))
        found[line.name] = {
            "id": line.answered,
            "group": line.group,
            "systems": list(line.systems),
            "rate": round(rate, 4),
            "digest": digest(line.source, line.text),
        }
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


def write_sheets(
    sheets: Sequence[Sequence[Line]], output: Path, *, asked: Sequence[str] = ASKED
) -> list[Path]:
    """Write a CSV file for each rater and the key beside them; returns the paths, the key's last.

    What is there already with other content stays, perhaps with ratings in it, and nothing is written.
    """
    contents: dict[Path, str] = {}
    for number, sheet in enumerate(sheets, start=1):
        stream = io.StringIO()
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow([*COLUMNS, *asked])
        rows.writerows([line.name, line.source, line.text, *[""] * len(asked)] for line in sheet)
        contents[beside(output, f"-{number}.csv")] = stream.getvalue()
    key = json.dumps({"asked": list(asked), "lines": key_of(sheets)}, indent=1) + "\n"
    contents[beside(output, ".key.json")] = key
    for path, content in contents.items():
        if path.exists() and path.read_bytes() != content.encode():
            raise LaconicError(
                f"{path}: is there with other content, perhaps ratings; name another --output, or move it away"
            )
    for path, content in contents.items():
        _write(path, content)
    return list(contents)


def read_sheet(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """What is asked on a sheet, and its lines: `id`, `source`, `text` and the ratings, empty where there are none.

    Spreadsheets may part cells by commas, semicolons or tabs, and leave empty lines.
    """
    try:
        content = path.read_text(encoding="utf-8-sig")
        head, _, _ = content.partition("\n")
        delimiter = max(DELIMITERS, key=head.count)
        found = list(csv.reader(io.StringIO(content, newline=""), delimiter=delimiter))
    except IsADirectoryError:
        raise LaconicError(f"{path}: is a directory, expected a sheet") from None
    except OSError as error:
        raise LaconicError(f"{path}: {error.strerror}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise LaconicError(f"{path}: not a sheet in CSV ({error}); save it as CSV in UTF-8") from None
    names = found[0] if found else []
    if missing := [name for name in COLUMNS if name not in names]:
        raise LaconicError(
            f"{path}: not a sheet of `laconic rate sheet`: it has no column {', '.join(missing)}; "
            f"its first line is {head.strip()!r}"
        )
    rows: dict[str, dict[str, str]] = {}
    for number, cells in enumerate(found[1:], start=2):
        if len(cells) > len(names):
            raise LaconicError(f"{path}: row {number} has {len(cells)} cells under {len(names)} names")
        if any(cells):
            row = dict(zip_longest(names, cells, fillvalue=""))
            if row["id"] in rows:
                raise LaconicError(f"{path}: row {number} is line {row['id']!r} again; leave one of them")
            rows[row["id"]] = row
    return [name for name in names if name and name not in COLUMNS], list(rows.values())


def write_ratings(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    """Write a sheet again, with its ratings; whole or not at all."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    _write(path, stream.getvalue())


def beside(path: Path, ending: str) -> Path:
    """A file with the same name and another ending."""
    return path.with_name(path.name + ending)


def _write(path: Path, content: str) -> None:
    with write_whole(path) as stream:
        stream.write(content.encode())
