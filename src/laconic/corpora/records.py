"""JSON Lines, one record a line, with every fault named by file and line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from laconic.errors import FormatError, LaconicError
from laconic.files import read_lines
from laconic.formats import OnError

T = TypeVar("T")
Record = dict[str, Any]


@dataclass(slots=True)
class Skipped:
    """An error handler that skips broken lines and remembers why.

    >>> skipped = Skipped()
    >>> skipped(FormatError("no field 'source'", source="a.jsonl", line=3))
    >>> skipped.count, str(skipped.errors[0])
    (1, "a.jsonl:3: no field 'source'")
    """

    errors: list[FormatError] = field(default_factory=list)

    def __call__(self, error: FormatError) -> None:
        """Remember the error."""
        self.errors.append(error)

    @property
    def count(self) -> int:
        """The number of lines skipped."""
        return len(self.errors)


def read_records(
    path: Path, convert: Callable[[int, Record], T | None], *, on_error: OnError = None
) -> Iterator[T]:
    """Stream what `convert` makes of (line number, object) for each line of a JSON Lines file, plain or gzip.

    Blank lines, and records that `convert` answers with None, are left out. A line that is no JSON object,
    or on which `convert` raises a LaconicError, is a fault.
    """
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            value = convert(number, _object(line))
        except LaconicError as error:
            fault = FormatError(str(error), source=str(path), line=number)
            if on_error is None:
                raise fault from None
            on_error(fault)
            continue
        if value is not None:
            yield value


def _object(line: str) -> Record:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise LaconicError(f"not JSON ({error.msg} at character {error.pos}): {line[:60]!r}") from None
    except RecursionError:
        raise LaconicError(f"JSON nested too deep: {line[:60]!r}") from None
    if not isinstance(record, dict):
        raise LaconicError(f"expected a JSON object, found {line[:60]!r}")
    return record


def text_field(record: Record, name: str) -> str:
    """The string in a field."""
    value = _present(record, name)
    if not isinstance(value, str):
        raise LaconicError(f"field {name!r} should be a string, not {value!r:.60}")
    return value


def texts_field(record: Record, name: str) -> tuple[str, ...]:
    """The list of strings in a field."""
    value = _present(record, name)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise LaconicError(f"field {name!r} should be a list of strings, not {value!r:.60}")
    return tuple(value)


def mask_field(record: Record, name: str) -> tuple[bool, ...]:
    """The list of 0 and 1, or of false and true, in a field."""
    value = _present(record, name)
    if not isinstance(value, list) or not all(isinstance(item, int) and item in (0, 1) for item in value):
        raise LaconicError(f"field {name!r} should be a list of 0 and 1, not {value!r:.60}")
    return tuple(map(bool, value))


def _present(record: Record, name: str) -> Any:
    if name not in record:
        raise LaconicError(f"no field {name!r}; there are {', '.join(map(repr, record)) or 'none'}")
    return record[name]
