"""Rows as the files hold them: shard by shard in parts, and the parts put together."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from laconic.batch.arrow import arrow
from laconic.batch.formats import Kind, packed
from laconic.batch.reading import FAULT, RECORD, delimiter_of
from laconic.batch.rows import Columns
from laconic.formats.jsonl import format_line

if TYPE_CHECKING:
    import pyarrow as pa

_GROUP = 1 << 16  # rows of a row group


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes rows that were read from files of one format to a file of a kind."""

    source: str
    kind: Kind
    columns: Columns

    def part(self, batch: pa.RecordBatch) -> bytes:
        """What a file holds of some rows."""
        if self.kind.format == "parquet":
            sink = arrow().BufferOutputStream()
            arrow("parquet").write_table(arrow().Table.from_batches([batch]), sink, compression="zstd")
            return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]
        if self.kind.format == "jsonl":
            content = b"".join(self._object(row) + b"\n" for row in _rows(batch))
        elif self.kind.format == "text":
            content = b"".join(self._line(row) + b"\n" for row in _rows(batch))
        else:
            content = self._table([self._cells(row) for row in _rows(batch)])
        return packed(content, self.kind.packing)

    def errors(self, batch: pa.RecordBatch, first: int) -> bytes:
        """What plain text cannot hold: the rows that are not as they were asked for, with their numbers from 1."""
        if self.kind.format != "text":
            return b""
        return b"".join(
            f"{format_line({'row': first + number, self.columns.error: row[self.columns.error]})}\n".encode()
            for number, row in enumerate(_rows(batch), start=1)
            if row[self.columns.error] is not None
        )

    def assemble(self, parts: Sequence[Path], header: Sequence[str], output: IO[bytes]) -> None:
        """Write the parts to a file as one."""
        if self.kind.format == "parquet":
            self._assemble_parquet(parts, output)
            return
        if header:
            names = [*header, self.columns.into, self.columns.error]
            output.write(packed(self._table([names]), self.kind.packing))
        for path in parts:
            with path.open("rb") as part:
                shutil.copyfileobj(part, output)

    def _assemble_parquet(self, parts: Sequence[Path], output: IO[bytes]) -> None:
        pa, parquet = arrow(), arrow("parquet")
        if not parts:
            return
        # The first part knows the schema as the file had it.
        with parquet.ParquetWriter(output, parquet.read_schema(parts[0]), compression="zstd") as writer:
            for tables in _groups(parquet.read_table(path, partitioning=None) for path in parts):
                writer.write_table(pa.concat_tables(tables).combine_chunks(), row_group_size=_GROUP)

    def _object(self, row: dict[str, Any]) -> bytes:
        added = {name: row[name] for name in (self.columns.into, self.columns.error)}
        record: bytes = row[RECORD].strip()
        if self.source == "text":
            return format_line(
                {self.columns.column: record.decode("utf-8", "backslashreplace"), **added}
            ).encode()
        if row[FAULT] is not None and not _is_object(record):
            return format_line({"line": record.decode("utf-8", "backslashreplace"), **added}).encode()
        # What the file holds of the row is not written anew: its numbers and escapes stay as they are.
        start = record[:-1].rstrip()
        return start + (b"" if start == b"{" else b", ") + format_line(added)[1:].encode()

    def _line(self, row: dict[str, Any]) -> bytes:
        text: str | None = row[self.columns.into]
        # A line for every line: what could not be shortened stays.
        return row[RECORD] if text is None else text.replace("\n", " ").encode()

    def _cells(self, row: dict[str, Any]) -> list[str]:
        cells, surplus = json.loads(row[RECORD])
        return [*cells, row[self.columns.into] or "", row[self.columns.error] or "", *surplus]

    def _table(self, rows: Sequence[Sequence[str]]) -> bytes:
        text = io.StringIO()
        csv.writer(text, delimiter=delimiter_of(self.kind.format), lineterminator="\n").writerows(rows)
        return text.getvalue().encode()


def _is_object(record: bytes) -> bool:
    try:
        return isinstance(json.loads(record.decode()), dict)
    except (ValueError, RecursionError):
        return False


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    return iter(batch.to_pylist())


def _groups(tables: Iterator[Any]) -> Iterator[list[Any]]:
    """Tables in groups of about as many rows as a row group has."""
    group: list[Any] = []
    for table in tables:
        group.append(table)
        if sum(each.num_rows for each in group) >= _GROUP:
            yield group
            group = []
    if group:
        yield group
