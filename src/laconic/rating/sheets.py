"""Blind sheets: who wrote what is in a key of its own, equal texts are rated once, and the order is random."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
import re
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
_ENCODING = "utf-8-sig"  # by its mark Excel knows UTF-8
_FORMULA = re.compile(r"'*\s*[=+\-@]")

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
    """The lines of each rater's sheet, sentences in random order.

    With `every`, all raters see all texts, those of a sentence together, and every system stands equally often in each
    place: what is first is the next system for the next sentence and for the next rater.

    With `latin`, a rater sees one text of each sentence, and all systems equally often, in every group, too (Cohn &
    Lapata 2009): rater r sees what system (r + k) modulo the number of systems made of the k-th sentence, group by
    group, so that as many raters as there are systems see everything once.
    """
    if raters < 1:
        raise LaconicError(f"at least one rater is needed, not {raters}")
    if not any(text is not None for each in answers for text in each.texts.values()):
        raise LaconicError("no system answered anything: there is nothing to rate")
    generator = random.Random(seed)
    order = sorted(answers, key=lambda each: each.id)
    generator.shuffle(order)
    systems = sorted({system for each in answers for system in each.texts})
    turns = {each.id: turn for turn, each in enumerate(sorted(order, key=lambda each: each.group))}
    sheets = []
    if design == "every":
        named = {each.id: lines_of(number, each, generator) for number, each in enumerate(order)}
        for rater in range(raters):
            arranged = [_arranged(lines, systems, turns[of], rater, seed) for of, lines in named.items()]
            sheets.append(_shuffled(arranged, generator))
        return sheets
    for rater in range(raters):
        chosen = []
        for number, each in enumerate(order):
            # The names are the same on every sheet, so that one key is enough.
            lines = lines_of(number, each, random.Random(f"{seed} {each.id}"))
            wanted = systems[(rater + turns[each.id]) % len(systems)]
            chosen.append([line for line in lines if wanted in line.systems])
        sheets.append(_shuffled(chosen, generator))
    return sheets


def _arranged(lines: Sequence[Line], systems: Sequence[str], turn: int, rater: int, seed: int) -> list[Line]:
    """The texts of a sentence in the order of its turn: a circle of systems, another for every round of turns."""
    round_, step = divmod(turn, len(systems))
    circle = random.Random(f"{seed} {round_}").sample(systems, len(systems))
    place = {system: (at - step - rater) % len(systems) for at, system in enumerate(circle)}
    return sorted(lines, key=lambda line: min(place[system] for system in line.systems))


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
    contents: dict[Path, bytes] = {}
    for number, sheet in enumerate(sheets, start=1):
        stream = io.StringIO()
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow([*COLUMNS, *asked])
        rows.writerows(
            [line.name, _cell(line.source), _cell(line.text), *[""] * len(asked)] for line in sheet
        )
        contents[beside(output, f"-{number}.csv")] = stream.getvalue().encode(_ENCODING)
    key = json.dumps({"asked": list(asked), "lines": key_of(sheets)}, indent=1) + "\n"
    contents[beside(output, ".key.json")] = key.encode()
    for path, content in contents.items():
        if path.exists() and path.read_bytes() != content:
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
        content = path.read_text(encoding=_ENCODING)
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
            row |= {name: _uncelled(row[name]) for name in ("source", "text")}
            if row["id"] in rows:
                raise LaconicError(f"{path}: row {number} is line {row['id']!r} again; leave one of them")
            rows[row["id"]] = row
    return [name for name in names if name and name not in COLUMNS], list(rows.values())


def write_ratings(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    """Write a sheet again, with its ratings; whole or not at all."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "source": _cell(row["source"]), "text": _cell(row["text"])} for row in rows)
    _write(path, stream.getvalue().encode(_ENCODING))


def _cell(text: str) -> str:
    """A text as a cell that no spreadsheet takes for a formula: with an apostrophe where it begins like one."""
    return f"'{text}" if _FORMULA.match(text) else text


def _uncelled(cell: str) -> str:
    """The text of a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def beside(path: Path, ending: str) -> Path:
    """A file with the same name and another ending."""
    return path.with_name(path.name + ending)


def _write(path: Path, content: bytes) -> None:
    with write_whole(path) as stream:
        stream.write(content)
