"""What of a job is done: kept beside its output until all of it is, so that a stop at any moment costs little."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from laconic.errors import LaconicError
from laconic.files import write_whole
from laconic.formats.jsonl import format_line

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Done:
    """A shard whose part is written: the digest of its rows, the size of the part, and what there is to count."""

    shard: int
    rows: int
    digest: str
    size: int
    refused: int
    before: int
    after: int
    has_errors: bool


class Manifest:
    """The folder `OUTPUT.parts`: the command, the parts, and a journal with a line for every part that is whole.

    A part is done when its line is in the journal, and the line is written after the part; what a stop leaves
    unfinished has no line, or half of one, and is done again.
    """

    def __init__(self, output: Path, command: Mapping[str, Any], *, restart: bool = False) -> None:
        self.output = output
        self.command = json.loads(json.dumps({"format": _FORMAT, **command}))  # as it is when it was stored
        self.folder = output.with_name(f"{output.name}.parts")
        self._finished = output.with_name(f"{output.name}.parts.finished")
        self._restart = restart
        self._journal: IO[str] | None = None
        self.done: dict[int, Done] = {}

    def __enter__(self) -> Self:
        shutil.rmtree(self._finished, ignore_errors=True)  # a stop came while it was removed
        journal = self.folder / "journal.jsonl"
        if self._restart:
            if journal.exists():
                with journal.open("a", encoding="utf-8") as stream:
                    _lock(stream, self.folder)
            shutil.rmtree(self.folder, ignore_errors=True)
        elif self.output.exists() and not self.folder.exists():
            raise LaconicError(f"{self.output}: is there already; remove it, or replace it with --restart")
        with told(self.folder):
            self._open()
        return self

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        command = self.folder / "command.json"
        if command.exists():
            self._check(json.loads(command.read_text(encoding="utf-8")))
        else:
            with write_whole(command) as stream:
                stream.write(json.dumps(self.command, indent=1).encode())
        journal = self.folder / "journal.jsonl"
        self._journal = journal.open("a", encoding="utf-8")
        try:
            _lock(self._journal, self.folder)
            self._journal.truncate(self._read(journal))
        except BaseException:
            self._journal.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._journal is not None:
            with suppress(OSError):  # of a line that a full disk did not take, which has been told
                self._journal.close()
        if (
            error is not None and not self.done
        ):  # a mistake that came out before anything was done leaves nothing
            shutil.rmtree(self.folder, ignore_errors=True)

    def part(self, shard: int) -> Path:
        """Where the part of a shard is."""
        return self.folder / f"{shard:08d}"

    def errors(self, shard: int) -> Path:
        """Where the errors of a part are that cannot hold them itself."""
        return self.folder / f"{shard:08d}.errors"

    def has(self, shard: int, digest: str) -> bool:
        """Whether the part of these rows is there; one of other rows, or a damaged one, is not it."""
        done = self.done.get(shard)
        if done is None or done.digest != digest:
            return False
        part = self.part(shard)
        return part.is_file() and part.stat().st_size == done.size

    def add(self, done: Done) -> None:
        """Say that a part is whole."""
        assert self._journal is not None
        self._journal.write(format_line(asdict(done)) + "\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())
        self.done[done.shard] = done

    def remove(self) -> None:
        """Remove it all; the output is whole."""
        # At once for whoever comes after a stop: half a manifest would be a beginning.
        self.folder.replace(self._finished)
        shutil.rmtree(self._finished, ignore_errors=True)

    def _read(self, journal: Path) -> int:
        """Read the journal up to the last line that is whole, and return where that ends."""
        whole = 0
        names = {field.name for field in fields(Done)}
        for line in journal.read_bytes().splitlines(keepends=True):
            try:
                record = json.loads(line)
            except ValueError:
                break
            if not line.endswith(b"\n") or not isinstance(record, dict) or set(record) != names:
                break
            self.done[record["shard"]] = Done(**record)
            whole += len(line)
        return whole

    def _check(self, begun: Any) -> None:
        if begun == self.command:
            return
        for name in {**begun, **self.command}:
            was, now = (each.get(name) for each in (begun, self.command))
            if was != now:
                raise LaconicError(
                    f"{self.folder}: was begun by another command, with {name} {_shown(was)}, not {_shown(now)}: "
                    f"finish it by that command, or give it up with --restart"
                )


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Errors of the system inside say what cannot be written, and that nothing is lost."""
    try:
        yield
    except OSError as error:
        raise LaconicError(
            f"{path}: cannot be written ({error.strerror or error}); what is done is kept: run the same command again "
            "when it can"
        ) from None


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)[:200]


def _lock(journal: IO[str], folder: Path) -> None:
    """Keep others out while this process lives."""
    try:
        import fcntl
    except ImportError:  # not everywhere, and the bytes that two write are the same
        return
    try:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LaconicError(f"{folder}: another process is at work on it") from None
    except OSError:  # not on every file system
        return
