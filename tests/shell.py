"""A shell in which `laconic` is the present process.

Most of what a short command costs is the start of Python and the loading of models. Here the shell, its pipes and
redirections are real, but the program's name leads to a small script that hands its arguments and streams to this
process and waits for the exit code.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

from laconic.cli import main

# What documents show does not depend on the terminal of whoever runs them.
_SETTINGS = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
_MOST_ARGUMENTS = 1 << 16  # bytes

_MESSENGER = f"""\
#!{sys.executable} -IS
import os, socket, sys
with socket.socket(socket.AF_UNIX) as program:
    program.connect(os.path.join(os.path.dirname(sys.argv[0]), "socket"))
    socket.send_fds(program, [os.fsencode("\\0".join(sys.argv))], [0, 1, 2])
    sys.exit(int(program.recv(8)))
"""


def printed(command: str, folder: Path) -> str:
    """What a command prints, on both streams, when the shell runs it in a folder."""
    with (
        tempfile.TemporaryDirectory() as name,
        tempfile.TemporaryFile() as output,
        _listening(name) as listener,
    ):
        process = _start(command, folder, path=name, output=output.fileno())
        while process.poll() is None:
            with suppress(TimeoutError):
                _answer(listener.accept()[0], folder)
        output.seek(0)
        return output.read().decode()


def printed_by_a_process(command: str, folder: Path) -> str:
    """The same where `laconic` is the installed program."""
    with tempfile.TemporaryFile() as output:
        _start(command, folder, path=str(Path(sys.executable).parent), output=output.fileno()).wait()
        output.seek(0)
        return output.read().decode()


def _start(command: str, folder: Path, *, path: str, output: int) -> subprocess.Popen[bytes]:
    environment = os.environ | _SETTINGS | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=environment,
        stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
    )  # fmt: skip


@contextmanager
def _listening(folder: str) -> Iterator[socket.socket]:
    messenger = Path(folder, "laconic")
    messenger.write_text(_MESSENGER, encoding="utf-8")
    messenger.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(Path(folder, "socket")))
        listener.listen()
        listener.settimeout(0.005)  # so that the end of a command without `laconic` is noticed at once
        yield listener


def _answer(connection: socket.socket, folder: Path) -> None:
    with connection:
        connection.setblocking(True)
        message, streams, *_ = socket.recv_fds(connection, _MOST_ARGUMENTS, 3)
        arguments = os.fsdecode(message).split("\0")
        connection.sendall(str(_run(arguments, streams, folder)).encode())


def _run(arguments: list[str], streams: list[int], folder: Path) -> int:
    """The exit code of the program with these arguments and standard streams."""
    before = Path.cwd()
    with (
        os.fdopen(streams[0], encoding="utf-8") as stdin,
        os.fdopen(streams[1], "w", encoding="utf-8") as stdout,
        os.fdopen(streams[2], "w", encoding="utf-8", buffering=1) as stderr,
        patch.multiple(sys, argv=arguments, stdin=stdin, stdout=stdout, stderr=stderr),
        patch.dict(os.environ, _SETTINGS),
    ):
        os.chdir(folder)
        try:
            main()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 0
        finally:
            os.chdir(before)
    return 0
