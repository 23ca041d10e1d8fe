"""Files shortened row by row on all cores: in shards, by processes, to be stopped and taken up again at any moment."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain, islice
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic import __version__
from laconic.batch.arrow import arrow
from laconic.batch.formats import Kind, files_of
from laconic.batch.manifest import Done, Manifest, told
from laconic.batch.reading import FAULT, ROWS, Reader, Shard
from laconic.batch.rows import Columns, Opened, as_json
from laconic.batch.writing import Writer
from laconic.budget import WORDS, Budget, Unit
from laconic.errors import LaconicError
from laconic.files import write_whole

if TYPE_CHECKING:
    import pyarrow as pa

AHEAD = 2
"""Shards under way for each worker: one that it works on and one that waits, so that memory is bounded."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: rows that are done, those of them that an earlier run did, and the share of the input."""

    rows: int
    earlier: int
    share: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of all rows; words, or the tokens of the limit, are those of the rows that were shortened."""

    rows: int
    refused: int
    before: int
    after: int
    unit: str


@dataclass(frozen=True, slots=True)
class Job:
    """The rows of files, or patterns of files, shortened into a file.

    The same job run again after any stop leaves the same bytes as one that was never stopped.
    """

    inputs: Sequence[str]
    output: Path
    columns: Columns = field(default_factory=Columns)
    workers: int | None = None
    rows: int = ROWS
    restart: bool = False

    def run(self, report: Callable[[Progress], None] = lambda _: None) -> Summary:
        """Do what is not done yet."""
        arrow()
        for name, value in (("workers", self.workers), ("rows", self.rows)):
            if value is not None and value < 1:
                raise LaconicError(f"{name}={value}: is at least 1")
        if self.output.is_dir():
            raise LaconicError(f"{self.output}: is a directory, expected a file")
        files = files_of(self.inputs)
        if self.output.resolve() in {path.resolve() for path in files}:
            raise LaconicError(f"{self.output}: is one of the inputs")
        kind = Kind.of(self.output)
        reader = Reader(files, self.columns, rows=self.rows)
        Kind(reader.format).check_output(kind)
        with Manifest(self.output, self._command(files), restart=self.restart) as manifest:
            work = Work(Writer(reader.format, kind, self.columns), manifest.part(0).parent)
            shards = _Run(work, manifest, reader, report).finish(self.workers or os.cpu_count() or 1)
            with told(self.output), write_whole(self.output) as output:
                work.writer.assemble([manifest.part(shard) for shard in shards], reader.header or (), output)
            self._write_errors(manifest, shards)
            done = [manifest.done[shard] for shard in shards]
        manifest.remove()
        return Summary(
            sum(each.rows for each in done),
            sum(each.refused for each in done),
            sum(each.before for each in done),
            sum(each.after for each in done),
            _counted(self.columns)[0],
        )

    @property
    def errors(self) -> Path:
        """Where the errors are written of rows that cannot hold them: those of plain text."""
        return self.output.with_name(f"{self.output.name}.errors.jsonl")

    def _write_errors(self, manifest: Manifest, shards: range) -> None:
        parts = [manifest.errors(shard) for shard in shards if manifest.done[shard].has_errors]
        if not parts:
            self.errors.unlink(missing_ok=True)
            return
        with told(self.errors), write_whole(self.errors) as stream:
            for part in parts:
                stream.write(part.read_bytes())

    def _command(self, files: Sequence[Path]) -> dict[str, Any]:
        columns = self.columns
        return {
            "version": __version__,
            "input": [str(path.absolute()) for path in files],
            **{name: getattr(columns, name) for name in ("column", "into", "error")},
            "from_columns": dict(columns.from_columns),
            "options": as_json(columns.options),
            "rows": self.rows,
        }


@dataclass(frozen=True, slots=True)
class Work:
    """What a worker knows: how rows are shortened and written, and where their parts go."""

    writer: Writer
    folder: Path

    def do(self, shard: int, first: int, rows: bytes, digest: str) -> Done:
        """Shorten the rows of a shard and write them."""
        pa = arrow()
        with pa.ipc.open_stream(rows) as stream:
            [batch] = stream
        columns = self.writer.columns
        found = columns.compress(batch)
        if FAULT in found.schema.names:
            error = arrow("compute").coalesce(found.column(FAULT), found.column(columns.error))
            at = found.schema.get_field_index(columns.error)
            found = pa.RecordBatch.from_arrays(
                [*found.columns[:at], error, *found.columns[at + 1 :]], schema=found.schema
            )
        part, errors = self.writer.part(found), self.writer.errors(found, first)
        path = self.folder / f"{shard:08d}"
        with told(path):
            if errors:
                with write_whole(path.with_name(f"{path.name}.errors")) as stream:
                    stream.write(errors)
            with write_whole(path) as stream:
                stream.write(part)
        return Done(
            shard,
            batch.num_rows,
            digest,
            len(part),
            batch.num_rows - found.column(columns.error).null_count,
            *_costs(found, columns),
            bool(errors),
        )


class _Run:
    """A run of a job: what is not done is shared out, and what is done is written down."""

    def __init__(
        self, work: Work, manifest: Manifest, reader: Reader, report: Callable[[Progress], None]
    ) -> None:
        self.work, self.manifest, self.reader, self.report = work, manifest, reader, report
        self.count = self.rows = self.earlier = 0

    def finish(self, workers: int) -> range:
        """Do all shards, and return their numbers."""
        missing = self._missing()
        first = list(islice(missing, 2))
        if workers == 1 or len(first) < 2:
            for shard, rows, digest in chain(first, missing):
                self._add(self.work.do(shard.number, shard.first, rows, digest), shard)
        else:
            self._share_out(chain(first, missing), workers)
        return range(self.count)

    def _missing(self) -> Iterator[tuple[Shard, bytes, str]]:
        """The shards that are not done, with their rows as they are sent."""
        for shard in self.reader:
            self.count = shard.number + 1
            rows = _sent(shard.batch)
            digest = blake2b(rows, digest_size=16).hexdigest()
            if self.manifest.has(shard.number, digest):
                self.rows += shard.batch.num_rows
                self.earlier += shard.batch.num_rows
                self._say(shard)
            else:
                yield shard, rows, digest

    def _share_out(self, shards: Iterator[tuple[Shard, bytes, str]], workers: int) -> None:
        # Not forked: threads of Arrow may hold locks that would never be let go.
        pool = ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(self.work,)
        )
        under_way: dict[Future[Done], Shard] = {}
        try:
            fault: Exception | None = None
            while True:
                while fault is None and len(under_way) < AHEAD * workers:
                    try:
                        shard, rows, digest = next(shards)
                    except StopIteration:
                        break
                    except Exception as problem:  # of the input: what was read before it is finished first
                        fault = problem
                        break
                    under_way[pool.submit(_do, shard.number, shard.first, rows, digest)] = shard
                if not under_way:
                    break
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    self._add(future.result(), under_way.pop(future))
            if fault is not None:
                raise fault
        except BrokenProcessPool:
            raise LaconicError(
                "a worker was killed, perhaps for want of memory; what is done is kept: run the same command again, "
                "with fewer workers if need be"
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)

    def _add(self, done: Done, shard: Shard) -> None:
        with told(self.manifest.folder):
            self.manifest.add(done)
        self.rows += done.rows
        self._say(shard)

    def _say(self, shard: Shard) -> None:
        self.report(Progress(self.rows, self.earlier, min(1.0, shard.read / max(1, self.reader.total))))


_WORK: list[Work] = []


def _begin(work: Work) -> None:
    """Make this process a worker that ends with whoever started it, however that ended."""
    _WORK[:] = [work]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever interrupts the program hears from it alone
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _do(shard: int, first: int, rows: bytes, digest: str) -> Done:
    try:
        return _WORK[0].do(shard, first, rows, digest)
    except LaconicError as error:
        raise LaconicError(str(error)) from None  # not all of its kinds can be sent


def _sent(batch: pa.RecordBatch) -> bytes:
    sink = arrow().BufferOutputStream()
    with arrow().ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _costs(found: pa.RecordBatch, columns: Columns) -> tuple[int, int]:
    """What the rows that were shortened cost before and after."""
    measure = Budget.at_most(0, unit=_counted(columns)[1]).measure
    texts = zip(*(found.column(name).to_pylist() for name in (columns.column, columns.into)), strict=True)
    pairs = [(source, text) for source, text in texts if text is not None]
    return sum(measure((), source) for source, _ in pairs), sum(measure((), text) for _, text in pairs)


def _counted(columns: Columns) -> tuple[str, Unit]:
    """What is counted to say how much was saved: tokens where they are the limit, else words."""
    if columns.options.get("tokenizer") and "tokens" not in columns.from_columns:
        budget = Opened.of(columns.options).budget
        assert budget is not None
        return "tokens", budget.unit
    return "words", WORDS
