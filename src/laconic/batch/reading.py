"""Rows read from files in shards, always the same ones for the same files, few of them in memory at a time."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from laconic.batch.arrow import arrow
from laconic.batch.formats import Kind, unpacked
from laconic.batch.rows import TEXT, Columns
from laconic.errors import FormatError, LaconicError
from laconic.files import LONGEST_LINE

if TYPE_CHECKING:
    import pyarrow as pa

RECORD, FAULT = "laconic: record", "laconic: fault"
"""Columns of rows that are written as they were read: the row as it stood in its file, and what is wrong with it."""

ROWS = 1000
"""Rows of a shard: what each worker does again after a stop."""

LISTS = ("keep", "drop", "protect")
"""The options of which a row may have several values."""

_BYTES = 1 << 20  # of texts in a shard, from which on it is full with fewer rows
# The first shards have few rows, so that a short job is shared out, too, and later ones this part of all rows before
# them: at the end of a job nobody waits long for the last.
_FIRST, _PART = 100, 16
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)


@dataclass(frozen=True, slots=True)
class Shard:
    """Rows that follow each other, the number of the first, and how many bytes of all files had been read then."""

    number: int
    first: int
    batch: pa.RecordBatch
    read: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it stood in its file, the texts of its columns, and what is wrong with it, if anything is."""

    record: bytes
    values: Sequence[Any]
    fault: str | None = None


class Reader:
    """The rows of files of one kind, in shards of at most about `rows`, which say nothing of the number of workers."""

    def __init__(self, files: Sequence[Path], columns: Columns, *, rows: int = ROWS) -> None:
        kinds = {Kind.of(path): path for path in files}
        if len({kind.format for kind in kinds}) > 1:
            one, other, *_ = kinds.values()
            raise LaconicError(f"{one} and {other} are of two formats: shorten them apart")
        self.files, self.columns, self.rows = files, columns, rows
        self.format = next(iter(kinds)).format
        self._lists = {column for name, column in columns.from_columns.items() if name in LISTS}
        self.header: tuple[str, ...] | None = None  # of CSV, known when the first file is open
        self.total = sum(path.stat().st_size for path in files if path.exists())
        if self.format == "text" and (columns.column != TEXT or columns.from_columns):
            raise LaconicError(f"a text has one column, {TEXT!r}; others are in jsonl, csv and parquet")

    def __iter__(self) -> Iterator[Shard]:
        first = 0
        for number, (batch, read) in enumerate(
            self._parquet() if self.format == "parquet" else self._records()
        ):
            yield Shard(number, first, batch, read)
            first += batch.num_rows

    def _full(self, before: int) -> int:
        """The rows of a shard with so many rows before it."""
        return min(self.rows, max(_FIRST, before // _PART))

    def _records(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Shards of rows that are written as they were read."""
        pa = arrow()
        schema = pa.schema(
            [
                *(
                    (name, pa.list_(pa.string()) if name in self._lists else pa.string())
                    for name in self.columns.read
                ),
                (RECORD, pa.binary()),
                (FAULT, pa.string()),
            ]
        )

        def shard() -> Any:
            values = zip(*(row.values for row in pending), strict=True)
            columns = [*values, [row.record for row in pending], [row.fault for row in pending]]
            return pa.record_batch(
                [pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)],
                schema=schema,
            )

        pending: list[Row] = []
        size = done = before = position = 0
        for path in self.files:
            with self._opened(path) as (stored, stream):
                for row in self._rows(stream, path):
                    pending.append(row)
                    size += len(row.record)
                    position = before + stored.tell()
                    if len(pending) == self._full(done) or size >= _BYTES:
                        yield shard(), position
                        done += len(pending)
                        pending, size = [], 0
                before += stored.tell()
        if pending:
            yield shard(), position

    @contextmanager
    def _opened(self, path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        try:
            with path.open("rb") as stored, unpacked(stored, Kind.of(path).packing) as stream:
                yield stored, stream
        except FileNotFoundError:
            raise LaconicError(f"{path}: no such file; it was there when the files were listed") from None
        except _DAMAGED as problem:
            raise FormatError(f"damaged file ({problem})", source=str(path)) from None
        except UnicodeDecodeError as problem:
            raise FormatError(f"not UTF-8 text ({problem.reason})", source=str(path)) from None

    def _rows(self, stream: IO[bytes], path: Path) -> Iterator[Row]:
        if self.format in ("csv", "tsv"):
            yield from self._cells(stream, path)
            return
        number = 0
        while line := self._next_line(stream, path, number):
            number += 1
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if self.format == "text" or line.strip():
                bare = line.rstrip(b"\r\n")
                yield _line(bare) if self.format == "text" else self._object(bare, path, number)

    def _next_line(self, stream: IO[bytes], path: Path, number: int) -> bytes:
        try:
            line = stream.readline(LONGEST_LINE)
        except OSError as problem:
            if isinstance(problem, gzip.BadGzipFile) or problem.errno is None:
                raise FormatError(f"damaged file ({problem})", source=str(path), line=number + 1) from None
            raise
        if len(line) == LONGEST_LINE:
            raise FormatError(f"a line of more than {LONGEST_LINE} bytes", source=str(path), line=number + 1)
        return line

    def _object(self, line: bytes, path: Path, number: int) -> Row:
        names = self.columns.read
        nothing = [None] * len(names)
        try:
            record = json.loads(line.decode())
        except (ValueError, RecursionError) as problem:
            return Row(line, nothing, f"not JSON ({problem})")
        if not isinstance(record, dict):
            return Row(line, nothing, "not a JSON object")
        for name in (self.columns.into, self.columns.error):
            if name in record:
                raise FormatError(
                    f"there is a field {name!r} already: choose another name for what is added",
                    source=str(path),
                    line=number,
                )
        text = record.get(self.columns.column, 0)
        if text is not None and not isinstance(text, str):
            return Row(line, nothing, f"there is no text {self.columns.column!r}")
        try:
            values = [_cell(record.get(name), name in self._lists) for name in names]
        except LaconicError as problem:
            return Row(line, nothing, str(problem))
        if isinstance(text, str) and not _is_utf8(text):
            return Row(line, nothing, f"{self.columns.column!r} holds half a character (a lone surrogate)")
        return Row(line, values)

    def _cells(self, stream: IO[bytes], path: Path) -> Iterator[Row]:
        text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        csv.field_size_limit(LONGEST_LINE)
        lines = csv.reader(text, delimiter=delimiter_of(self.format), strict=True)
        try:
            header = tuple(next(lines, ()))
            if not header:
                raise FormatError("expected a header with the names of the columns", source=str(path), line=1)
            self.columns.check(header)
            if self.header is None:
                self.header = header
            elif header != self.header:
                raise FormatError(f"its columns are not those of {self.files[0]}", source=str(path), line=1)
            places = [header.index(name) for name in self.columns.read]
            for cells in lines:
                if cells:
                    yield self._row_of(cells, header, places)
        except csv.Error as problem:
            raise FormatError(
                f"not {self.format} ({problem})", source=str(path), line=lines.line_num
            ) from None
        finally:
            text.detach()

    def _row_of(self, cells: list[str], header: tuple[str, ...], places: list[int]) -> Row:
        padded = cells[: len(header)] + [""] * (len(header) - len(cells))
        record = json.dumps([padded, cells[len(header) :]]).encode()
        if len(cells) != len(header):
            fault = f"{len(cells)} cells where there are {len(header)} columns"
            return Row(record, [None] * len(places), fault)
        return Row(record, [_cell(cells[place], header[place] in self._lists) for place in places])

    def _parquet(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        pa, parquet = arrow(), arrow("parquet")
        schema, begun = None, False
        pending: list[Any] = []
        rows = size = done = before = 0
        for path in self.files:
            try:
                with parquet.ParquetFile(path) as source:
                    found = source.schema_arrow
                    self.columns.schema(found)
                    if schema is not None and not found.equals(schema):
                        raise FormatError(f"its columns are not those of {self.files[0]}", source=str(path))
                    schema = schema or found
                    groups = source.num_row_groups
                    for group in range(groups):
                        position = before + path.stat().st_size * (group + 1) // groups
                        for batch in self._group(source, path, group):
                            for piece in self._pieces(batch):
                                pending.append(piece)
                                rows += piece.num_rows
                                size += _text_size(piece, self.columns.column)
                                if rows >= self._full(done) or size >= _BYTES:
                                    yield _joined(pa, pending, schema), position
                                    begun = True
                                    done += rows
                                    pending, rows, size = [], 0, 0
            except FileNotFoundError:
                raise LaconicError(f"{path}: no such file; it was there when the files were listed") from None
            except pa.ArrowInvalid as problem:
                raise FormatError(f"not a Parquet file ({problem})", source=str(path)) from None
            before += path.stat().st_size
        if pending or not begun:  # a file without rows has columns, too
            yield _joined(pa, pending, schema), before

    def _group(self, source: Any, path: Path, group: int) -> Iterator[Any]:
        try:
            yield from source.iter_batches(batch_size=self.rows, row_groups=[group], use_threads=False)
        except (OSError, arrow().ArrowException) as problem:
            raise FormatError(
                f"row group {group} is damaged ({problem}); what comes before it is done, and stays so",
                source=str(path),
            ) from None

    def _pieces(self, batch: Any) -> Iterator[Any]:
        """A batch in pieces that may fill a shard, one row at a time where a few of its texts do."""
        if _text_size(batch, self.columns.column) < _BYTES // 4:
            step = min(self.rows, _FIRST)
        else:
            step = 1
        yield from (batch.slice(start, step) for start in range(0, batch.num_rows, max(1, step)))


def delimiter_of(name: str) -> str:
    """What stands between the cells of a row."""
    return "\t" if name == "tsv" else ","


def _line(line: bytes) -> Row:
    try:
        return Row(line, [line.decode()])
    except UnicodeDecodeError as problem:
        return Row(line, [None], f"not UTF-8 text ({problem.reason})")


def _cell(value: Any, is_list: bool = False) -> Any:
    """The value of an option in a JSON object or a cell, as text, which every option takes, or as a list of texts."""
    if is_list:
        values = value if isinstance(value, list) else [] if value in (None, "") else [value]
        if not all(isinstance(each, str) for each in values):
            raise LaconicError(f"words are given as a text or a list of texts, not as {value!r:.60}")
        return values
    if isinstance(value, list | dict | bool):
        raise LaconicError(f"an option is a text or a number, not {value!r:.60}")
    return value if value is None or isinstance(value, str) else str(value)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text_size(batch: Any, column: str) -> int:
    return int(batch.column(column).nbytes)


def _joined(pa: Any, batches: list[Any], schema: Any) -> Any:
    """Batches as one; a copy, so that nothing else of the file stays in memory."""
    table = pa.Table.from_batches(batches, schema).combine_chunks()
    [batch] = table.to_batches() or [pa.RecordBatch.from_pylist([], schema)]
    return batch
