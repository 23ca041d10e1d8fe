"""Where a command's text comes from: its arguments, files, or standard input."""

from __future__ import annotations

import io
import re
import select
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from laconic.errors import LaconicError
from laconic.files import read_whole, read_whole_lines
from laconic.sentence import Sentence

_CHUNK = 1 << 16  # bytes
_FILE_NAME = re.compile(r"[^\s]*[\w\-]\.(?:[A-Za-z]\w{0,5}|gz)|\S*/\S*")


@dataclass(frozen=True, slots=True)
class Text:
    """A text, or a line of one, and where it stands: `file:3`, `standard input:3`, or nothing for an argument.

    A byte order mark `before` a line, and what `ends` it, are no part of it.
    """

    text: str
    place: str = ""
    before: str = ""
    ends: str = "\n"

    @classmethod
    def of_line(cls, line: str, source: str, number: int) -> Text:
        """A line as it was read, of that number, from 1."""
        bare = line.rstrip("\r\n")
        text = bare.removeprefix("\ufeff") if number == 1 else bare
        return cls(text, f"{source}:{number}", bare.removesuffix(text), line[len(bare) :])

    def blame(self, error: LaconicError, hint: str = "") -> LaconicError:
        """The same error, with the place of the text in its message, and a hint for those who have many."""
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

    def __iter__(self) -> Iterator[Text]:
        self._say_that_it_waits()
        for number, line in enumerate(self._lines(), start=1):
            # Bytes that are not UTF-8 become lone surrogates, which are written back as the same bytes.
            yield Text.of_line(line.decode("utf-8", "surrogateescape"), "standard input", number)

    def whole(self) -> str:
        """All of it, exactly; the bytes that are not UTF-8 as lone surrogates."""
        if self._stream is None:
            return ""
        self._say_that_it_waits()
        return self._stream.read().decode("utf-8", "surrogateescape")

    def _say_that_it_waits(self) -> None:
        if self._stream is not None and self._stream.isatty():
            print("laconic: reading from the terminal, end with Ctrl-D", file=sys.stderr)

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
            for piece in read.splitlines(keepends=True):
                self._begun.append(piece)
                if piece.endswith(b"\n"):
                    self._whole.append(b"".join(self._begun))
                    self._begun.clear()
            while self._whole:
                yield self._whole.popleft()
        if any(self._begun):
            yield b"".join(self._begun)


def files_of(arguments: Sequence[str]) -> list[Path]:
    """The files that the arguments name; none if they are a text, an error if they name a file that is not there."""
    names = [Path(argument) for argument in arguments if _could_be_file(argument)]
    if any(path.exists() for path in names):
        for argument in arguments:
            if argument not in map(str, names) or not Path(argument).exists():
                raise LaconicError(f"{argument}: no such file; text and files cannot be mixed")
        return names
    if len(arguments) == 1 and _FILE_NAME.fullmatch(arguments[0]) and "://" not in arguments[0]:
        raise LaconicError(
            f"{arguments[0]}: no such file; text that looks like a file is read from standard input"
        )
    return []


def _could_be_file(argument: str) -> bool:
    try:
        return (bool(argument) and Path(argument).exists()) or _FILE_NAME.fullmatch(argument) is not None
    except (OSError, ValueError):  # too long for a name, or with a null character
        return False


def read_texts(arguments: Sequence[str]) -> Iterator[Text]:
    """The text of the arguments (joined by spaces), or those of the files that they name, or standard input's."""
    if list(arguments) in ([], ["-"]):
        if whole := StandardInput().whole():
            yield Text(whole, "standard input")
        return
    files = files_of(arguments)
    yield from (Text(read_whole(path), str(path)) for path in files)
    if not files:
        yield Text(" ".join(arguments))


def read_each_line(arguments: Sequence[str]) -> Iterable[Text]:
    """The lines of the same, each with its number."""
    if list(arguments) in ([], ["-"]):
        return StandardInput()
    files = files_of(arguments)
    if files:
        return (
            Text.of_line(line, str(path), number) for path in files for number, line in read_whole_lines(path)
        )
    return (Text(line) for line in " ".join(arguments).split("\n"))


def sentences_of(texts: Iterable[Text]) -> Iterator[Sentence]:
    """The sentences of texts, wrapped lines joined; headings are sentences, too."""
    from laconic.text.split import split_sentences

    for text in texts:
        yield from (sentence for sentence in split_sentences(text.text) if sentence.words)
