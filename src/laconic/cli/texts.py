"""Where a command's text comes from: its arguments, files, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from laconic.errors import LaconicError
from laconic.files import read_lines


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text and where it stands: `file:3`, `standard input:3`, or nothing for an argument."""

    text: str
    place: str = ""

    def blame(self, error: LaconicError) -> LaconicError:
        """The same error, with the place of the line in its message."""
        if self.place:
            error.args = (f"{self.place}: {error}",)
        return error


def read_texts(arguments: Sequence[str], files: Sequence[Path]) -> Iterator[Line]:
    """The lines of the arguments (joined by spaces), else of the files, else of standard input."""
    if arguments and files:
        raise LaconicError("text comes either from arguments or from --file, not from both")
    if arguments and list(arguments) != ["-"]:
        if len(arguments) == 1 and not arguments[0].count(" ") and Path(arguments[0]).is_file():
            raise LaconicError(f"{arguments[0]} is a file: to read it, use --file {arguments[0]}")
        return (Line(line) for line in " ".join(arguments).split("\n"))
    if files:
        return (Line(line, f"{path}:{number}") for path in files for number, line in read_lines(path))
    return _standard_input()


def _standard_input() -> Iterator[Line]:
    if sys.stdin is None:
        return  # closed by whoever started the program
    if sys.stdin.isatty():
        print("laconic: reading from the terminal, end with Ctrl-D", file=sys.stderr)
    for number, line in enumerate(sys.stdin.buffer, start=1):
        # Bytes that are not UTF-8 become lone surrogates, which are written back as the same bytes.
        text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
        yield Line(text.removeprefix("\ufeff") if number == 1 else text, f"standard input:{number}")
