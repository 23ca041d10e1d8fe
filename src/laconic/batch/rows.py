"""Rows of texts, shortened batch by batch: the same answers whatever the batches are, and no model in any message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Self, Unpack

from laconic.batch.arrow import arrow
from laconic.budget import Budget
from laconic.documents.compress import compress_with
from laconic.documents.pins import Pins
from laconic.errors import LaconicError
from laconic.options import TABLE, Given, Options, unknown
from laconic.systems.manner import system_for
from laconic.systems.system import System

if TYPE_CHECKING:
    import pyarrow as pa

TEXT, COMPRESSED, ERROR = "text", "compressed", "error"
"""The columns that are read and added where no others are named."""

_FIXED = ("system", "tokenizer")  # opened once for all rows


def compress_batch(
    batch: pa.RecordBatch,
    *,
    column: str = TEXT,
    into: str = COMPRESSED,
    error: str = ERROR,
    from_columns: Mapping[str, str] | None = None,
    **options: Unpack[Given],
) -> pa.RecordBatch:
    """The rows of a batch with the shortened texts of a column in a column of their own, `into`.

    `error` says why a row is not as it was asked for: it could not be shortened, and `into` is null, or it does not
    meet a limit that it need not meet. The options are those of `laconic.compress`; `from_columns` names columns that
    hold them row by row, such as {"words": "room"}, where null is what holds for all. Words to keep or to drop need
    not be in every row. The system is opened once in a process, and given by its name or its folder, so that nothing
    but rows and options ever travels.

    >>> import pyarrow
    >>> rows = pyarrow.record_batch({"text": ["It fell again.", None], "room": [2, None]})
    >>> compress_batch(rows, from_columns={"words": "room"}, system="truncate").column("compressed").to_pylist()
    ['It fell', None]
    """
    return Columns(column, into, error, from_columns or {}, dict(options)).compress(batch)


def compress_table(
    table: pa.Table,
    *,
    column: str = TEXT,
    into: str = COMPRESSED,
    error: str = ERROR,
    from_columns: Mapping[str, str] | None = None,
    **options: Unpack[Given],
) -> pa.Table:
    """The same of a table."""
    asked = Columns(column, into, error, from_columns or {}, dict(options))
    schema = asked.schema(table.schema)
    return arrow().Table.from_batches([asked.compress(batch) for batch in table.to_batches()], schema)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of rows are read and added, and what is asked for: the whole of what workers are told.

    A wrong option is an error here, before any row is seen.
    """

    column: str = TEXT
    into: str = COMPRESSED
    error: str = ERROR
    from_columns: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in _FIXED:
            value = self.options.get(name)
            if value is not None and not isinstance(value, str | PathLike):
                raise LaconicError(
                    f"{name}={value!r:.60}: for many rows it is given by its name or its file, and opened where "
                    "the rows are"
                )
        for name in self.from_columns:
            if name not in TABLE:
                raise LaconicError(unknown(name))
            if name in _FIXED:
                raise LaconicError(f"{name} is the same for all rows: it cannot come from a column")
        if self.into == self.error:
            raise LaconicError(f"{self.into!r}: texts and errors need columns of their own")
        # Options that need others of the row are checked when they come; all the rest now.
        if "tokens" not in self.from_columns:
            Options.of(self.options)

    @classmethod
    def of(
        cls,
        column: str = TEXT,
        into: str = COMPRESSED,
        error: str = ERROR,
        from_columns: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Self:
        """The columns and options of the arguments of `compress_batch`."""
        return cls(column, into, error, from_columns or {}, options)

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys((self.column, *self.from_columns.values())))

    def check(self, names: Sequence[str]) -> None:
        """Raise an error if a column is missing, or there already."""
        for name in self.read:
            if name not in names:
                raise LaconicError(f"there is no column {name!r}; there are: {', '.join(names)}")
        for name in (self.into, self.error):
            if name in names:
                raise LaconicError(
                    f"there is a column {name!r} already: choose another name for what is added"
                )

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """The schema of the rows that come out."""
        self.check(schema.names)
        pa = arrow()
        kind = schema.field(self.column).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if not any(is_text(kind) for is_text in _text_types(pa.types)):
            raise LaconicError(f"column {self.column!r} holds {kind}, not texts")
        for name in (self.into, self.error):
            schema = schema.append(pa.field(name, pa.string()))
        return schema

    def open(self) -> Opened:
        """Open what is the same for all rows: what cannot be is an error of them all, not of each."""
        if not self.from_columns:
            return Opened.of(self.options)
        fixed = {name: self.options[name] for name in _FIXED if self.options.get(name) is not None}
        return Opened.of({**fixed, "tokens": 1} if "tokenizer" in fixed else fixed)

    def compress(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows of a batch with what was asked for."""
        pa = arrow()
        schema = self.schema(batch.schema)
        found = list(self._answers(batch))
        added = (pa.array([each[place] for each in found], pa.string()) for place in (0, 1))
        return pa.RecordBatch.from_arrays([*batch.columns, *added], schema=schema)

    def _answers(self, batch: pa.RecordBatch) -> Iterator[tuple[str | None, str | None]]:
        texts = batch.column(self.column).to_pylist()
        given = {name: batch.column(column).to_pylist() for name, column in self.from_columns.items()}
        opened = self.open()
        if not given:
            yield from (opened.answer(text) for text in texts)
            return
        for number, text in enumerate(texts):
            row = {name: _plain(values[number]) for name, values in given.items()}
            try:
                opened = Opened.of({**self.options, **{name: v for name, v in row.items() if v is not None}})
            except LaconicError as problem:
                yield None, None if text is None else str(problem)
            else:
                yield opened.answer(text)


@dataclass(frozen=True, slots=True)
class Opened:
    """What is asked for of one row or of many, with its system and its limit."""

    options: Options
    system: System
    budget: Budget | None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Open what options ask for; what was opened in this process already is used again."""
        return cls._of(Options.of(options))  # type: ignore[no-any-return]

    @staticmethod
    @lru_cache(maxsize=256)
    def _of(options: Options) -> Any:
        return Opened(options, system_for(options), options.budget())

    def answer(self, text: str | None) -> tuple[str | None, str | None]:
        """The shortened text, None if there is none, and what is wrong with it, None if nothing is."""
        if text is None:
            return None, None
        try:
            # Rows are shared out among processes, not sentences among threads.
            found = compress_with(
                self.system, text, self.options, self.budget, pins=Pins(self.options), threads=1
            )
        except LaconicError as problem:
            return None, str(problem)
        except (OSError, MemoryError):  # nothing about this row: the whole must stop
            raise
        except Exception as problem:  # one row in a million must not cost the others
            return None, f"{type(problem).__name__}: {problem}"
        return found.text, "; ".join(found.unmet) or None


def as_json(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as JSON holds them, in the order of the table."""
    named = {"for_" if name == "for" else name: value for name, value in options.items()}
    return {
        name: fspath(named[name]) if isinstance(named[name], PathLike) else named[name]
        for name in TABLE
        if named.get(name) is not None
    }


def _plain(value: Any) -> Any:
    """A whole number in a column of fractions, which is what a table with gaps makes of it, as one; "" as null."""
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value
    return None if value in ("", []) else value


def _text_types(types: Any) -> list[Any]:
    names = ("is_string", "is_large_string", "is_string_view")
    return [getattr(types, name) for name in names if hasattr(types, name)]
