"""What the fields of a corpus's JSON records hold."""

from __future__ import annotations

from typing import Any

from laconic.errors import LaconicError

Record = dict[str, Any]


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
