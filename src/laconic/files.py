"""Reading text that may be compressed, and writing files whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from laconic.errors import FormatError, LaconicError

LONGEST_LINE = 1 << 24
"""Characters of a line; no file has to be held in memory because its lines never end."""

_MOST_EXPANSION = 250  # of gzip; text comes to 3 or 4, a table of equal lines to 100
_SMALL = 1 << 26  # bytes that are never too many


def read_whole(path: Path) -> str:
    """All of a UTF-8 text file, gzip or plain, line ends and byte order mark included; errors as of `read_lines`."""
    return "".join(line for _, line in _read(path, "utf-8", newline=""))


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Stream (line number from 1, line without its end) of a UTF-8 text file, gzip or plain.

    A byte order mark and CRLF ends are removed. A missing file, a directory, a damaged gzip file or one that
    expands beyond reason, an endless line or bytes that are not UTF-8 raise an error that names the file and the
    line.
    """
    return ((number, line.rstrip("\r\n")) for number, line in _read(path, "utf-8-sig"))


def read_whole_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Stream the same lines exactly, byte order mark and line ends included."""
    return _read(path, "utf-8", newline="")


def _read(path: Path, encoding: str, newline: str | None = None) -> Iterator[tuple[int, str]]:
    number = 0

    def fault(message: str) -> FormatError:
        return FormatError(message, source=str(path), line=number + 1)

    try:
        with path.open("rb") as stored:
            compressed = stored.read(2) == b"\x1f\x8b"
            stored.seek(0)
            content = gzip.GzipFile(fileobj=stored) if compressed else stored
            most = max(_SMALL, _MOST_EXPANSION * path.stat().st_size)
            with io.TextIOWrapper(content, encoding=encoding, newline=newline) as stream:
                while line := stream.readline(LONGEST_LINE):
                    if len(line) == LONGEST_LINE:
                        raise fault(f"a line of more than {LONGEST_LINE} characters")
                    if compressed and content.tell() > most:
                        raise fault(f"a gzip file that expands to more than {_MOST_EXPANSION} times its size")
                    number += 1
                    yield number, line
    except UnicodeDecodeError as error:
        raise fault(f"not UTF-8 text ({error.reason})") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise fault(f"damaged gzip file ({error})") from None
    except IsADirectoryError:
        raise LaconicError(f"{path}: is a directory, expected a file") from None
    except FileNotFoundError:
        raise LaconicError(f"{path}: no such file") from None
    except PermissionError:
        raise LaconicError(f"{path}: may not be read") from None


@contextmanager
def write_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing so that `path` holds either its old content or all of the new one.

    Bytes go to a temporary neighbour, and to the disk, before it replaces `path`; it does so only if the block ends
    without an exception.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not from `tempfile`, whose files only their owner may read.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (temporary, str(temporary)):
            error.filename = str(path)
        raise
