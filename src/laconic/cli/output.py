"""Where a command's answer goes: a file, written whole or not at all, or standard output."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from laconic.errors import LaconicError
from laconic.files import write_whole


class Write(Protocol):
    """Writes a text and what ends it."""

    def __call__(self, text: str, ends: str = "\n") -> None: ...  # noqa: D102


@contextmanager
def open_output(path: Path | None) -> Iterator[Write]:
    """A function that writes a text and what ends it: a line end, unless it is told otherwise."""
    if path is not None:
        if path.is_dir():
            raise LaconicError(f"{path}: is a directory, expected a file")
        try:
            # A device or a pipe is written to, not replaced by a file.
            with path.open("wb") if path.exists() and not path.is_file() else write_whole(path) as stream:
                yield lambda text, ends="\n": _write(stream, text + ends)
        except OSError as error:
            error.filename = error.filename or str(path)  # which a full disk does not say
            raise
        return
    if not sys.stdout.writable():
        raise _closed()
    yield _print


def shows_on_terminal(path: Path | None) -> bool:
    """Whether the answer goes to a terminal, where it is progress enough."""
    return path is None and sys.stdout.isatty()


class ClosedOutput(io.TextIOBase):
    """Standard output that whoever started the program closed: whoever writes there is told so."""

    @property
    def buffer(self) -> IO[bytes]:
        """There is none."""
        raise _closed()

    def write(self, _: str) -> int:
        """Refuse it."""
        raise _closed()


def _closed() -> LaconicError:
    return LaconicError("standard output is closed: use --output FILE where a command has it")


def cannot_write() -> bool:
    """Whether standard output does not take what waits to be written, as of a disk that is full."""
    try:
        sys.stdout.flush()
    except OSError:
        return True
    return False


def stop_writing() -> int:
    """The exit code when a reader of standard output, such as `head`, has had enough; nothing more is written."""
    # Python would complain once more when it flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _print(text: str, ends: str = "\n") -> None:
    _write(sys.stdout.buffer, text + ends)
    sys.stdout.buffer.flush()  # a reader at the other end of a pipe may wait for the line


def _write(stream: IO[bytes], text: str) -> None:
    stream.write(_encode(text))


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
