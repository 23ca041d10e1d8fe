"""The files that rows come from and go to: their formats and compressions, by the ends of their names."""

from __future__ import annotations

import glob
import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, Self

from laconic.batch.arrow import arrow
from laconic.errors import LaconicError

Format = Literal["jsonl", "csv", "tsv", "parquet", "text"]
Packing = Literal["gzip", "zstd"]

_FORMATS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
}
_PACKINGS: dict[str, Packing] = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}


@dataclass(frozen=True, slots=True)
class Kind:
    """How a file holds its rows."""

    format: Format
    packing: Packing | None = None

    @classmethod
    def of(cls, path: Path) -> Self:
        """What the end of a file's name says.

        >>> Kind.of(Path("news.jsonl.gz"))
        Kind(format='jsonl', packing='gzip')
        """
        packing = _PACKINGS.get(path.suffix.lower())
        bare = path.with_suffix("") if packing else path
        found = _FORMATS.get(bare.suffix.lower())
        if found is None:
            raise LaconicError(
                f"{path}: its name does not say what it holds; known are {', '.join(_FORMATS)}, and all but Parquet "
                f"with {', '.join(_PACKINGS)} behind"
            )
        if found == "parquet" and packing:
            raise LaconicError(f"{path}: Parquet files are compressed inside, not as a whole")
        return cls(found, packing)

    def check_output(self, output: Kind) -> None:
        """Raise an error if rows of this kind cannot go to a file of that one."""
        if output.format not in {self.format, "jsonl" if self.format == "text" else self.format}:
            raise LaconicError(
                f"rows of {self.format} are written as {self.format}, not as {output.format}; only text can become "
                "jsonl"
            )


def files_of(patterns: Sequence[str]) -> tuple[Path, ...]:
    """The files that names and patterns such as `news/*.jsonl` mean, each once, those of a pattern in order."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        if Path(pattern).exists():
            named = [pattern]
        else:
            named = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207  (patterns may be absolute)
        if not named:
            raise LaconicError(f"{pattern}: no such file")
        for each in named:
            if Path(each).is_dir():
                raise LaconicError(
                    f"{each}: is a directory, expected a file; a pattern such as {each}/* means its files"
                )
        found |= dict.fromkeys(map(Path, named))
    return tuple(found)


@contextmanager
def unpacked(stored: IO[bytes], packing: Packing | None) -> Iterator[IO[bytes]]:
    """What a file holds when it is unpacked."""
    if packing == "gzip":
        with gzip.GzipFile(fileobj=stored) as content:
            yield io.BufferedReader(content)
    elif packing == "zstd":
        with arrow().CompressedInputStream(stored, "zstd") as content:
            yield io.BufferedReader(content)
    else:
        yield stored


def packed(content: bytes, packing: Packing | None) -> bytes:
    """Bytes packed so that packed pieces put together are the packed whole; the same bytes every time."""
    if packing == "gzip":
        return gzip.compress(content, mtime=0)
    if packing == "zstd":
        return bytes(arrow().Codec("zstd").compress(content, asbytes=True))
    return content
