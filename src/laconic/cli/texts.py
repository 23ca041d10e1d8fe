"""Where a command's text comes from: its arguments, files, or standard input."""

from __future__ import annotations

import io
import select
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from laconic.errors import LaconicError
from laconic.files import read_lines

_CHUNK = 1 << 16  # bytes


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text and where it stands: `file:3`, `standard input:3`, or nothing for an argument."""

    text: str
    place: str = ""

    def blame(self, error: LaconicError, hint: str = "") -> LaconicError:
        """The same error, with the place of the line in its message, and a hint for those who have many lines."""
        if self.place:
            error.args = (f"{self.place}: {error}{hint}",)
        return error


class StandardInput:
    """The lines of standard input, and whether the next can be had without waiting for whoever writes them."""

    def __init__(self) -> None:
        # None where whoever started the program closed it.
        self._stream = None if sys.stdin is None else cast(io.BufferedReader, sys.stdin.buffer)
        self._whole: deque[bytes] = deque()  # lines that have been read
        self._begun: list[bytes] = []  # what has been read of the next one

    def __iter__(self) -> Iterator[Line]:
        if self._stream is not None and self._stream.isatty():
            print("laconic: reading from the terminal, end with Ctrl-D", file=sys.stderr)
        for number, line in enumerate(self._lines(), start=1):
            # Bytes that are not UTF-8 become lone surrogates, which are written back as the same bytes.
            text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            yield Line(text.removeprefix("\ufeff") if number == 1 else text, f"standard input:{number}")

    def ready(self) -> bool:
        """Whether the next line, or the end, is there."""
        if self._whole or self._stream is None:
            return True
        try:
            return bool(select.select([self._stream.fileno()], [], [], 0)[0])
        except io.UnsupportedOperation:
            return True  # not a file of the system, so nobody is waited for
        except OSError:
            return False  # some systems cannot tell

    def _lines(self) -> Iterator[bytes]:
        while self._stream is not None and (read := self._stream.read1(_CHUNK)):
            for number, piece in enumerate(read.split(b"\n")):
                if number:
                    self._whole.append(b"".join(self._begun))
                    self._begun.clear()
                self._begun.append(piece)
            while self._whole:
                yield self._whole.popleft()
        if any(self._begun):
            yield b"".join(self._begun)


def read_texts(arguments: Sequence[str], files: Sequence[Path]) -> Iterable[Line]:
    """The lines of the arguments (joined by spaces), else of the files, else of standard input."""
    if arguments and files:
        raise LaconicError("text comes either from arguments or from --file, not from both")
    if arguments and list(arguments) != ["-"]:
        if len(arguments) == 1 and not arguments[0].count(" ") and Path(arguments[0]).is_file():
            raise LaconicError(f"{arguments[0]} is a file: to read it, use --file {arguments[0]}")
        return (Line(line) for line in " ".join(arguments).split("\n"))
    if files:
        return (Line(line, f"{path}:{number}") for path in files for number, line in read_lines(path))
    return StandardInput()
