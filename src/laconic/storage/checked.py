"""Reading what may be damaged: nothing is parsed before its size and checksum are known to be right."""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import stat
import zlib
from pathlib import Path
from typing import Any, NoReturn

from laconic.errors import ModelError

Buffer = bytes | mmap.mmap

LARGE = 1 << 26
"""Files of more bytes are mapped into memory, not read; nothing is compressed that expands to more."""

_MOST_JSON = 1 << 20


def read_bounded(path: Path, most: int | None = None, *, exactly: int | None = None) -> Buffer:
    """The bytes of a file: at most so many, or exactly; large files are mapped."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ModelError(f"{path}: not a file")
        if exactly is not None and found.st_size != exactly:
            raise ModelError(f"{path}: damaged, it has {found.st_size} bytes and not {exactly}")
        if most is not None and found.st_size > most:
            raise ModelError(f"{path}: damaged, it has more than {most} bytes")
        with path.open("rb") as stream:
            if found.st_size > LARGE:
                return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            # It may have grown since it was measured.
            return stream.read(found.st_size)
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file; the model is incomplete") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None


def read_checked(path: Path, sha256: object, *, exactly: int | None = None) -> Buffer:
    """The bytes of a file whose SHA-256, in hexadecimal, is as it should be; any other file is an error."""
    content = read_bounded(path, exactly=exactly)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ModelError(f"{path}: damaged, its checksum is not the card's; install or train the model again")
    return content


def read_json(path: Path) -> dict[str, Any]:
    """The object that a JSON file of at most a mebibyte holds, all of its numbers finite."""

    def refuse(number: str) -> NoReturn:
        raise ValueError(f"{number} is no number")

    def finite(number: str) -> float:
        value = float(number)
        return value if math.isfinite(value) else refuse(number)

    content = read_bounded(path, _MOST_JSON)
    assert isinstance(content, bytes)
    try:
        found = json.loads(content, parse_constant=refuse, parse_float=finite)
    except RecursionError:
        raise ModelError(f"{path}: damaged, it is nested too deeply") from None
    except ValueError as error:
        raise ModelError(f"{path}: damaged ({error})") from None
    if not isinstance(found, dict):
        raise ModelError(f"{path}: damaged, it holds no JSON object")
    return found


def expanded(content: Buffer, size: int) -> bytes:
    """The bytes that were compressed by gzip, which must be exactly so many; no more are ever made."""
    try:
        expansion = zlib.decompressobj(wbits=31)
        found = expansion.decompress(content, size + 1)
    except zlib.error as error:
        raise ValueError(f"not a gzip file ({error})") from None
    if len(found) != size or not expansion.eof or expansion.unused_data:
        raise ValueError(f"it does not expand to {size} bytes")
    return found
