"""The program as a process: version, help, completion, pipes, signals, terminals."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from laconic import __version__
from tests.cli.conftest import type_of_run

PROGRAM = [sys.executable, "-c", "from laconic.cli import main; main()"]


def test_version_is_told_at_once() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        told = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        assert told == f"laconic {__version__}\n"
        return time.perf_counter() - start

    assert min(seconds() for _ in range(5)) < 0.2


def test_version_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['laconic', '--version']; from laconic.cli import main; main(); "
        "print(sorted({'typer', 'rich', 'numpy', 'laconic.cli.application'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_help_has_examples(laconic: type_of_run) -> None:
    assert "A text without a command is compressed" in laconic("--help").out
    assert laconic("--version").out == f"laconic {__version__}\n"
    for command in ("compress", "parse", "train", "evaluate", "compare", "show", "demo"):
        result = laconic(command, "--help")
        assert result.code == 0
        assert f"laconic {command}" in result.out.partition("Example")[2]


def test_shell_completion_knows_commands_and_systems() -> None:
    def complete(line: str) -> str:
        environment = os.environ | {
            "_LACONIC_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        }
        return subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, check=False).stdout

    assert complete("laconic comp").split() == ["compress", "compare"]
    assert complete("laconic compress --system tru").split() == ["truncate"]


def test_a_closed_pipe_ends_the_program_in_silence(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("It fell again on Monday.\n" * 50_000)
    with subprocess.Popen(
        [*PROGRAM, "--system", "truncate", "--file", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"It fell again on\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


def test_an_interrupt_leaves_no_file(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    with subprocess.Popen(
        [*PROGRAM, "--output", target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(b"It fell.\n")
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert [path.name[:9] for path in tmp_path.iterdir()] == [".out.txt."]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


def test_closed_standard_input_is_no_text() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" compress <&-', "bash", *PROGRAM], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def on_a_terminal(arguments: list[str], *, stdout: bool) -> tuple[str, str]:
    """Run with standard error, and perhaps standard output, on a terminal; what was written to both."""
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    out = follower if stdout else subprocess.PIPE
    with subprocess.Popen([*PROGRAM, *arguments], stdout=out, stderr=follower, env=environment) as process:
        os.close(follower)
        # Both are read at once, since the program waits for ever once either is full.
        reader = ThreadPoolExecutor(1)
        printed = reader.submit((process.stdout or io.BytesIO()).read)
        shown = b""
        try:
            while chunk := os.read(leader, 65536):
                shown += chunk
        except OSError:
            pass  # how Linux says that nobody holds the other end any more
        os.close(leader)
        assert process.wait(timeout=60) == 0
        reader.shutdown()
    return printed.result().decode(), shown.decode()


def test_colours_only_on_a_terminal() -> None:
    command = ["It fell again.", "--words", "2", "--system", "truncate", "--diff"]
    _, shown = on_a_terminal(command, stdout=True)
    assert "It fell \x1b[9;31magain.\x1b[0m" in shown
    printed, _ = on_a_terminal(command, stdout=False)
    assert printed == "It fell ~again.~\n"


@pytest.mark.parametrize(("stdout", "expected"), [(False, True), (True, False)])
def test_progress_only_where_the_answer_shows_none(tmp_path: Path, stdout: bool, expected: bool) -> None:
    text = tmp_path / "text.txt"
    text.write_text("It fell.\n" * 20)
    _, shown = on_a_terminal(["--file", str(text)], stdout=stdout)
    assert ("compressing" in shown) == expected
