"""Reading text that may be compressed, and writing files whole or not at all."""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from laconic.errors import FormatError, LaconicError


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Stream (line number from 1, line without its end) of a UTF-8 text file, gzip or plain.

    A byte order mark and CRLF ends are removed. A missing file, a directory, a truncated gzip or
    bytes that are not UTF-8 raise an error that names the file and the line.
    """
    number = 0
    try:
        with path.open("rb") as probe:
            compressed = probe.read(2) == b"\x1f\x8b"
        opener = gzip.open if compressed else open
        with opener(path, "rt", encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text ({error.reason})", source=str(path), line=number + 1) from None
    except (EOFError, gzip.BadGzipFile) as error:
        raise FormatError(f"damaged gzip file ({error})", source=str(path), line=number + 1) from None
    except IsADirectoryError:
        raise LaconicError(f"{path}: is a directory, expected a file") from None
    except FileNotFoundError:
        raise LaconicError(f"{path}: no such file") from None


@contextmanager
def write_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing so that `path` holds either its old content or all of the new one.

    Bytes go to a temporary neighbour that replaces `path` only if the block ends without an exception.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not from `tempfile`, whose files only their owner may read.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as stream:
            yield stream
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
