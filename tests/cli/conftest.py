"""Running the program within the test process."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from laconic.cli.application import run

type_of_run = Callable[..., "Result"]


@dataclass(frozen=True)
class Result:
    """What a run of the program left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def laconic(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> type_of_run:
    """A function that runs the program with arguments and standard input."""

    def call(*arguments: object, stdin: str | bytes = b"") -> Result:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = run([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Result(code, out.decode("utf-8", "surrogateescape"), err.decode())

    return call


@pytest.fixture
def truncate(laconic: type_of_run) -> type_of_run:
    """The same with the simplest of the systems, unless the arguments name one."""

    def call(*arguments: object, stdin: str | bytes = b"") -> Result:
        named = "--system" in arguments
        return laconic(*arguments, *(() if named else ("--system", "truncate")), stdin=stdin)

    return call
